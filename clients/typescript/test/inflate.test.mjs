// Deflated packets, against the vectors that every client is tested with; and the order of frames
// around them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import * as zlib from 'node:zlib';
import { module, ofRepository } from './dist.mjs';

const { nodeInflate, bytesOfHex, hexOf } = await module('node.js');
const { Inflater, platformInflate } = await module('inflate.js');
const limits = await module('limits.js');
const wire = await module('wire.js');
const { packets } = JSON.parse(
  readFileSync(ofRepository('tests/nodes/gate/vectors/deflated_packets.json'), 'utf8'),
);

const later = async (bytes, most) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return nodeInflate(bytes, most);
};
// Node has the browser's way since 20.12, but for bytes after the end, which it does not see.
const platform = platformInflate();
const ways = [nodeInflate, later, platform].filter((way) => way !== undefined);
const rest = () => new Promise((resolve) => setTimeout(resolve, 30));

test('each golden packet is inflated, and what is none is left to the decoder', async () => {
  for (const way of ways) {
    for (const { name, deflated, plain } of packets) {
      if (way === platform && name === 'bytes after the end') continue;
      const told = [];
      const frames = new Inflater(way, (frame) => told.push(hexOf(frame)));
      assert.ok(frames.push(bytesOfHex(deflated)));
      for (let i = 0; i < 50 && told.length === 0; ++i) await rest();
      assert.deepEqual(told, [plain ?? deflated], name);
      if (plain === undefined) assert.throws(() => wire.decodeToClient(bytesOfHex(deflated)), name);
    }
  }
});

test('frames behind a packet that is being inflated wait for it', async () => {
  const told = [];
  const frames = new Inflater(later, (frame) => told.push(hexOf(frame)));
  const expected = [];
  for (let i = 0; i < 20; ++i) {
    const { deflated, plain } = packets[i % 3];
    frames.push(bytesOfHex(deflated));
    frames.push(Uint8Array.of(69, i));
    expected.push(plain, hexOf(Uint8Array.of(69, i)));
  }
  assert.deepEqual(told, []);
  while (told.length < expected.length) await rest();
  assert.deepEqual(told, expected);
});

test('a bomb is no more than its bytes', async () => {
  const bomb = zlib.deflateRawSync(new Uint8Array(64 * 1024 * 1024), { level: 9 });
  const frame = Uint8Array.of(196, 1, 2, ...bomb);
  for (const way of ways) {
    const told = [];
    new Inflater(way, (bytes) => told.push(bytes.length)).push(frame);
    for (let i = 0; i < 100 && told.length === 0; ++i) await rest();
    assert.deepEqual(told, [frame.length]);
  }
  const most = zlib.deflateRawSync(new Uint8Array(limits.kPacketBytes));
  assert.equal(nodeInflate(most, limits.kPacketBytes).length, limits.kPacketBytes);
});

test('what waits is bounded', () => {
  const frames = new Inflater(() => new Promise(() => {}), () => {});
  assert.ok(frames.push(bytesOfHex(packets[0].deflated)));
  const large = new Uint8Array(1024 * 1024);
  for (let i = 0; i < limits.kInflateBytes / large.length; ++i) assert.ok(frames.push(large));
  assert.ok(!frames.push(large));
});

test('without a way to inflate all frames go through', () => {
  const told = [];
  new Inflater(undefined, (frame) => told.push(frame[0])).push(bytesOfHex(packets[0].deflated));
  assert.deepEqual(told, [196]);
});
