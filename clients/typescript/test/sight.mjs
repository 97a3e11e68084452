// Bodies of sight for tests, as docs/reference/client-protocol.md has them.
import { module, ofRepository } from './dist.mjs';
import { readFileSync } from 'node:fs';

const { Writer } = await module('bytes.js');
const { bytesOfHex } = await module('index.js');

const i32 = (out, value) => out.u32(value >>> 0);
const kNothing = new Uint8Array();

/** A body of these records. */
export function sight(...records) {
  const out = new Writer();
  out.byte(1);
  for (const record of records) record(out);
  return out.bytes();
}
export const scene = (number, fields = {}) => (out) => {
  const { space = 'space/town', grid = [0, 0, 0], tickMs = 100, time = 1000 } = fields;
  const { epoch = 1, move = kNothing, setup = kNothing } = fields;
  out.byte(1);
  out.varint(number);
  out.text(space);
  for (const origin of grid) i32(out, origin);
  out.varint(tickMs);
  out.u32(time);
  out.u32(epoch);
  out.sized(move);
  out.sized(setup);
};
export const enter = (index, id, className, { move = kNothing, properties = kNothing } = {}) =>
  (out) => {
    out.byte(2);
    out.varint(index);
    out.varint(id);
    out.text(className);
    out.sized(move);
    out.sized(properties);
  };
export const leave = (index) => (out) => {
  out.byte(3);
  out.varint(index);
};
export const news = (index, changes) => (out) => {
  out.byte(4);
  out.varint(index);
  out.sized(changes);
};
/** Must be the last. */
export const moves = (epoch, time, ...movers) => (out) => {
  out.byte(5);
  out.byte(1);
  out.u32(epoch);
  out.u32(7);
  out.u32(time);
  for (const [index, body] of movers) {
    out.byte(index & 0xff);
    out.byte(index >> 8);
    out.raw(body);
  }
};
/** A body of one that walks: coarse, on the ground. */
export function walk(x, y, { age = 0, odd = false } = {}) {
  const word = 2n + (odd ? 32n : 0n) + (steps(x) << 6n) + (steps(y) << 27n);
  const bytes = Array.from({ length: 6 }, (_, at) => Number((word >> BigInt(8 * at)) & 0xffn));
  return Uint8Array.of(...bytes, age / 2, 0x40);
}
const steps = (metres) => BigInt(Math.round(metres * 100) + 1_048_576);

/** The schema of heroes, which others see, too. */
export const vectors = JSON.parse(
  readFileSync(ofRepository('tests/clients/vectors/values.json'), 'utf8'),
);
const hero = vectors.schema.properties.find(({ name }) => name.endsWith('::Hero'));
const kLineage = [9, 0, 0, 0];

/** What others see of a hero: nick, mood, at, stats, items. */
export function heroSeen(nick, mood, { hash = hero.hash, view = 1, stamp = 5 } = {}) {
  const out = new Writer();
  out.raw(Uint8Array.of(0xa2, view, ...bytesOfHex(hash).reverse(), ...kLineage, 2, stamp));
  out.raw(Uint8Array.of(0, 0, 0, 0, 0, 2));
  out.text(nick);
  out.raw(Uint8Array.of(4, 2 * mood, 5));
  out.f32(1.5);
  out.f32(-2);
  out.raw(Uint8Array.of(7, 1, 6, 0, 11, 0, 0));
  return out.bytes();
}
/** Its mood has changed with the tick after `since`. */
export function moodChanged(mood, since = 5) {
  return Uint8Array.of(0xd2, 1, ...kLineage, since, 1, 1, 3, 0x09, 4, 2 * mood);
}
