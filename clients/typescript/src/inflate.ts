/**
 * Deflated packets, which a gate sends to clients that can read them: a stage between a connection
 * and its session, which sees packets as they were. Inflating may take a while (a browser has no
 * other way); frames behind wait for it, so that all stay in order.
 */
import { BadBytes } from './bytes.js';
import * as limits from './limits.js';

/**
 * Raw deflate (RFC 1951), read. Throws, or rejects, if the bytes are no such stream, if any follow
 * it, or if there are more than `most` bytes in it: no more than that is to be kept.
 */
export type Inflate = (bytes: Uint8Array, most: number) => Uint8Array | Promise<Uint8Array>;

/** Bit of the features in Hello and Greeting. */
export const kInflates = 1n;
const kPacket = 68;
const kDeflatedPacket = 196;

/** That of the browser; undefined: it cannot. */
export function platformInflate(): Inflate | undefined {
  const Stream = (globalThis as { DecompressionStream?: any }).DecompressionStream;
  try {
    new Stream('deflate-raw');
  } catch {
    return undefined; // there is none, or it is an older one
  }
  return async (bytes, most) => {
    const stream = new Stream('deflate-raw');
    const writer = stream.writable.getWriter();
    // What fails here fails the reader, too.
    writer.write(bytes).catch(() => undefined);
    writer.close().catch(() => undefined);
    const reader = stream.readable.getReader();
    const parts: Uint8Array[] = [];
    let size = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.length;
      if (size > most) {
        reader.cancel().catch(() => undefined);
        throw new BadBytes('too_large', 'a deflated packet');
      }
      parts.push(next.value);
    }
    return joined(parts, size);
  };
}

/** The frames of one connection, in their order. */
export class Inflater {
  readonly #inflate: Inflate | undefined;
  readonly #told: (frame: Uint8Array) => void;
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #busy = false;

  /** Without `inflate` all frames go through. */
  constructor(inflate: Inflate | undefined, told: (frame: Uint8Array) => void) {
    this.#inflate = inflate;
    this.#told = told;
  }
  /** False: too much waits, and the connection is to be closed. */
  push(frame: Uint8Array): boolean {
    if (this.#busy) {
      this.#bytes += frame.length;
      this.#waiting.push(frame);
      return this.#bytes <= limits.kInflateBytes;
    }
    this.#one(frame);
    return true;
  }

  #one(frame: Uint8Array): void {
    if (this.#inflate === undefined || frame[0] !== kDeflatedPacket) return this.#told(frame);
    const at = endOfHead(frame);
    let body: Uint8Array | Promise<Uint8Array>;
    try {
      body = this.#inflate(frame.subarray(at), limits.kPacketBytes);
    } catch {
      return this.#told(frame); // whoever reads it refuses it
    }
    if (body instanceof Uint8Array) return this.#told(packetOf(frame, at, body));
    this.#busy = true;
    body.then(
      (bytes) => this.#done(packetOf(frame, at, bytes)),
      () => this.#done(frame),
    );
  }
  #done(frame: Uint8Array): void {
    this.#busy = false;
    this.#told(frame);
    while (!this.#busy && this.#waiting.length > 0) {
      const next = this.#waiting.shift()!;
      this.#bytes -= next.length;
      this.#one(next);
    }
  }
}

/** Behind c and the kind; the decoder looks at them itself. */
function endOfHead(frame: Uint8Array): number {
  let at = 1;
  while (at < frame.length && frame[at]! >= 0x80) at += 1;
  return Math.min(at + 2, frame.length);
}
function packetOf(frame: Uint8Array, at: number, body: Uint8Array): Uint8Array {
  const whole = joined([frame.subarray(0, at), body], at + body.length);
  whole[0] = kPacket;
  return whole;
}
function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
