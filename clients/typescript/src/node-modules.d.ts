// What this client uses of Node: Debian has no @types/node for this compiler.

declare module 'node:net' {
  export interface Socket {
    on(event: 'connect' | 'secureConnect' | 'close', then: () => void): this;
    on(event: 'error', then: (error: Error) => void): this;
    on(event: 'data', then: (chunk: Uint8Array) => void): this;
    setNoDelay(on: boolean): this;
    write(bytes: Uint8Array): boolean;
    destroy(): this;
  }
  export function connect(options: { host: string; port: number }): Socket;
}

declare module 'node:tls' {
  import type { Socket } from 'node:net';
  export function connect(options: {
    host: string;
    port: number;
    servername?: string;
    minVersion: 'TLSv1.3';
    ca?: string;
  }): Socket;
}

declare module 'node:zlib' {
  /** With `info`; a length of 0 is no bound. */
  export function inflateRawSync(
    bytes: Uint8Array,
    options: { maxOutputLength: number; info: true },
  ): { buffer: Uint8Array; engine: { bytesWritten: number } };
}
