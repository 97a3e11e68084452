/**
 * Reading and writing bytes as starbus has them: little-endian, varints of one form. A reader
 * treats its bytes as hostile: a size is checked against the bytes that are left before anything
 * is allocated. What does not have its form throws BadBytes.
 */

export type BytesErrc =
  | 'malformed' // the bytes do not have their form
  | 'truncated' // they end too early
  | 'trailing' // there are bytes after the end
  | 'too_large' // a value exceeds its limit
  | 'newer_format' // moves of a later form than this client knows
  | 'too_deep' // values are nested deeper than the limit
  | 'schema_mismatch' // properties of another declaration
  | 'wrong_audience' // properties for others than the own client
  | 'gap' // changes are missing before these
  | 'desync'; // a change does not fit the state

/** Bytes, or a value to be encoded, without their form. Nothing of them was kept. */
export class BadBytes extends Error {
  override readonly name = 'BadBytes';
  constructor(
    readonly code: BytesErrc,
    detail = '',
  ) {
    super(detail === '' ? `bytes: ${code}` : `bytes: ${code}; ${detail}`);
  }
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const utf8 = new TextEncoder();

/** The bytes of a text. */
export function bytesOfText(text: string): Uint8Array {
  return utf8.encode(text);
}
/** Two digits a byte. */
export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}
/** Throws BadBytes (`malformed`) for what hexOf does not write. */
export function bytesOfHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) throw new BadBytes('malformed', 'hex');
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Sevens of bits that a number holds exactly in doubles. */
const kExactSevens = 7;

/** Reads bytes that it does not own and that do not change meanwhile. */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #end: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.byteLength;
  }

  get left(): number {
    return this.#end - this.#at;
  }
  byte(): number {
    return this.#view.getUint8(this.#take(1));
  }
  /** The next byte, which stays. */
  peek(): number {
    if (this.left === 0) throw new BadBytes('truncated');
    return this.#bytes[this.#at]!;
  }
  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }
  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }
  i32(): number {
    return this.#view.getInt32(this.#take(4), true);
  }
  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }
  f32(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }
  f64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }
  /** An unsigned 64-bit number. */
  varint(): bigint {
    return BigInt(this.#varint());
  }
  /** One of at most `most`, which is below 2^49; `malformed` beyond. */
  small(most: number): number {
    const value = this.#varint();
    if (value > most) throw new BadBytes('malformed', `a number above ${most}`);
    return Number(value);
  }
  /** A copy of the next bytes. */
  take(size: number): Uint8Array {
    const at = this.#take(size);
    return this.#bytes.slice(at, at + size);
  }
  /** A copy of all that are left. */
  rest(): Uint8Array {
    return this.take(this.left);
  }
  /** The number of bytes or elements that follow, each of which takes a byte or more. */
  size(most: number): number {
    const size = this.#varint();
    if (size > this.left) throw new BadBytes('truncated');
    if (size > most) throw new BadBytes('too_large');
    return Number(size);
  }
  /** Bytes with their size before them. */
  sized(most: number): Uint8Array {
    return this.take(this.size(most));
  }
  /** A text with its size in bytes before it; `malformed` if it is not UTF-8. */
  text(most: number): string {
    const bytes = this.#part(this.size(most));
    try {
      return strict.decode(bytes);
    } catch {
      throw new BadBytes('malformed', 'a text is not UTF-8');
    }
  }
  /** Likewise, but bytes that are not UTF-8 become U+FFFD. */
  anyText(most: number): string {
    return lenient.decode(this.#part(this.size(most)));
  }
  /** Reads with `read` exactly the next `size` bytes. */
  within<T>(size: number, read: () => T): T {
    if (size > this.left) throw new BadBytes('truncated');
    const end = this.#end;
    this.#end = this.#at + size;
    const value = read();
    this.finish();
    this.#end = end;
    return value;
  }
  /** `trailing` if bytes are left. */
  finish(): void {
    if (this.left !== 0) throw new BadBytes('trailing');
  }

  #take(size: number): number {
    if (size > this.left) throw new BadBytes('truncated');
    const at = this.#at;
    this.#at += size;
    return at;
  }
  #part(size: number): Uint8Array {
    const at = this.#take(size);
    return this.#bytes.subarray(at, at + size);
  }
  /** A number while it is below 2^49. */
  #varint(): number | bigint {
    let low = 0;
    let high = 0n;
    for (let i = 0, unit = 1; i < 10; i++, unit *= 128) {
      const byte = this.byte();
      const bits = byte & 0x7f;
      if (i === 9 && bits > 1) break;
      if (i < kExactSevens) low += bits * unit;
      else high |= BigInt(bits) << BigInt(7 * i);
      if (byte >= 0x80) continue;
      if (byte === 0 && i !== 0) break;
      return i < kExactSevens ? low : high | BigInt(low);
    }
    throw new BadBytes('malformed', 'a number has a longer form than needed');
  }
}

/** Collects bytes in a buffer that it owns. */
export class Writer {
  #bytes = new Uint8Array(64);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;

  get size(): number {
    return this.#size;
  }
  byte(value: number): void {
    const at = this.#more(1);
    this.#view.setUint8(at, value);
  }
  u32(value: number): void {
    const at = this.#more(4);
    this.#view.setUint32(at, value, true);
  }
  u64(value: bigint): void {
    const at = this.#more(8);
    this.#view.setBigUint64(at, value, true);
  }
  f32(value: number): void {
    const at = this.#more(4);
    this.#view.setFloat32(at, value, true);
  }
  f64(value: number): void {
    const at = this.#more(8);
    this.#view.setFloat64(at, value, true);
  }
  /** An unsigned 64-bit number; a `number` is one of 0 to 2^53 - 1. */
  varint(value: number | bigint): void {
    let rest = value;
    while (rest >= 0x80) {
      if (typeof rest === 'bigint') {
        this.byte(Number(rest & 0x7fn) | 0x80);
        rest >>= 7n;
      } else {
        this.byte((rest % 128) | 0x80);
        rest = Math.floor(rest / 128);
      }
    }
    this.byte(Number(rest));
  }
  raw(bytes: Uint8Array): void {
    const at = this.#more(bytes.length);
    this.#bytes.set(bytes, at);
  }
  sized(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.raw(bytes);
  }
  text(text: string): void {
    this.sized(utf8.encode(text));
  }
  /** A copy of what was written. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#size);
  }

  /** Where the next bytes go. The buffer may be another one after it. */
  #more(size: number): number {
    const at = this.#size;
    if (at + size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, at + size));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    this.#size = at + size;
    return at;
  }
}
