// Movement as the server has it: golden bytes of moves, and traces that tests/clients/vectors/
// make_movement.py makes from the documented rules. The clients in C++ read the same.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { module, ofRepository } from './dist.mjs';

const { MoveDecoder, MoveReplay, OwnMove, RemoteClock, ShownOffset, Snapshots, bytesOfHex, kStill } =
  await module('index.js');
const limits = await module('limits.js');
const read = (path) => JSON.parse(readFileSync(ofRepository(path), 'utf8'));
const golden = read('tests/nodes/space_movement/vectors/moves.json');
const traces = read('tests/clients/vectors/movement.json');

const placeOf = ([x, y, z]) => ({ x, y, z });
const listOf = ({ x, y, z }) => [x, y, z];
const plus = (from, [x, y, z]) => {
  const { position: p } = from;
  return { ...from, position: { x: p.x + x, y: p.y + y, z: p.z + z } };
};
const near = (a, b, by, what) => assert.ok(Math.abs(a - b) <= by, `${what}: ${a}, not ${b}`);

test('golden batches of moves are read', () => {
  for (const { name, grid, epoch, tick, time, moves, hex } of golden.batches) {
    const batch = new MoveDecoder(placeOf(grid)).decode(bytesOfHex(hex));
    assert.deepEqual([batch.epoch, batch.tick, batch.time], [epoch, tick, time], name);
    assert.equal(batch.moves.length, moves.length, name);
    batch.moves.forEach(({ index, detail, moving, move }, at) => {
      const want = moves[at];
      assert.deepEqual([index, detail, move.at], [want.index, want.detail, want.at], name);
      assert.equal(move.grounded, want.grounded ?? true, name);
      assert.equal(move.mode, want.mode ?? 0, name);
      assert.equal(move.teleports, want.teleports ?? 0, name);
      assert.equal(moving, want.velocity !== undefined, name);
      listOf(move.position).forEach((one, i) => near(one, want.position[i], 0.0051, name));
      listOf(move.velocity).forEach((one, i) => near(one, want.velocity?.[i] ?? 0, 0.0051, name));
      const turn = Math.abs(move.heading - want.heading) % (2 * Math.PI);
      near(Math.min(turn, 2 * Math.PI - turn), 0, detail === 'fine' ? 0.00005 : 0.0123, name);
      near(move.pitch, want.pitch ?? 0, 0.0123, name);
    });
  }
});

test('malformed batches of moves have their error', () => {
  for (const { name, hex, error } of golden.malformed) {
    assert.throws(() => new MoveDecoder().decode(bytesOfHex(hex)), { code: error }, name);
  }
  const long = new Uint8Array(limits.kMoveBatchBytes + 1);
  assert.throws(() => new MoveDecoder().decode(long), { code: 'too_large' });
});

test('moves are made again as the rules say', () => {
  for (const { name, epoch, number, at, steps } of traces.replays) {
    const start = { epoch, number, teleport: true, move: { ...kStill, position: placeOf(at) } };
    const replay = new MoveReplay(start, plus);
    steps.forEach((step, i) => {
      const what = `${name}, step ${i}`;
      if (step.report !== undefined) {
        const { ms, input } = step;
        const made = input ? replay.move(input, ms) : replay.report(ms);
        const { client_ms: clientMs, ...report } = step.report;
        assert.deepEqual(made, { ...report, clientMs, move: replay.state }, what);
      } else if (step.do === 'ack') {
        replay.ack(step);
      } else {
        const move = { ...kStill, position: placeOf(step.at) };
        assert.equal(replay.correct({ ...step, move }), step.taken, what);
      }
      assert.deepEqual(listOf(replay.state.position), step.state, what);
      assert.equal(replay.pending, step.pending, what);
    });
  }
});

test('a step that throws changes nothing', () => {
  const start = { epoch: 1, number: 0, teleport: true, move: kStill };
  const replay = new MoveReplay(start, (from, metres) => {
    if (metres > 1000) throw new Error('no such step');
    return plus(from, [metres, 0, 0]);
  });
  replay.move(1, 0);
  assert.throws(() => replay.move(2000, 20), /no such step/);
  assert.deepEqual([replay.pending, replay.state.position.x], [1, 1]);
  assert.equal(replay.move(1, 40).number, 2);
});

test('places are shown as the rules say', () => {
  for (const { name, snap, longest_step: longestStep, steps } of traces.snapshots) {
    const places = new Snapshots({ snap, longestStep });
    assert.deepEqual(places.at(5), kStill);
    steps.forEach(({ add, show, shown }, i) => {
      if (add !== undefined) {
        const { position, velocity } = add;
        const move = { ...kStill, ...add, position: placeOf(position), velocity: placeOf(velocity) };
        return places.add(move);
      }
      const at = places.at(show);
      const what = `${name}, step ${i}`;
      assert.deepEqual(listOf(at.position), shown.position, what);
      assert.deepEqual(listOf(at.velocity).map((one) => one + 0), shown.velocity, what);
      assert.equal(at.heading, shown.heading, what);
    });
  }
});

test('shots are judged by the nearest place, and old ones are forgotten', () => {
  const places = new Snapshots();
  assert.equal(places.nearest(0), undefined);
  for (let i = 0; i < limits.kMaxSnapshots + 8; i++) {
    places.add({ ...kStill, at: 1000 + i * 100, position: { x: i, y: 0, z: 0 } });
  }
  assert.equal(places.size, limits.kMaxSnapshots);
  assert.equal(places.nearest(1949).position.x, 9);
  assert.equal(places.nearest(1951).position.x, 10);
  assert.equal(places.nearest(90_000).position.x, limits.kMaxSnapshots + 7);
  assert.equal(places.nearest(1799), undefined);
});

test('corrections are hidden as the rules say', () => {
  const offset = new ShownOffset();
  for (const step of traces.offsets) {
    if (step.pass !== undefined) offset.pass(step.pass);
    else offset.corrected(placeOf(step.from), placeOf(step.to));
    const shown = listOf(offset.shown({ x: 0, y: 0, z: 0 }));
    shown.forEach((one, i) => near(one, step.offset[i], 1e-6, JSON.stringify(step)));
  }
});

test('clocks of servers are followed as the rules say', () => {
  for (const { name, steps } of traces.clocks) {
    const clock = new RemoteClock();
    assert.deepEqual([clock.hasHeard, clock.remoteAt(7)], [false, 0]);
    for (const { remote, local, look, at } of steps) {
      clock.heard(remote, local);
      near(clock.remoteAt(look), at, 1e-3, name);
    }
  }
});

test('reports are said at their rate, and the last one is said, too', () => {
  const start = { epoch: 4, number: 10, teleport: true, move: kStill };
  const own = new OwnMove(start, plus, { reportTime: 100 });
  assert.deepEqual([own.report(1000), own.dueAt], [undefined, Infinity]);
  const said = [];
  for (let now = 1000; now < 1360; now += 16) {
    if (now < 1300) own.move([1, 0, 0], now);
    const report = own.report(now);
    if (report !== undefined) said.push([now, report.number, report.move.position.x]);
  }
  assert.deepEqual(said, [[1000, 11, 1], [1112, 18, 8], [1224, 25, 15], [1336, 29, 19]]);
  assert.equal(own.dueAt, Infinity);
  own.ack({ epoch: 4, number: 25 });
  assert.equal(own.pending, 4);
});

test('what is made again after a correction is said, and a teleport is shown at once', () => {
  const start = { epoch: 1, number: 0, teleport: true, move: kStill };
  const own = new OwnMove(start, plus);
  for (let now = 0; now < 80; now += 16) own.move([1, 0, 0], now);
  own.report(80);
  const to = (x) => ({ ...kStill, position: { x, y: 0, z: 0 } });
  assert.equal(own.correct({ epoch: 2, number: 3, teleport: false, move: to(2) }, 90), true);
  assert.equal(own.correct({ epoch: 2, number: 3, teleport: false, move: to(9) }, 90), false);
  assert.equal(own.state.position.x, 4); // two moves were made again
  assert.equal(own.shown(90).x, 5); // it is seen where it was
  assert.ok(own.shown(140).x < 4.6);
  assert.equal(own.report(90), undefined);
  const { epoch, number, move } = own.report(180);
  assert.deepEqual([epoch, number, move.position.x], [2, 6, 4]);
  assert.equal(own.correct({ epoch: 3, number: 6, teleport: true, move: to(7) }, 200), true);
  assert.deepEqual([own.shown(200).x, own.pending, own.dueAt], [7, 0, Infinity]);
});
