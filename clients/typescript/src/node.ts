/**
 * The client for Node: all of index.ts, and connections over TCP and TLS.
 *
 *   const transports = nodeTransports();
 *   const gates = ['tls://game.example:7000'];
 *   const client = new Client({ gates, credentials, transports, inflate: nodeInflate });
 */
import * as net from 'node:net';
import * as tls from 'node:tls';
import * as zlib from 'node:zlib';
import { BadBytes } from './bytes.js';
import type { Inflate } from './inflate.js';
import { Connection, Told, Transport, Transports, lostAtOnce, webSockets } from './transport.js';
import type { WebSocketClass } from './transport.js';
import { FrameSplitter, framed } from './stream.js';

export * from './index.js';

export interface NodeOptions {
  /** Certificates in PEM that are trusted instead of those of the system. */
  readonly ca?: string;
  /** For `ws` and `wss`, where Node has none (before 22), such as that of the package `ws`. */
  readonly WebSocket?: WebSocketClass;
}

/** `tcp://host:port`, `tls://host:port` (TLS 1.3, certificates are checked), `ws`, `wss`. */
export function nodeTransports(options: NodeOptions = {}): Transports {
  const { ca } = options;
  const tcp: Transport = (address, told) => {
    const to = hostAndPort(address);
    if (to === undefined) return lostAtOnce(told, 'not an address');
    return carry(net.connect(to), 'connect', told);
  };
  const secure: Transport = (address, told) => {
    const to = hostAndPort(address);
    if (to === undefined) return lostAtOnce(told, 'not an address');
    // A name for SNI; an address is none.
    const name = /^[\d.]+$|:/.test(to.host) ? {} : { servername: to.host };
    const trust = ca === undefined ? {} : { ca };
    const socket = tls.connect({ ...to, ...name, ...trust, minVersion: 'TLSv1.3' });
    return carry(socket, 'secureConnect', told);
  };
  return { tcp, tls: secure, ...webSockets(options.WebSocket) };
}

/** The client's option `inflate`, over Node's zlib. */
export const nodeInflate: Inflate = (bytes, most) => {
  const { buffer, engine } = zlib.inflateRawSync(bytes, { maxOutputLength: most, info: true });
  if (engine.bytesWritten !== bytes.length) {
    throw new BadBytes('trailing', 'bytes after a deflated packet');
  }
  return buffer;
};

/** `tcp://[::1]:7000`; undefined: not an address. */
function hostAndPort(address: string): { host: string; port: number } | undefined {
  const found = /^[a-z]+:\/\/(\[[0-9a-f:.]+\]|[^:/[\]]+):(\d{1,5})\/?$/i.exec(address);
  const port = Number(found?.[2]);
  if (!found || port === 0 || port > 65_535) return undefined;
  return { host: found[1]!.replace(/^\[|\]$/g, ''), port };
}

function carry(socket: net.Socket, opens: 'connect' | 'secureConnect', told: Told): Connection {
  const splitter = new FrameSplitter();
  let over = false;
  const lost = (text: string): void => {
    if (over) return;
    over = true;
    socket.destroy();
    told.lost(text);
  };
  socket.setNoDelay(true);
  socket.on(opens, () => over || told.opened());
  socket.on('data', (chunk) => {
    if (over) return;
    try {
      splitter.push(chunk, (frame) => over || told.frame(frame));
    } catch (error) {
      lost(String(error)); // a length beyond any frame
    }
  });
  socket.on('error', (error) => lost(error.message));
  socket.on('close', () => lost('closed'));
  return {
    send(frame) {
      if (!over) socket.write(framed(frame));
    },
    close() {
      over = true;
      socket.destroy();
    },
  };
}
