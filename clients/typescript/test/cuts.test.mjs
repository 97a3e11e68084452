// A recorded exchange is cut at every byte, in both directions.
import assert from 'node:assert/strict';
import test from 'node:test';
import { module } from './dist.mjs';
import { Play } from './gate.mjs';

const { Session } = await module('session.js');
const { FrameSplitter, framed } = await module('stream.js');

/** A connection as a stream in pieces of `piece` bytes, which ends after so many bytes each way. */
class Stream {
  constructor(play, limits, piece) {
    this.play = play;
    const connect = play.gate.connect.bind(play.gate);
    this.bytes = { up: 0, down: 0 };
    play.gate.connect = (say, hangUp) => {
      const far = connect(this.#way('down', limits, piece, (frame) => say(frame), hangUp), hangUp);
      const frame = this.#way('up', limits, piece, (one) => far.frame(one), hangUp);
      return { frame, lost: far.lost };
    };
  }
  #way(name, limits, piece, take, hangUp) {
    const splitter = new FrameSplitter();
    let over = false;
    return (frame) => {
      const bytes = framed(frame);
      for (let at = 0; at < bytes.length && !over; at += piece) {
        const chunk = bytes.subarray(at, at + piece);
        const left = limits[name] - this.bytes[name];
        this.bytes[name] += chunk.length;
        splitter.push(chunk.subarray(0, Math.max(0, left)), take);
        if (left >= chunk.length) continue;
        limits[name] = Infinity; // once
        over = true;
        this.play.late = hangUp; // a loss is noticed later than it happens
      }
    };
  }
}

/** What a player does: three rounds of calls and requests, with a loss somewhere. */
function exchange(limits, piece) {
  const play = new Play(Session);
  const stream = new Stream(play, { up: Infinity, down: Infinity, ...limits }, piece);
  const settle = () => {
    for (let i = 0; i < 5; i++) {
      play.late?.();
      play.late = undefined;
      play.work();
      play.wait(600);
    }
  };
  play.start();
  settle();
  const ids = [];
  let calls = 0;
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 3; i++) play.gate.call(++calls);
    ids.push(play.ask([calls]));
    play.work();
    ids.push(play.ask([calls, calls]));
    play.work();
    settle();
  }
  return { play, ids, calls, bytes: stream.bytes };
}

test('no cut makes a hole, a double, a lost reply or a second begin', () => {
  const { bytes } = exchange({}, 1000);
  assert.ok(bytes.down > 300 && bytes.up > 100, JSON.stringify(bytes));
  for (const way of ['up', 'down']) {
    for (let at = 0; at <= bytes[way]; at++) {
      const where = `${way} cut at ${at}`;
      const { play, ids, calls } = exchange({ [way]: at }, at % 3 === 0 ? 1 : 7);
      assert.equal(play.session.state, 'playing', where);
      assert.deepEqual(play.calls(), Array.from({ length: calls }, (_, i) => i + 1), where);
      for (const id of ids) assert.equal(play.fate(id)?.fate, 'replied', where);
      const begun = play.gate.begun.map(({ u }) => u);
      assert.deepEqual(begun, ids.map((_, i) => BigInt(i + 1)), where);
      assert.deepEqual(play.gate.closedFor, [], where);
      assert.deepEqual(play.of('fault'), [], where);
    }
  }
});

test('frames are cut out of a stream in pieces of any size', () => {
  const frames = [Uint8Array.of(1, 2, 3), new Uint8Array(0), new Uint8Array(300).fill(7)];
  const stream = frames.flatMap((frame) => [...framed(frame)]);
  for (let piece = 1; piece <= stream.length; piece++) {
    const splitter = new FrameSplitter();
    const got = [];
    for (let at = 0; at < stream.length; at += piece) {
      splitter.push(Uint8Array.from(stream.slice(at, at + piece)), (frame) => got.push(frame));
    }
    assert.deepEqual(got, frames);
  }
});

test('a length beyond any frame is refused before anything is kept', () => {
  const splitter = new FrameSplitter();
  assert.throws(() => splitter.push(Uint8Array.of(255, 255, 255, 255), () => {}), {
    code: 'too_large',
  });
});
