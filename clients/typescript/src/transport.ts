/**
 * What carries frames between a client and a gate. A transport opens one connection; after close()
 * it tells nothing more. It never throws: an address that it cannot use is a connection that is
 * lost at once.
 */

/** One connection. Owned by the client that has opened it. */
export interface Connection {
  /** Nothing happens before `opened` and after `lost`. */
  send(frame: Uint8Array): void;
  close(): void;
}
/** What a connection tells, never within the call that opens it. */
export interface Told {
  opened(): void;
  /** The bytes are the receiver's. */
  frame(bytes: Uint8Array): void;
  /** The last word; the text is for logs. */
  lost(text: string): void;
}
export type Transport = (address: string, told: Told) => Connection;
/** By the scheme of addresses: `wss`, `tls`. */
export type Transports = Readonly<Record<string, Transport>>;

/** What is used of the browser's WebSocket; the package `ws` has the same. */
export interface WebSocketLike {
  binaryType: string;
  readonly readyState: number;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  send(bytes: Uint8Array): void;
  close(): void;
}
export type WebSocketClass = new (address: string) => WebSocketLike;

const kOpen = 1;
const kNoFrame = new Uint8Array();

/** A connection that was never there. */
export function lostAtOnce(told: Told, text: string): Connection {
  let closed = false;
  queueMicrotask(() => {
    if (!closed) told.lost(text);
  });
  return { send() {}, close: () => void (closed = true) };
}

/** `ws` and `wss` over a class of WebSockets: that of the browser, unless another one is given. */
export function webSockets(Class?: WebSocketClass): Transports {
  const transport: Transport = (address, told) => {
    const Socket = Class ?? (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
    if (Socket === undefined) return lostAtOnce(told, 'there is no WebSocket here');
    let socket: WebSocketLike;
    try {
      socket = new Socket(address);
    } catch (error) {
      return lostAtOnce(told, String(error));
    }
    let over = false;
    const lost = (text: string): void => {
      if (over) return;
      over = true;
      told.lost(text);
    };
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => over || told.opened();
    socket.onmessage = ({ data }) => {
      // A text is malformed, as is a frame without a byte.
      if (!over) told.frame(data instanceof ArrayBuffer ? new Uint8Array(data) : kNoFrame);
    };
    socket.onerror = () => lost('an error'); // a browser does not say which
    socket.onclose = () => lost('closed');
    return {
      send(frame) {
        if (!over && socket.readyState === kOpen) socket.send(frame);
      },
      close() {
        over = true;
        socket.close();
      },
    };
  };
  return { ws: transport, wss: transport };
}
