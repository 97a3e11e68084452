/**
 * Values as the server's archive has them: arguments and results of calls, and what properties
 * consist of. docs/guide/properties.md, section "Values: the archive", has the bytes.
 *
 *   bool                     boolean
 *   8 to 32 bits, f32, f64   number
 *   i64, u64                 bigint
 *   string, ref              string; bytes that are not UTF-8 are read as U+FFFD
 *   bytes                    Uint8Array
 *   list, set, array, tuple  array
 *   map                      Map; texts and numbers are found by value in it
 *   optional                 the value, or null
 *   variant                  {index, value}
 *   duration                 its count
 *   struct                   object; fields without a name are _1, _2, ...
 */
import { BadBytes, Reader, Writer } from './bytes.js';
import * as limits from './limits.js';
import type { TypeDoc } from './schema.js';

/** Reads values within the bounds of an archive. */
export class ValueReader extends Reader {
  #elements = limits.kArchiveElements;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    super(bytes);
    if (bytes.length > limits.kArchiveBytes) throw new BadBytes('too_large');
  }
  /** The number of elements of a container. */
  count(): number {
    const count = this.size(this.#elements);
    this.#elements -= count;
    return count;
  }
  nested<T>(read: () => T): T {
    if (++this.#depth > limits.kArchiveDepth) throw new BadBytes('too_deep');
    const value = read();
    this.#depth -= 1;
    return value;
  }
}

/** Writes values within these bounds. */
export class ValueWriter extends Writer {
  #depth = 0;

  nested(write: () => void): void {
    if (++this.#depth > limits.kArchiveDepth) throw new BadBytes('too_deep');
    write();
    this.#depth -= 1;
    if (this.size > limits.kArchiveBytes) throw new BadBytes('too_large');
  }
}

/** Writes and reads values of one type. Both throw BadBytes. */
export interface Codec {
  put(out: ValueWriter, value: any): void;
  get(from: ValueReader): any;
}

function wrong(value: unknown, type: string): never {
  throw new BadBytes('malformed', `${String(value)} is not of type ${type}`);
}

function intCodec(name: string, bits: number, signed: boolean): Codec {
  const least = signed ? -(2 ** (bits - 1)) : 0;
  const most = 2 ** (signed ? bits - 1 : bits) - 1;
  const check = (value: unknown): number =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      ? (value as number)
      : wrong(value, name);
  if (bits === 8) {
    return {
      put: (out, value) => out.byte(check(value) & 0xff),
      get: (from) => (signed ? (from.byte() << 24) >> 24 : from.byte()),
    };
  }
  if (!signed) {
    return { put: (out, value) => out.varint(check(value)), get: (from) => from.small(most) };
  }
  return {
    put: (out, value) => out.varint(check(value) < 0 ? -2 * value - 1 : 2 * value),
    get(from) {
      const zigzag = from.small(2 * most + 1);
      return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    },
  };
}
function bigintOf(value: unknown, name: string): bigint {
  if (typeof value === 'bigint') return value;
  return Number.isSafeInteger(value) ? BigInt(value as number) : wrong(value, name);
}
const u64: Codec = {
  put(out, value) {
    const wide = bigintOf(value, 'u64');
    if (BigInt.asUintN(64, wide) !== wide) wrong(value, 'u64');
    out.varint(wide);
  },
  get: (from) => from.varint(),
};
const i64: Codec = {
  put(out, value) {
    const wide = bigintOf(value, 'i64');
    if (BigInt.asIntN(64, wide) !== wide) wrong(value, 'i64');
    out.varint(wide < 0n ? -2n * wide - 1n : 2n * wide);
  },
  get(from) {
    const zigzag = from.varint();
    return (zigzag & 1n) === 0n ? zigzag >> 1n : -(zigzag >> 1n) - 1n;
  },
};
function floatCodec(name: 'f32' | 'f64'): Codec {
  return {
    put(out, value) {
      if (typeof value !== 'number') wrong(value, name);
      out[name](value);
    },
    get: (from) => from[name](),
  };
}
const bool: Codec = {
  put: (out, value) => out.byte(typeof value === 'boolean' ? Number(value) : wrong(value, 'bool')),
  get(from) {
    const value = from.byte();
    return value > 1 ? wrong(value, 'bool') : value === 1;
  },
};
const string: Codec = {
  put: (out, value) => out.text(typeof value === 'string' ? value : wrong(value, 'string')),
  get: (from) => from.anyText(limits.kArchiveBytes),
};
const bytes: Codec = {
  put: (out, value) => out.sized(value instanceof Uint8Array ? value : wrong(value, 'bytes')),
  get: (from) => from.take(from.count()),
};
const plain: Readonly<Record<string, Codec>> = {
  bool,
  string,
  bytes,
  i8: intCodec('i8', 8, true),
  i16: intCodec('i16', 16, true),
  i32: intCodec('i32', 32, true),
  i64,
  u8: intCodec('u8', 8, false),
  u16: intCodec('u16', 16, false),
  u32: intCodec('u32', 32, false),
  u64,
  f32: floatCodec('f32'),
  f64: floatCodec('f64'),
};

function listOf(each: Codec): Codec {
  return {
    put(out, value) {
      if (!Array.isArray(value)) wrong(value, 'list');
      out.nested(() => {
        out.varint(value.length);
        for (const one of value) each.put(out, one);
      });
    },
    get: (from) =>
      from.nested(() => {
        const value: unknown[] = [];
        for (let left = from.count(); left > 0; left--) value.push(each.get(from));
        return value;
      }),
  };
}
function mapOf(key: Codec, each: Codec): Codec {
  return {
    put(out, value) {
      if (!(value instanceof Map)) wrong(value, 'map');
      out.nested(() => {
        out.varint(value.size);
        for (const [name, one] of value) key.put(out, name), each.put(out, one);
      });
    },
    get: (from) =>
      from.nested(() => {
        const value = new Map<unknown, unknown>();
        for (let left = from.count(); left > 0; left--) {
          const name = key.get(from);
          value.set(name, each.get(from));
        }
        return value;
      }),
  };
}
/** Parts one after the other; a value takes a byte or more. */
function partsOf(parts: readonly Codec[]): Codec {
  return {
    put(out, value) {
      if (!Array.isArray(value) || value.length !== parts.length) wrong(value, 'tuple');
      out.nested(() => {
        parts.forEach((part, at) => part.put(out, value[at]));
        if (parts.length === 0) out.byte(0);
      });
    },
    get: (from) =>
      from.nested(() => {
        const value = parts.map((part) => part.get(from));
        if (parts.length === 0) from.small(0);
        return value;
      }),
  };
}
function arrayOf(each: Codec, size: number): Codec {
  return partsOf(new Array<Codec>(size).fill(each));
}
function optionalOf(each: Codec): Codec {
  return {
    put(out, value) {
      bool.put(out, value === null);
      if (value !== null) out.nested(() => each.put(out, value));
    },
    get: (from) => (bool.get(from) ? null : from.nested(() => each.get(from))),
  };
}
/** One of several types. */
export interface Variant {
  readonly index: number;
  readonly value: unknown;
}
function variantOf(parts: readonly Codec[]): Codec {
  const i32 = plain['i32']!;
  const part = (index: number): Codec => parts[index] ?? wrong(index, 'variant');
  return {
    put(out, value: Variant) {
      const codec = part(value.index);
      i32.put(out, value.index);
      out.nested(() => codec.put(out, value.value));
    },
    get(from): Variant {
      const index = i32.get(from);
      return { index, value: from.nested(() => part(index).get(from)) };
    },
  };
}

/** The codec of a type; `struct` gives those of classes. Throws for one that has none. */
export function codecOf(type: TypeDoc, struct: (name: string) => Codec): Codec {
  const of = (part: TypeDoc): Codec => codecOf(part, struct);
  if (typeof type === 'string') {
    const known = plain[type];
    if (known === undefined) throw new Error(`schema: unknown type ${type}; update the client`);
    return known;
  }
  if ('enum' in type) return of(type.of);
  if ('list' in type) return listOf(of(type.list));
  if ('set' in type) return listOf(of(type.set));
  if ('map' in type) return mapOf(of(type.map[0]), of(type.map[1]));
  if ('array' in type) return arrayOf(of(type.array), type.size);
  if ('optional' in type) return optionalOf(of(type.optional));
  if ('variant' in type) return variantOf(type.variant.map(of));
  if ('tuple' in type) return partsOf(type.tuple.map(of));
  if ('duration' in type) return of(type.duration);
  if ('struct' in type) return struct(type.struct);
  if ('ref' in type) return string;
  throw new Error(`schema: ${JSON.stringify(type)} has no form as a value; change the method`);
}

/** Values one after the other. */
export function encodeValues(codecs: readonly Codec[], values: readonly unknown[]): Uint8Array {
  if (values.length !== codecs.length) wrong(`${values.length} values`, `${codecs.length} values`);
  const out = new ValueWriter();
  codecs.forEach((codec, at) => codec.put(out, values[at]));
  return out.bytes();
}
/** Exactly these values. */
export function decodeValues(codecs: readonly Codec[], bytes: Uint8Array): unknown[] {
  const from = new ValueReader(bytes);
  const values = codecs.map((codec) => codec.get(from));
  from.finish();
  return values;
}
