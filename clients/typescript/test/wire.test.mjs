// The codec, against the golden vectors that every client is tested with.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { module, ofRepository } from './dist.mjs';

const wire = await module('wire.js');
const { BadBytes, bytesOfHex, hexOf, Reader, Writer } = await module('bytes.js');
const vectors = JSON.parse(
  readFileSync(ofRepository('tests/nodes/gate/vectors/client_frames.json'), 'utf8'),
);

const kNumbers64 = new Set(
  'features schema here c u time ahead login up_seen up_done epoch counter open'.split(' '),
);
const kBytes = new Set('proof reentry body properties answer arguments'.split(' '));
const kNames = { types: 'signature', arguments: 'args' };
const kWaits = [, 'place', 'account', 'subject', 'gate'];
const kOver = [, 'replaced', 'switched', 'away', 'too_slow', 'ended', 'fault'];
const kPackets = [, 'full', 'call', 'news', 'reply'];
[kPackets[8], kPackets[16], kPackets[17]] = ['over', 'spoken', 'ended'];
const kReasons = Object.fromEntries(Object.entries(wire.kCloseReasons).map(([a, b]) => [b, a]));
const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** A vector's fields as this client has them. */
function fieldsOf(fields, what) {
  const out = {};
  for (const [name, value] of Object.entries(fields)) {
    const to = kNames[name] ?? camel(name);
    if (name === 'reason') out[to] = what === 'over' ? kOver[value] : kReasons[value];
    else if (name === 'what') out[to] = kWaits[value];
    else if (name === 'kind') out[to] = kPackets[value];
    else if (kBytes.has(name)) out[to] = bytesOfHex(value);
    else if (name === 'open') out[to] = value.map(BigInt);
    else if (kNumbers64.has(name)) out[to] = BigInt(value);
    else if (typeof value === 'object' && !Array.isArray(value)) out[to] = fieldsOf(value);
    else out[to] = value;
  }
  return out;
}
const cap = (name) => name[0].toUpperCase() + name.slice(1);
const decoders = { client: wire.decodeFromClient, gate: wire.decodeToClient };
const encoders = { client: wire.encodeFromClient, gate: wire.encodeToClient };

test('each golden frame is read and written', () => {
  for (const { name, from, frame, fields, hex } of vectors.frames) {
    const value = { type: frame[0].toLowerCase() + frame.slice(1), ...fieldsOf(fields, frame) };
    assert.deepEqual(decoders[from](bytesOfHex(hex)), value, name);
    assert.equal(hexOf(encoders[from](value)), hex, name);
  }
});

test('each golden body is read and written', () => {
  for (const { name, packet, fields, hex } of vectors.bodies) {
    const value = fieldsOf(fields, packet);
    assert.deepEqual(wire['decode' + cap(packet)](bytesOfHex(hex)), value, name);
    assert.equal(hexOf(wire['encode' + cap(packet)](value)), hex, name);
  }
});

test('each malformed vector is refused for its reason', () => {
  for (const { name, from, packet, hex, refusal } of vectors.malformed) {
    const decode = from ? decoders[from] : wire['decode' + cap(packet)];
    assert.throws(() => decode(bytesOfHex(hex)), { name: 'BadBytes', code: refusal }, name);
  }
});

test('each frame is refused when it is cut anywhere, or longer', () => {
  for (const { name, from, frame, hex } of vectors.frames) {
    const bytes = bytesOfHex(hex);
    const decode = decoders[from];
    const least = frame === 'Packet' ? hex.length / 2 - vectorBody(name) : bytes.length;
    for (let size = 0; size < Math.min(least, 600); size++) {
      assert.throws(() => decode(bytes.subarray(0, size)), BadBytes, `${name} cut at ${size}`);
    }
    if (frame === 'Packet') continue;
    assert.throws(() => decode(Uint8Array.of(...bytes, 0)), { code: 'trailing' }, name);
  }
});
function vectorBody(name) {
  return vectors.frames.find((one) => one.name === name).fields.body.length / 2;
}

test('any byte that is changed gives a frame or a typed error', () => {
  for (const { from, hex } of vectors.frames) {
    const bytes = bytesOfHex(hex);
    for (let at = 0; at < Math.min(bytes.length, 80); at++) {
      for (const value of [0, 1, 0x7f, 0x80, 0xff, bytes[at] ^ 0x10]) {
        const other = bytes.slice();
        other[at] = value;
        let read;
        try {
          read = decoders[from](other);
        } catch (error) {
          assert.ok(error instanceof BadBytes, String(error));
          continue;
        }
        assert.equal(hexOf(encoders[from](read)), hexOf(other)); // one form
      }
    }
  }
});

test('what a form cannot hold is refused where it is made', () => {
  const ask = { type: 'ask', u: 1n, bind: wire.kNoBind, body: new Uint8Array(65_537) };
  assert.throws(() => wire.encodeFromClient(ask), { code: 'too_large' });
  assert.throws(() => wire.encodeFromClient({ type: 'ack', c: -1n }), { code: 'malformed' });
  assert.throws(() => wire.encodeFromClient({ type: 'ack', c: 1n << 64n }), { code: 'malformed' });
  const login = { type: 'login', method: 'ü'.repeat(17), account: '', proof: new Uint8Array() };
  assert.throws(() => wire.encodeFromClient(login), { code: 'too_large' });
});

test('numbers have one form over all of 64 bits', () => {
  for (const value of [0n, 127n, 128n, 2n ** 49n - 1n, 2n ** 49n, 2n ** 53n + 1n, 2n ** 64n - 1n]) {
    const out = new Writer();
    out.varint(value);
    assert.equal(new Reader(out.bytes()).varint(), value);
    if (value > 2n ** 53n) continue;
    const plain = new Writer();
    plain.varint(Number(value));
    assert.equal(hexOf(plain.bytes()), hexOf(out.bytes()));
  }
});
