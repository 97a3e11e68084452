// Values, calls and properties, against what tests/clients/values/values_test.cpp writes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { module, ofRepository } from './dist.mjs';

const { Bag, BadBytes, Replica, Schema, bytesOfHex, decodeValues, encodeValues, hexOf, methodId } =
  await module('index.js');
const { decodeAnswer, encodeAsk } = await module('rpc.js');
const { Writer } = await module('bytes.js');
const { Classes } = await module('replica.js');
const limits = await module('limits.js');
const vectors = JSON.parse(
  readFileSync(ofRepository('tests/clients/vectors/values.json'), 'utf8'),
);
const schema = new Schema(vectors.schema);

/** A value of the vectors as this client has it. */
function valueOf(type, shown) {
  if (type === 'i64' || type === 'u64') return BigInt(shown);
  if (type === 'bytes') return bytesOfHex(shown);
  if (typeof type === 'string' || type.enum || type.ref) return shown;
  if (type.duration) return valueOf(type.duration, shown);
  if (type.optional) return shown === null ? null : valueOf(type.optional, shown);
  if (type.tuple) return shown.map((one, at) => valueOf(type.tuple[at], one));
  if (type.variant) {
    return { index: shown.index, value: valueOf(type.variant[shown.index], shown.value) };
  }
  if (type.map) {
    return new Map(Object.entries(shown).map(([key, one]) => [key, valueOf(type.map[1], one)]));
  }
  if (type.struct) {
    const fields = vectors.schema.structs[type.struct].map(({ name, type: part }, at) => {
      return [name ?? `_${at + 1}`, part];
    });
    return Object.fromEntries(fields.map(([name, part]) => [name, valueOf(part, shown[name])]));
  }
  const each = type.list ?? type.set ?? type.array;
  return shown.map((one) => valueOf(each, one));
}

test('each golden value is written and read', () => {
  for (const { type, hex, value: shown } of vectors.values) {
    const value = valueOf(type, shown);
    const codec = schema.codec(type);
    assert.equal(hexOf(encodeValues([codec], [value])), hex, JSON.stringify(type));
    assert.deepEqual(decodeValues([codec], bytesOfHex(hex)), [value], JSON.stringify(type));
  }
});

test('each value is refused when it is cut anywhere, or longer', () => {
  for (const { type, hex } of vectors.values) {
    const bytes = bytesOfHex(hex);
    const codecs = [schema.codec(type)];
    for (let size = 0; size < bytes.length; size++) {
      assert.throws(() => decodeValues(codecs, bytes.subarray(0, size)), BadBytes);
    }
    assert.throws(() => decodeValues(codecs, Uint8Array.of(...bytes, 0)), { code: 'trailing' });
  }
});

test('values of another type are refused', () => {
  const wrong = [
    ['i8', 128], ['u8', -1], ['i32', 1.5], ['i32', 2 ** 31], ['u32', '1'], ['u64', -1n],
    ['i64', 2n ** 63n], ['i64', 2 ** 53], ['bool', 1], ['string', 5], ['bytes', [1]], ['f64', '1'],
    [{ list: 'i32' }, {}], [{ map: ['string', 'i32'] }, {}], [{ tuple: ['i32'] }, [1, 2]],
    [{ variant: ['i32'] }, { index: 1, value: 2 }],
  ];
  for (const [type, value] of wrong) {
    const encode = () => encodeValues([schema.codec(type)], [value]);
    assert.throws(encode, { code: 'malformed' }, JSON.stringify(type));
  }
  assert.throws(() => encodeValues([schema.codec('i32')], []), { code: 'malformed' });
  assert.throws(() => schema.codec({ opaque: 'x' }), /no form as a value/);
  assert.throws(() => schema.codec('i128'), /unknown type/);
  assert.throws(() => schema.codec({ struct: 'none' }), /no struct none/);
});

test('a count, a size and a depth are bounded before anything is allocated', () => {
  const huge = bytesOfHex('ffffffff0f');
  for (const type of ['string', 'bytes', { list: 'i32' }, { map: ['i32', 'i32'] }]) {
    assert.throws(() => decodeValues([schema.codec(type)], huge), { code: 'truncated' });
  }
  const many = new Uint8Array(limits.kArchiveElements + 4);
  many.set(bytesOfHex('818040')); // kArchiveElements + 1 elements of a byte
  const list = [schema.codec({ list: 'u8' })];
  assert.throws(() => decodeValues(list, many), { code: 'too_large' });
  const tree = [schema.codec({ struct: 'starbus::clients_test::Tree' })];
  assert.throws(() => decodeValues(tree, bytesOfHex('0201'.repeat(100))), { code: 'too_deep' });
  const endless = { value: 1, below: [] };
  endless.below.push(endless);
  assert.throws(() => encodeValues(tree, [endless]), { code: 'too_deep' });
  const large = new Uint8Array(limits.kArchiveBytes + 1);
  assert.throws(() => decodeValues([], large), { code: 'too_large' });
});

test('calls and answers are those of the server', () => {
  for (const { method: name, arguments: shown, hex } of vectors.calls) {
    const method = schema.method(name);
    assert.equal(method.id, methodId(name));
    const { arguments: types } = vectors.schema.rpc.classes[0].methods.find(
      (one) => 'shop.' + one.name === name,
    );
    const args = types.map((type, at) => valueOf(type, shown[at]));
    assert.equal(hexOf(encodeAsk(method, args)), hex, name);
  }
  for (const { method: name, hex, outcome } of vectors.answers) {
    const { name: code, ...read } = decodeAnswer(schema.method(name), bytesOfHex(hex));
    const expected = { ...outcome };
    if (outcome.fate === 'failed') assert.equal(code, outcome.name ?? '1.1');
    delete expected.name;
    if (read.value === undefined) delete read.value;
    assert.deepEqual(read, expected);
    for (let size = 0; size < hex.length / 2; size++) {
      const cut = bytesOfHex(hex).subarray(0, size);
      assert.throws(() => decodeAnswer(schema.method(name), cut), BadBytes);
    }
  }
  assert.equal(schema.method('shop.none'), undefined);
});

// --- properties ----------------------------------------------------------------------------------

/** A state as the server's inspection shows it. */
function shownOf(value) {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(shownOf);
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, one]) => [String(key), shownOf(one)]));
  }
  if (value instanceof Bag) {
    const rows = [...value].map(([key, item]) => {
      return [String(key), { slot: value.slotOf(key), item: shownOf(item) }];
    });
    return Object.fromEntries(rows);
  }
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shownOf(one)]));
}
/** Without the fields that the own client does not see: a replica in C++ shows their defaults. */
const kHidden = ['hidden', 'mood', 'glow', 'price'];
/** Likewise, that others do not see. */
const kHiddenFromOthers = 'hidden gold route marks prices places count price flaw seen'.split(' ');
function seenOf(shown, hidden = kHidden) {
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) return shown;
  const seen = Object.entries(shown).filter(([name]) => !hidden.includes(name));
  return Object.fromEntries(seen.map(([name, one]) => [name, seenOf(one, hidden)]));
}
const apply = (replica, { kind, hex }) => {
  const bytes = bytesOfHex(hex);
  return kind === 'snapshot' ? replica.applySnapshot(bytes) : replica.applyDelta(bytes);
};
const from = (what) => vectors.steps.findIndex((step) => step.what === what);
/** A replica that has taken the steps before one. */
function before(at) {
  const replica = new Replica(schema);
  for (const step of vectors.steps.slice(0, at)) apply(replica, step);
  return replica;
}

test('the recorded snapshot and changes make the recorded states', () => {
  const replica = new Replica(schema);
  for (const step of vectors.steps) {
    assert.ok(apply(replica, step).length > 0, step.what);
    assert.deepEqual(shownOf(replica.state), seenOf(step.state), step.what);
  }
  assert.equal(replica.className, vectors.class);
  assert.equal(replica.state.gold, 105n);
  assert.equal(replica.state.items.at(3), 1001n);
  assert.equal(replica.state.items.get(1001n).count, 77);
});

test('what others see makes the recorded states, too', () => {
  const replica = new Replica(new Classes(schema, 'other_clients'));
  for (const step of vectors.seen) {
    assert.ok(apply(replica, step).length > 0, step.what);
    assert.deepEqual(shownOf(replica.state), seenOf(step.state, kHiddenFromOthers), step.what);
  }
  assert.throws(() => apply(replica, vectors.steps[0]), { code: 'wrong_audience' });
  assert.throws(() => apply(new Replica(schema), vectors.seen[0]), { code: 'wrong_audience' });
});

test('what is held of a state stays true', () => {
  const replica = before(1);
  const { state } = replica;
  const { stats } = state;
  for (const step of vectors.steps.slice(1, 4)) apply(replica, step);
  assert.equal(replica.state, state);
  assert.equal(stats.strength, 9);
});

test('changes are told with their paths', () => {
  const replica = before(1);
  const told = [];
  for (const step of vectors.steps.slice(1)) told.push(...apply(replica, step));
  const has = (path, operation) =>
    assert.ok(
      told.some((one) => one.operation === operation && one.path.join('/') === path.join('/')),
      `${operation} of ${path.join('/')}`,
    );
  has(['gold'], 'set');
  has(['stats', 'strength'], 'set');
  has(['marks', 1], 'list_insert');
  has(['prices', 'bow'], 'map_erase');
  has(['items', 1001n, 'count'], 'set');
  has(['items', 1001n, 'gems', 'ruby'], 'bag_insert');
  has(['items', 1001n, 'gems', 'ruby', 'flaw'], 'set');
  has([], 'set'); // a snapshot
  has(['prices', 'a'], 'gone');
  has(['nick'], 'whole');
});

test('a change that is repeated is skipped, and one that is missing is a gap', () => {
  const replica = before(3);
  assert.deepEqual(apply(replica, vectors.steps[2]), []);
  const state = shownOf(replica.state);
  assert.throws(() => apply(replica, vectors.steps[4]), { code: 'gap' });
  assert.deepEqual(shownOf(replica.state), state);
  apply(replica, vectors.steps[3]);
  const all = before(vectors.steps.length);
  assert.deepEqual(apply(all, vectors.steps.at(-1)), []);
  assert.throws(() => apply(new Replica(schema), vectors.steps[1]), { code: 'gap' });
  const other = bytesOfHex(vectors.steps[3].hex);
  other[2] ^= 1; // another lineage
  assert.throws(() => replica.applyDelta(other), { code: 'gap' });
});

test('a batch that is cut or damaged is taken whole or not at all', () => {
  for (let at = 1; at < vectors.steps.length; at++) {
    const step = vectors.steps[at];
    const bytes = bytesOfHex(step.hex);
    const replica = before(at);
    const state = shownOf(replica.state);
    const tries = [];
    for (let size = 0; size < bytes.length; size++) tries.push(bytes.slice(0, size));
    for (let where = 0; where < Math.min(bytes.length, 120); where++) {
      for (const value of [0, 0xff, bytes[where] + 1]) {
        const other = bytes.slice();
        other[where] = value;
        tries.push(other);
      }
    }
    for (const other of tries) {
      try {
        if (step.kind === 'snapshot') replica.applySnapshot(other);
        else replica.applyDelta(other);
      } catch (error) {
        assert.ok(error instanceof BadBytes, `${step.what}: ${error.stack}`);
        assert.deepEqual(shownOf(replica.state), state, step.what);
        continue;
      }
      // It was another change that fits: begin again.
      for (const former of vectors.steps.slice(0, at)) apply(replica, former);
      assert.deepEqual(shownOf(replica.state), state, step.what);
    }
  }
});
test('a snapshot of another class, audience or length is refused', () => {
  const bytes = bytesOfHex(vectors.steps[0].hex);
  const replica = new Replica(schema);
  const changed = (at, value) => {
    const other = bytes.slice();
    other[at] = value;
    return () => replica.applySnapshot(other);
  };
  assert.throws(changed(0, 0xd2), { code: 'malformed' });
  assert.throws(changed(1, 1), { code: 'wrong_audience' });
  assert.throws(changed(2, bytes[2] ^ 1), { code: 'schema_mismatch' });
  assert.throws(() => replica.applySnapshot(Uint8Array.of(...bytes, 0)), { code: 'trailing' });
  assert.equal(replica.state, undefined);
});

test('newest values of an item are taken back with what comes after them', () => {
  const at = from('snapshot with everything');
  const replica = before(at + 1);
  const state = shownOf(replica.state);
  const out = new Writer();
  out.raw(bytesOfHex(vectors.steps.at(-1).hex).slice(0, 8)); // from, and 5 ticks more
  const item = [0x09, 11, ...bytesOfHex('d20f'), 2, 1, 9, 2, 9, 5, 0, 0];
  out.raw(Uint8Array.from(item));
  const good = before(at + 1);
  good.applyDelta(out.bytes());
  assert.equal(good.state.items.get(1001n).kind, -5);
  assert.equal(good.state.items.slotOf(1001n), 2);
  out.raw(Uint8Array.of(0x11, 11, 2, 0x09, 3)); // an item that is gone, and a field that is not
  assert.throws(() => replica.applyDelta(out.bytes()), { code: 'malformed' });
  assert.deepEqual(shownOf(replica.state), state);
});

test('a bag has no more than its capacity, keys of kMaxKey and lists of kMaxElements', () => {
  const start = vectors.steps[0];
  const delta = (...changes) => {
    const out = new Writer();
    out.raw(bytesOfHex(vectors.steps[1].hex).slice(0, 6)); // with the lineage
    const body = new Writer();
    for (const change of changes) body.raw(Uint8Array.from(change));
    for (const number of [1, 1, 1]) out.varint(number);
    out.sized(body.bytes());
    return out.bytes();
  };
  const applying = (...changes) => {
    const replica = new Replica(schema);
    apply(replica, start);
    return () => replica.applyDelta(delta(...changes));
  };
  const insert = (key, slot) => [0x49, 11, key, slot, 1, 0, 2, 0, 5, 0, 0];
  applying(insert(2, 0), insert(4, 1))();
  assert.throws(applying(insert(2, 0), insert(2, 1)), { code: 'desync' });
  assert.throws(applying(insert(2, 0), insert(4, 0)), { code: 'desync' });
  assert.throws(applying(insert(2, 4)), { code: 'desync' });
  const put = (size) => [0x39, 9, size, ...new Array(size).fill(65), 2];
  applying(put(limits.kMaxKey))();
  assert.throws(applying(put(limits.kMaxKey + 1)), { code: 'malformed' });
  assert.throws(applying(put(0)), { code: 'malformed' });
  const three = (count) => [(count & 0x7f) | 0x80, ((count >> 7) & 0x7f) | 0x80, count >> 14];
  const texts = (count) => [9, 8, ...three(count), ...new Array(count).fill(0)];
  applying(texts(limits.kMaxElements))();
  assert.throws(applying(texts(limits.kMaxElements), [0x11, 8, 0]), { code: 'desync' });
  assert.throws(applying(texts(limits.kMaxElements + 1)), { code: 'too_large' });
});
