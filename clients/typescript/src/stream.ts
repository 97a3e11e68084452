/** Frames in a stream of bytes: each is preceded by its length, four bytes, little-endian. */
import { BadBytes } from './bytes.js';
import * as limits from './limits.js';

const kHead = 4;

/** A frame with its length before it. */
export function framed(frame: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(kHead + frame.length);
  new DataView(bytes.buffer).setUint32(0, frame.length, true);
  bytes.set(frame, kHead);
  return bytes;
}

/** Cuts a stream into frames. It holds no more than one of them, at most kFrameBytes. */
export class FrameSplitter {
  readonly #head = new Uint8Array(kHead);
  #headSize = 0;
  #body: Uint8Array | undefined;
  #bodySize = 0;

  /** Hands over each frame that is whole. Throws BadBytes (`too_large`): the stream is over. */
  push(chunk: Uint8Array, take: (frame: Uint8Array) => void): void {
    for (let at = 0; at < chunk.length; ) {
      at += this.#body === undefined ? this.#readHead(chunk, at) : this.#readBody(chunk, at);
      if (this.#body === undefined || this.#bodySize < this.#body.length) continue;
      const frame = this.#body;
      this.#body = undefined;
      this.#headSize = 0;
      take(frame);
    }
  }
  #readHead(chunk: Uint8Array, at: number): number {
    const part = chunk.subarray(at, at + kHead - this.#headSize);
    this.#head.set(part, this.#headSize);
    this.#headSize += part.length;
    if (this.#headSize < kHead) return part.length;
    const size = new DataView(this.#head.buffer).getUint32(0, true);
    if (size > limits.kFrameBytes) throw new BadBytes('too_large', 'a frame of a gate');
    this.#body = new Uint8Array(size);
    this.#bodySize = 0;
    return part.length;
  }
  #readBody(chunk: Uint8Array, at: number): number {
    const body = this.#body!;
    const part = chunk.subarray(at, at + body.length - this.#bodySize);
    body.set(part, this.#bodySize);
    this.#bodySize += part.length;
    return part.length;
  }
}
