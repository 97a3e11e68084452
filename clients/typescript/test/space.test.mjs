// What a client sees of a space, and how it moves in it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { module, ofRepository } from './dist.mjs';
import { Gate, Play } from './gate.mjs';
import { enter, heroSeen, leave, moodChanged, moves, news, scene, sight, vectors, walk } from './sight.mjs';

const { BadBytes, Client, Schema, Session, Space, SpaceView, bytesOfHex, hexOf } =
  await module('index.js');
const { kCorrectMethod, kMoveMethod, kReadyMethod, kStill, reportValue } = await module('index.js');
const { encodeValues } = await module('values.js');
const wire = await module('wire.js');
const limits = await module('limits.js');
const { MoveDecoder, decodeSight } = await module('index.js');
const { moveFrom } = await module('space/moves.js');
const { ValueReader: Reader } = await module('values.js');
const text = readFileSync(ofRepository('tests/nodes/space_sight/vectors/sight.json'), 'utf8');
const golden = JSON.parse(text.replaceAll(/"id": (\d+)/g, '"id": "$1"')); // ids have 64 bits
const schema = new Schema(vectors.schema);

/** A view, and what it has told. */
function viewed(options = { schema }) {
  const view = new SpaceView(options);
  const told = [];
  view.on('scene', (of) => told.push(['scene', of?.number]));
  view.on('entered', (seen) => told.push(['entered', seen.index, seen.properties?.nick]));
  view.on('changed', ({ seen, changes }) => {
    told.push(['changed', seen.index, changes.map(({ path }) => path.join('/')).join()]);
  });
  view.on('left', (seen) => told.push(['left', seen.index]));
  return { view, told };
}
/** All of it, as plain values. */
const stateOf = (view) => ({
  scene: view.scene,
  seen: [...view.seen].map((seen) => [seen.index, { ...seen.properties }, seen.move]),
});

test('the methods of spaces have their numbers', () => {
  const numbers = [kReadyMethod, kMoveMethod, kCorrectMethod].map(({ id, signature }) => [id, signature]);
  assert.deepEqual(numbers, [
    [0xb56d09a9, 0x95d73699],
    [0x4f4e7d1f, 0x79d1b047],
    [0x83955e00, 0x48a4a144],
  ]);
});

test('a packet of sight is an event with its body', () => {
  const play = new Play(Session);
  play.start();
  const body = sight(scene(1));
  play.gate.packet('sight', body);
  play.work();
  assert.deepEqual(play.of('sight'), [{ type: 'sight', body }]);
  assert.equal(wire.decodeToClient(Uint8Array.of(68, 1, 9, 1)).kind, 'sight');
});

/** What the vectors say of a record, with moves as bytes. */
function recordOf(record, hex) {
  const move = (bytes, time, grid) => {
    const from = new Reader(bytesOfHex(bytes));
    return bytes === '' ? undefined : moveFrom(from, time, grid).move;
  };
  const { kind, index, id } = record;
  if (kind === 'leave') return { kind, index };
  if (kind === 'news') return { kind, index, changes: bytesOfHex(record.changes) };
  if (kind === 'enter') {
    const properties = bytesOfHex(record.properties);
    const place = move(record.move, hex.time, hex.grid);
    return { kind, enter: { index, id: BigInt(id), className: record.class, move: place, properties } };
  }
  const { number, space, tick_ms: tickMs, time, epoch } = record;
  const [x, y, z] = record.grid;
  const grid = { x, y, z };
  const place = move(record.move, time, grid);
  const setup = bytesOfHex(record.setup);
  return { kind, scene: { number, space, grid, tickMs, time, epoch, move: place, setup } };
}

test('golden bodies of sight are read', () => {
  const grid = { x: 0, y: 0, z: 0 };
  for (const { name, records, moves: batch, hex } of golden.bodies) {
    const read = decodeSight(bytesOfHex(hex), { grid, time: 77 });
    const moves = batch === '' ? [] : [new MoveDecoder().decode(bytesOfHex(batch))];
    const time = moves[0]?.time ?? 77;
    const want = records.map((record) => recordOf(record, { time, grid }));
    assert.deepEqual(read, [...want, ...moves.map((one) => ({ kind: 'moves', batch: one }))], name);
  }
  for (const { name, hex, error } of golden.malformed) {
    const read = () => decodeSight(bytesOfHex(hex), { grid, time: 77 });
    assert.throws(read, { code: error }, name);
  }
});

test('who is in sight enters, changes, moves and leaves', () => {
  const { view, told } = viewed();
  assert.equal(view.scene, undefined);
  view.take(sight(scene(1, { space: 'space/town', grid: [4000, -4000, 0], setup: [7] })), 50);
  assert.deepEqual(view.scene.grid, { x: 4000, y: -4000, z: 0 });
  assert.deepEqual([view.scene.space, [...view.scene.setup]], ['space/town', [7]]);
  const properties = heroSeen('ann', 1);
  view.take(
    sight(enter(1, 77n, 'hero', { properties, move: walk(3, 4) }), enter(500, 78n, 'tree')),
    60,
  );
  const [ann, tree] = view.seen;
  assert.deepEqual([ann.id, ann.className, tree.className], [77n, 'hero', 'tree']);
  assert.deepEqual([ann.properties.mood, ann.properties.stats.strength], [1, 3]);
  assert.deepEqual(ann.move.position, { x: 4003, y: -3996, z: 0 });
  assert.deepEqual([tree.properties, tree.move, tree.at(5)], [undefined, undefined, undefined]);
  view.take(sight(news(1, moodChanged(2)), moves(1, 1100, [1, walk(4, 4)], [9, walk(0, 0)])), 150);
  assert.equal(ann.properties.mood, 2);
  assert.equal(ann.move.position.x, 4004);
  assert.equal(ann.at(1050).position.x, 4003.5);
  view.take(sight(news(1, heroSeen('anna', 3, { stamp: 9 }))), 160);
  view.take(sight(leave(1), enter(1, 79n, 'tree')), 170);
  assert.deepEqual(told, [
    ['scene', 1],
    ['entered', 1, 'ann'],
    ['entered', 500, undefined],
    ['changed', 1, 'mood'],
    ['changed', 1, ''],
    ['left', 1],
    ['entered', 1, undefined],
  ]);
  assert.deepEqual([view.size, view.at(1).id, ann.properties.nick], [2, 79n, 'anna']);
});

test('a scene forgets what was seen, and a full state the scene', () => {
  const { view, told } = viewed();
  view.take(sight(scene(1), enter(1, 7n, 'tree')), 0);
  view.take(sight(enter(2, 8n, 'tree'), scene(2, { space: '', tickMs: 0 }), enter(1, 9n, 'tree')), 0);
  assert.deepEqual([...view.seen].map(({ id }) => id), [9n]);
  view.restart();
  view.restart();
  assert.deepEqual([view.size, view.scene], [0, undefined]);
  const after = [['scene', 2], ['entered', 1, undefined], ['scene', undefined]];
  assert.deepEqual(told, [['scene', 1], ['entered', 1, undefined], ...after]);
  assert.throws(() => view.take(sight(enter(1, 7n, 'tree')), 0), { code: 'malformed' });
});

test('what a server should not say is malformed, and nothing of it is taken', () => {
  const { view, told } = viewed();
  const good = [scene(7), enter(1, 7n, 'hero', { properties: heroSeen('ann', 1) })];
  view.take(sight(...good), 0);
  const state = stateOf(view);
  const before = told.length;
  const first = [news(1, moodChanged(2)), enter(2, 8n, 'tree'), leave(2)];
  const raw = (...bytes) => (out) => out.raw(Uint8Array.from(bytes));
  const bad = {
    malformed: [
      [raw(0)], [raw(6)], [raw(255)],
      [leave(3)], [leave(0)], [raw(3, 0x80, 0x80, 4)], [enter(1, 9n, 'tree')], [enter(0, 9n, 'tree')],
      [news(3, moodChanged(3, 6))], [leave(1), news(1, moodChanged(3, 6))],
      [moves(7, 1100, [0, walk(1, 1)])], [moves(7, 1, [1, [6]])],
      [raw(3)], [raw(2, 9)], [raw(4, 1, 5, 1)], [raw(5, 1, 0)],
      [enter(3, 9n, 'tree', { move: Uint8Array.of(...walk(1, 1), 0) })],
    ],
    too_large: [
      [enter(3, 9n, 'tree', { move: new Uint8Array(limits.kMoveBytes + 1) })],
      [enter(3, 9n, 'x'.repeat(limits.kSeenClass + 1))],
      [scene(8, { space: 'x'.repeat(limits.kSpaceName + 1) })],
      [scene(8, { setup: new Uint8Array(limits.kSetupBytes + 1) })],
      [moves(7, 1, [1, new Uint8Array(limits.kMoveBatchBytes)])],
    ],
    wrong_audience: [[news(1, heroSeen('bob', 1, { view: 2 }))]],
    gap: [[news(1, moodChanged(3, 9))], [enter(3, 9n, 'tree'), news(3, moodChanged(3))]],
    newer_format: [[raw(5, 2)]],
  };
  for (const [code, bodies] of Object.entries(bad)) {
    for (const records of bodies) {
      const body = sight(...first, ...records);
      assert.throws(() => view.take(body, 10), { code }, `${code} ${hexOf(body)}`);
      assert.deepEqual(stateOf(view), state);
    }
  }
  assert.throws(() => view.take(Uint8Array.of(), 10), { code: 'malformed' });
  assert.throws(() => view.take(Uint8Array.of(0), 10), { code: 'malformed' });
  assert.throws(() => view.take(Uint8Array.of(2), 10), { code: 'newer_format' });
  // Nor of a scene that came before it.
  assert.throws(() => view.take(sight(leave(1), scene(8), leave(1)), 10), { code: 'malformed' });
  assert.deepEqual([stateOf(view), told.length], [state, before]);
  view.take(sight(news(1, moodChanged(2))), 20);
  assert.equal(view.at(1).properties.mood, 2);
});

test('sight that is cut or damaged is taken whole or not at all', () => {
  const start = sight(scene(7), enter(1, 7n, 'hero', { properties: heroSeen('ann', 1) }));
  const more = sight(
    news(1, moodChanged(2)),
    enter(2, 8n, 'hero', { properties: heroSeen('bob', 1), move: walk(1, 1) }),
    leave(1),
    scene(8),
    enter(3, 9n, 'hero', { properties: heroSeen('eve', 1), move: walk(1, 1) }),
    moves(8, 1100, [3, walk(2, 2)]),
  );
  const tries = Array.from(more, (_, size) => more.slice(0, size));
  for (let at = 0; at < more.length; at++) {
    for (const value of [0, 0xff, more[at] ^ 1]) {
      const other = more.slice();
      other[at] = value;
      tries.push(other);
    }
  }
  let refused = 0;
  for (const body of tries) {
    const { view, told } = viewed();
    view.take(start, 0);
    const state = stateOf(view);
    const before = told.length;
    try {
      view.take(body, 10);
    } catch (error) {
      refused += 1;
      assert.ok(error instanceof BadBytes, error.stack);
      assert.deepEqual([stateOf(view), told.length], [state, before], hexOf(body));
    }
  }
  assert.ok(refused > more.length);
});

test('moves of another scene, and of who is not in sight, are ignored', () => {
  const { view } = viewed();
  view.take(sight(scene(2), enter(1, 7n, 'tree', { move: walk(1, 1) })), 0);
  view.take(sight(moves(1, 1100, [1, walk(5, 5)])), 100);
  assert.equal(view.at(1).move.position.x, 1);
  view.take(sight(moves(2, 1100, [2, walk(5, 5)], [1, walk(2, 2)], [1, walk(3, 3)])), 100);
  assert.equal(view.at(1).move.position.x, 3);
});

test('movers are shown at server time, two ticks late', () => {
  const { view } = viewed();
  assert.equal(view.serverTime(50), 0);
  view.take(sight(scene(1, { time: 1000, tickMs: 50 })), 5000);
  assert.deepEqual([view.serverTime(5000), view.shownTime(5000)], [1000, 900]);
  // Its age is that at the time of the batch with which it came.
  const move = walk(1, 0, { age: 20 });
  view.take(sight(enter(1, 7n, 'tree', { move }), moves(1, 1050)), 5040);
  assert.equal(view.at(1).move.at, 1030);
  assert.equal(view.serverTime(5040), 1050);
  view.take(sight(enter(2, 7n, 'tree', { move })), 5060);
  assert.equal(view.at(2).move.at, 1030);
  // The next scene is of another process, with another clock.
  view.take(sight(scene(2, { time: 4_000_000_000 })), 5100);
  assert.equal(view.serverTime(5100), 4_000_000_000);
});

test('properties of a class that the schema does not have are not shown', () => {
  for (const options of [{ schema }, {}]) {
    const { view } = viewed(options);
    const properties = heroSeen('ann', 1, { hash: '00'.repeat(8) });
    view.take(sight(scene(1), enter(1, 7n, 'other', { properties })), 0);
    view.take(sight(news(1, moodChanged(2)), news(1, moodChanged(2, 77))), 0);
    assert.equal(view.at(1).properties, undefined);
  }
});

// --- with a client ---------------------------------------------------------------------------------

const settled = () => new Promise((resolve) => setImmediate(resolve));
const place = (x) => ({ ...kStill, position: { x, y: 0, z: 0 } });
const step = (from, x) => place(from.position.x + x);
const correction = (epoch, number, teleport, x) => {
  const { move } = reportValue({ move: place(x) });
  const args = encodeValues(kCorrectMethod.args, [{ epoch, number, teleport, move }]);
  const { id: method, signature } = kCorrectMethod;
  return wire.encodeCall({ method, signature, args });
};

/** A client in a space, over a scripted gate. Its clock is `play.now`. */
async function playing(t, options = {}) {
  const gate = new Gate();
  gate.holdReplies = true;
  const client = new Client({
    gates: ['test://gate'],
    credentials: () => ({ method: 'password', account: 'ann', proof: 'secret' }),
    transports: {
      test: (to, told) => {
        let closed = false;
        const later = (run) => queueMicrotask(() => !closed && run());
        const far = gate.connect(
          (bytes) => later(() => told.frame(bytes)),
          () => later(() => told.lost('')),
        );
        later(() => told.opened());
        return { send: (bytes) => later(() => far.frame(bytes)), close: () => (closed = true) };
      },
    },
  });
  const play = { gate, client, now: 1000, errors: [], corrected: [] };
  play.space = new Space(client, { step, now: () => play.now, ...options });
  play.space.on('error', (error) => play.errors.push(error.code ?? String(error)));
  play.space.on('corrected', (one) => play.corrected.push(one));
  play.sight = (...records) => gate.packet('sight', sight(...records));
  play.asked = (method) =>
    gate.begun
      .filter(({ body }) => new DataView(body.buffer, body.byteOffset).getUint32(2, true) === method.id)
      .map(({ u, body }) => {
        const { args } = method;
        return { u, value: args[0].get(new Reader(body.slice(10))) };
      });
  play.answer = ({ u }, ...bytes) => gate.reply(u, Uint8Array.of(0xa8, 0, ...bytes));
  t.after(() => (play.space.end(), client.close()));
  await client.connect();
  await settled();
  return play;
}
const here = { move: walk(0, 0), epoch: 3 };

test('a scene is asked for, and reports begin with it', async (t) => {
  const play = await playing(t);
  play.sight(scene(1, here));
  await settled();
  assert.deepEqual(play.space.own.position, { x: 0, y: 0, z: 0 });
  play.space.move(1);
  await settled();
  assert.equal(play.gate.begun.length, 0); // the server does not know yet that it is there
  const ready = play.space.ready(play.space.scene);
  await settled();
  const [asked] = play.asked(kReadyMethod);
  assert.equal(asked.value, 1);
  play.answer(asked, 1);
  assert.deepEqual(await ready, { fate: 'replied', value: true });
  const [{ value }] = play.asked(kMoveMethod);
  assert.deepEqual([value.epoch, value.number, value.clientMs], [3, 1, 1000]);
  assert.deepEqual([value.move.x, value.move.grounded], [1, true]);
});

test('reports are rare, answers are acks, and numbers go on with the next scene', async (t) => {
  const play = await playing(t, { reportTime: 40 });
  play.sight(scene(1, here));
  await settled();
  void play.space.ready(play.space.scene);
  for (let i = 0; i < 6; i++, play.now += 16) play.space.move(1);
  await settled();
  const reports = play.asked(kMoveMethod);
  assert.deepEqual(reports.map(({ value }) => value.number), [1, 4]);
  play.answer(reports[1], 3, 4);
  play.now += 100;
  await new Promise((resolve) => setTimeout(resolve, 60)); // the last move is said without another
  assert.deepEqual(play.asked(kMoveMethod).map(({ value }) => value.number), [1, 4, 6]);
  assert.equal(play.space.own.position.x, 6);
  play.sight(scene(2, { ...here, epoch: 9 }));
  await settled();
  void play.space.ready(play.space.scene);
  play.now += 100;
  play.space.move(1);
  await settled();
  const { value } = play.asked(kMoveMethod).at(-1);
  assert.deepEqual([value.epoch, value.number], [9, 7]);
});

test('corrections are applied in the order of the stream', async (t) => {
  const play = await playing(t);
  play.sight(scene(1, here));
  await settled();
  void play.space.ready(play.space.scene);
  for (let i = 0; i < 3; i++, play.now += 16) play.space.move(1);
  play.gate.packet('call', correction(4, 1, false, 0.5));
  play.gate.packet('call', correction(4, 1, false, 9)); // again
  await settled();
  assert.equal(play.space.own.position.x, 2.5);
  assert.equal(play.space.ownShown.x, 3);
  play.gate.packet('call', correction(5, 3, true, 50));
  await settled();
  assert.deepEqual([play.space.own.position.x, play.space.ownShown.x], [50, 50]);
  const shown = play.corrected.map(({ from, to, teleport }) => [from.position.x, to.position.x, teleport]);
  assert.deepEqual(shown, [[3, 2.5, false], [2.5, 50, true]]);
  assert.deepEqual(play.errors, []);
  play.gate.packet('call', correction(6, 3, true, NaN));
  await settled();
  assert.deepEqual([play.errors, play.client.state], [['Error: gate: a correction to no place'], 'away']);
});

test('who has no body in a scene does not move', async (t) => {
  const play = await playing(t);
  play.sight(scene(1));
  await settled();
  void play.space.ready(play.space.scene);
  assert.deepEqual([play.space.move(1), play.space.own, play.space.ownShown], [undefined, undefined, undefined]);
  play.gate.packet('call', correction(4, 1, false, 0.5));
  await settled();
  assert.deepEqual([play.asked(kMoveMethod), play.errors], [[], []]);
});

test('reports that nobody answers are bounded', async (t) => {
  const play = await playing(t);
  play.sight(scene(1, here));
  await settled();
  void play.space.ready(play.space.scene);
  for (let i = 0; i < 3 * limits.kReportsOpen; i++, play.now += 100) play.space.move(1);
  await settled();
  const reports = play.asked(kMoveMethod);
  assert.equal(reports.length, limits.kReportsOpen);
  play.gate.reply(reports[0].u, Uint8Array.of(0xa8, 2, 4, 1, 0)); // rpc_not_found
  play.gate.reply(reports[1].u, Uint8Array.of(0xa8, 2, 4, 1, 0));
  await settled();
  assert.deepEqual(play.errors, ['Error: starbus_space.move: rpc_not_found ']);
  assert.equal(play.asked(kMoveMethod).at(-1).value.number, 3 * limits.kReportsOpen);
});

test('bytes that do not fit bring a full state, and the next scene', async (t) => {
  const play = await playing(t);
  play.sight(scene(1), enter(1, 7n, 'tree'));
  await settled();
  play.sight(leave(2));
  await settled();
  assert.deepEqual([play.errors, play.client.state, play.space.size], [['malformed'], 'away', 1]);
  while (play.client.state !== 'playing') await new Promise((resolve) => setTimeout(resolve, 20));
  await settled();
  assert.deepEqual([play.space.size, play.space.scene], [0, undefined]);
  play.sight(scene(2));
  await settled();
  assert.equal(play.space.scene.number, 2);
});

test('moves wait while the client is away', async (t) => {
  const play = await playing(t);
  play.sight(scene(1, here));
  await settled();
  void play.space.ready(play.space.scene);
  await settled();
  play.gate.record.conn.hangUp();
  await settled();
  assert.equal(play.client.state, 'away');
  for (let i = 0; i < 9; i++, play.now += 100) play.space.move(1);
  while (play.client.state !== 'playing') await new Promise((resolve) => setTimeout(resolve, 20));
  await settled();
  const reports = play.asked(kMoveMethod);
  assert.deepEqual(reports.map(({ value }) => value.number), [9]);
});
