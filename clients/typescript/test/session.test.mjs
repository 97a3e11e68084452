// The client's half of a session, with a clock that the test moves.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { module, ofRepository } from './dist.mjs';
import { Play } from './gate.mjs';

const { Session } = await module('session.js');
const limits = await module('limits.js');
const wire = await module('wire.js');

function played(options) {
  const play = new Play(Session, options);
  play.start();
  play.work();
  assert.equal(play.session.state, 'playing');
  return play;
}
const said = (play, type) => play.frames.filter((frame) => frame.type === type);
const states = (play) => play.of('state').map(({ state }) => state);
const replied = (number) => ({ fate: 'replied', answer: Uint8Array.of(0xa8, 0, number) });

test('a login is greeted, confirmed, and begins with the whole state', () => {
  const play = played();
  assert.deepEqual(play.frames.slice(0, 3).map(({ type }) => type), ['hello', 'login', 'confirm']);
  assert.deepEqual(states(play), ['credentials', 'connecting', 'playing']);
  assert.equal(play.of('full')[0].full.subject, 'player/7');
  play.gate.call(5, 1, 2);
  play.work();
  assert.deepEqual(play.of('call')[0].call, { method: 5, signature: 0, args: Uint8Array.of(1, 2) });
});

test('a wrong proof asks for another one', () => {
  const play = new Play(Session);
  play.start(0);
  assert.equal(play.of('credentials').at(-1).reason, 'denied');
  play.login();
  assert.equal(play.session.state, 'playing');
});

test('packets are acknowledged by number, by bytes and by time', () => {
  const play = played();
  play.wait(limits.kAckTime);
  assert.deepEqual(said(play, 'ack').map(({ c }) => c), [1n]);
  for (let i = 0; i < limits.kAckPackets; i++) play.gate.call(i);
  play.work();
  assert.deepEqual(said(play, 'ack').map(({ c }) => c), [1n, 65n]);
  play.gate.call(1, ...new Array(limits.kAckBytes).fill(0));
  play.work();
  assert.deepEqual(said(play, 'ack').map(({ c }) => c), [1n, 65n, 66n]);
  assert.equal(play.gate.record.window.length, 0);
  play.gate.call(2);
  play.work();
  play.wait(limits.kAckTime);
  assert.equal(said(play, 'ack').at(-1).c, 67n);
});

test('a lost connection goes on without a hole and without a double', () => {
  const play = played();
  play.gate.call(1);
  play.work();
  play.cut();
  play.gate.call(2); // while it is away
  assert.equal(play.session.state, 'away');
  play.wait(1000);
  assert.equal(play.session.state, 'playing');
  play.gate.call(3);
  play.work();
  assert.deepEqual(play.calls(), [1, 2, 3]);
  assert.equal(play.gate.logins, 1);
  const resume = said(play, 'resume')[0];
  assert.deepEqual([resume.gate, resume.c, resume.turn], ['gate/a', 2n, 0]);
  assert.equal(play.gate.erased.size, 1); // the token before, after Confirm
});

test('a Welcome that is lost leaves the token before good', () => {
  const play = played();
  play.cut();
  play.gate.on_confirm = () => {}; // the Confirm does not arrive
  play.wait(1000);
  play.cut();
  delete play.gate.on_confirm;
  play.wait(2000);
  assert.equal(play.session.state, 'playing');
  assert.deepEqual(play.gate.closedFor, []);
});

test('a gap of the gate closes the connection, and is resumed', () => {
  const play = played();
  play.gate.record.c += 1n;
  play.gate.call(1);
  play.work();
  assert.match(play.of('fault')[0].text, /packet 3 after 1/);
  assert.deepEqual(play.calls(), []);
  assert.equal(play.session.state, 'away');
});

test('faults without an end end the session as malformed', () => {
  const play = played();
  const id = play.ask();
  const connect = play.gate.connect.bind(play.gate);
  play.gate.connect = (say, hangUp) => {
    say(Uint8Array.of(255));
    return connect(say, hangUp);
  };
  play.session.frame(Uint8Array.of(255), play.now);
  play.work();
  play.gate.connect = (say) => ({ frame: () => say(Uint8Array.of(64)), lost() {} });
  play.wait(60_000);
  assert.equal(play.of('ended')[0].reason, 'malformed');
  assert.equal(play.of('fault').length, limits.kFaults);
  assert.deepEqual(play.fate(id), replied(1));
});

test('the frame that is too large is a fault', () => {
  const play = played();
  play.session.frame(new Uint8Array(limits.kFrameBytes + 1).fill(68), play.now);
  play.work();
  assert.match(play.of('fault')[0].text, /too_large/);
});

test('both sides are heard in time, or the connection is given up', () => {
  const play = played();
  play.wait(60_000); // answered pings keep it
  assert.equal(play.session.state, 'playing');
  assert.equal(play.gate.connections, 1);
  assert.ok(said(play, 'ping').length >= 6);
  play.gate.on_ping = () => {}; // half open
  play.reachable = false;
  play.wait(limits.kSilentHeartbeats * 10_000);
  assert.equal(play.session.state, 'away');
});

test('a ping of the gate is answered', () => {
  const play = played();
  play.gate.record.conn.say({ type: 'ping', time: 77n });
  play.work();
  assert.deepEqual(said(play, 'pong'), [{ type: 'pong', time: 77n, here: 0n }]);
});

test('a heartbeat of any length is bounded', () => {
  const bounds = [[0, limits.kLeastHeartbeat], [2 ** 32 - 1, limits.kMostHeartbeat]];
  for (const [heartbeatMs, time] of bounds) {
    const play = new Play(Session);
    play.gate.heartbeatMs = heartbeatMs;
    play.start();
    play.gate.on_ping = () => {};
    play.wait(limits.kSilentHeartbeats * time - 1);
    assert.equal(play.session.state, 'playing');
    play.reachable = false;
    play.wait(2);
    assert.equal(play.session.state, 'away');
  }
});

test('the clock of the gate and the round trip are measured', () => {
  const play = played();
  assert.equal(play.session.gateTime(play.now), play.gate.now());
  play.gate.on_ping = (conn, { time }) => {
    play.now += 80; // there and back, and the gate's clock is read in the middle
    conn.say({ type: 'pong', time, here: BigInt(play.gate.now() - 40) });
  };
  play.wait(1);
  assert.equal(play.session.roundTrip, 80);
  assert.equal(play.session.gateTime(play.now), play.gate.now());
});

test('waits double, are random parts, and begin again after a stable time', () => {
  const play = played();
  play.reachable = false;
  play.cut();
  const before = play.now;
  const tries = () => play.addresses.length - 1;
  play.wait(limits.kFirstRetry / 2);
  assert.equal(tries(), 1);
  play.wait(limits.kFirstRetry);
  assert.equal(tries(), 2);
  play.wait(limits.kPatience / 2);
  assert.ok(tries() < 30 && tries() > 15, `${tries()} in ${play.now - before} ms`);
  play.reachable = true;
  play.wait(limits.kMostRetry + limits.kStableTime);
  assert.equal(play.session.state, 'playing');
  play.cut();
  play.wait(limits.kFirstRetry / 2);
  assert.equal(play.session.state, 'playing');
});

test('a network that breaks again and again costs a short wait each time', () => {
  const play = played();
  for (let i = 0; i < 12; i++) {
    play.wait(limits.kStableTime / 5);
    play.cut();
    play.wait(limits.kBrokenRetry);
    assert.equal(play.session.state, 'playing', `${i}`);
  }
});

test('without any gate the session ends as unreachable, and its requests with it', () => {
  const play = played();
  play.gate.holdReplies = true;
  const id = play.ask([1], Infinity);
  play.reachable = false;
  play.cut();
  const later = play.ask([2], Infinity);
  play.wait(limits.kPatience);
  assert.equal(play.of('ended')[0].reason, 'unreachable');
  assert.deepEqual(play.fate(id), { fate: 'unknown', why: 'closed' });
  assert.deepEqual(play.fate(later), { fate: 'not_begun', why: 'ended' }); // it was never said
  assert.deepEqual(play.fate(play.ask()), { fate: 'not_begun', why: 'ended' });
});

test('a connection that does not open is given up for another gate', () => {
  const play = new Play(Session);
  play.gate.connect = () => ({ frame() {}, lost() {} });
  play.start();
  play.wait(limits.kConnectTime + 500);
  assert.equal(play.addresses.length, 2);
});

test('GoTo is followed with Resume, at once, but not for ever', () => {
  const play = played();
  const send = () => play.gate.record.conn.say({ type: 'goTo', address: 'other:1' });
  for (let i = 0; i < limits.kRedirections; i++) {
    send();
    play.work();
    assert.equal(play.session.state, 'playing');
  }
  assert.equal(play.addresses.at(-1).address, 'other:1');
  assert.equal(play.gate.logins, 1);
  send();
  play.work();
  assert.equal(play.session.state, 'away');
  play.wait(20_000);
  assert.equal(play.session.state, 'playing');
});

test('each close reason is obeyed', () => {
  const acts = {
    version: 'ended', malformed: 'away', too_large: 'away', banned: 'ended', replaced: 'ended',
    ended: 'ended', taken_over: 'ended', denied: 'credentials', token: 'credentials',
    token_reused: 'credentials', window: 'away', idle: 'away', too_many: 'away', full: 'away',
    too_slow: 'away', later: 'away', leaving: 'away', fault: 'away',
  };
  for (const reason of Object.keys(wire.kCloseReasons)) {
    const play = played();
    play.gate.close(reason, 30_000, 'a text');
    play.work();
    assert.equal(play.session.state, acts[reason], reason);
    assert.deepEqual(play.of('closed'), [{ type: 'closed', reason, text: 'a text' }]);
    if (acts[reason] !== 'away') continue;
    const atOnce = ['window', 'malformed', 'too_large'].includes(reason);
    play.wait(atOnce ? 1000 : 29_999);
    assert.equal(play.session.state, atOnce ? 'playing' : 'away', reason);
    play.wait(20_000);
    assert.equal(play.session.state, 'playing', reason);
    assert.equal(play.gate.logins, 1, reason);
    assert.equal(play.addresses.at(-1).elsewhere, reason === 'leaving', reason);
  }
});

test('a client that a gate calls malformed again and again ends as that', () => {
  const play = played();
  for (let i = 1; i < limits.kFaults; i++) {
    play.gate.close('malformed', 0, 'frame: not at its place');
    play.work();
    for (let n = 0; play.session.state !== 'playing' && n < 100; n++) play.wait(100);
  }
  assert.equal(play.of('full').length, limits.kFaults - 1); // from the second one on it re-enters
  play.gate.close('malformed', 0, 'frame: not at its place');
  play.work();
  const { reason, text } = play.of('ended')[0];
  assert.deepEqual([reason, text], ['malformed', 'frame: not at its place']);
});

test('a wait that a gate demands is bounded', () => {
  const play = played();
  play.gate.close('later', 2 ** 32 - 1);
  play.work();
  assert.ok(play.session.wakeAt() <= play.now + limits.kMostDemanded + limits.kMostRetry);
});

test('a window that is gone is re-entered once without the token', () => {
  const play = played();
  play.gate.call(1);
  play.gate.call(2);
  play.work();
  play.cut();
  play.gate.record.window = [];
  play.gate.call(3);
  play.gate.record.window = []; // more than it keeps
  play.wait(2000);
  assert.deepEqual(play.gate.closedFor, ['window']);
  assert.equal(play.session.state, 'playing');
  const resume = said(play, 'resume').at(-1);
  assert.deepEqual([resume.session, resume.token, resume.gate], [wire.kNoKey, wire.kNoKey, '']);
  assert.equal(play.of('full').length, 2);
  assert.equal(play.gate.logins, 1);
});

test('a session that another login replaced is not taken back', () => {
  const play = played();
  const id = play.ask();
  play.gate.ended('replaced', { upDone: 1n, since: wire.kNoBind });
  play.work();
  assert.equal(play.of('ended')[0].reason, 'replaced');
  play.wait(600_000);
  assert.equal(play.gate.connections, 1);
  assert.deepEqual(play.fate(id), replied(1));
});

test('a session that a gate has ended is re-entered where that is of use', () => {
  const again = ['fault', 'too_slow', 'window', 'idle'];
  for (const reason of [...again, 'token_reused', 'ended']) {
    const play = played();
    play.gate.ended(reason);
    play.work();
    play.wait(1000);
    const state = again.includes(reason) ? 'playing' : kStates[reason];
    assert.equal(play.session.state, state, reason);
    if (state !== 'playing') continue;
    assert.equal(said(play, 'resume').at(-1).session, wire.kNoKey, reason);
    assert.equal(play.of('full').length, 2, reason);
    assert.equal(play.gate.logins, 1, reason);
  }
});
const kStates = { token_reused: 'credentials', ended: 'ended' };

test('a page that is loaded again comes back without a proof', () => {
  const { session, gate } = played();
  const { saved } = session;
  const play = new Play(Session, { saved: JSON.parse(JSON.stringify(saved)) });
  play.gate = gate;
  play.start();
  assert.equal(play.session.state, 'playing');
  assert.equal(gate.logins, 1);
  assert.throws(() => new Session({ program: '', saved: { reentry: 'x' } }), {
    code: 'malformed',
  });
});

test('the queue is shown, and is no silence', () => {
  const play = new Play(Session);
  let conn;
  play.gate.on_login = (one) => {
    conn = one;
    one.say({ type: 'waiting', what: 'place', ahead: 12n, seconds: 60 });
  };
  play.start();
  assert.deepEqual(play.of('waiting')[0].waiting.ahead, 12n);
  play.gate.on_ping = () => {};
  for (let i = 0; i < 10; i++) {
    play.wait(20_000);
    conn.say({ type: 'waiting', what: 'place', ahead: 12n, seconds: 60 });
  }
  assert.equal(play.gate.connections, 1);
});

test('leaving says Bye and ends', () => {
  const play = played();
  play.gate.holdReplies = true;
  const id = play.ask();
  play.session.leave(play.now);
  play.work();
  assert.equal(play.of('ended')[0].reason, 'left');
  assert.deepEqual(play.fate(id), { fate: 'reply_lost' });
  const silent = played();
  silent.gate.on_bye = () => {};
  silent.session.leave(silent.now);
  silent.work();
  silent.wait(limits.kByeTime);
  assert.equal(silent.of('ended')[0].reason, 'left');
});

test('a Welcome that goes on goes on here, or is a fault', () => {
  for (const change of [{ c: 0n }, { c: 5n }, { session: '9'.repeat(32) }]) {
    const play = played();
    const { on_resume: resume } = play.gate;
    play.gate.on_resume = function (conn, frame) {
      const { say } = conn;
      conn.say = (one) => say(one.type === 'welcome' ? { ...one, ...change } : one);
      resume.call(this, conn, frame);
    };
    play.cut();
    play.wait(300);
    assert.match(play.of('fault')[0].text, /another place/);
    assert.equal(play.of('welcome').length, 1);
  }
});

test('whatever a gate says, the session goes on or ends, and nothing is thrown', () => {
  const vectors = JSON.parse(
    readFileSync(ofRepository('tests/nodes/gate/vectors/client_frames.json'), 'utf8'),
  );
  const frames = [...vectors.frames, ...vectors.malformed]
    .filter(({ from }) => from === 'gate')
    .map(({ hex }) => Buffer.from(hex, 'hex'));
  const bodies = [...vectors.bodies, ...vectors.malformed].filter(({ packet }) => packet);
  let seed = 1;
  const random = (most) => (seed = (seed * 48_271) % 0x7fff_ffff) % most;
  for (let run = 0; run < 300; run++) {
    const play = new Play(Session);
    play.start();
    for (let i = 0; i < 12; i++) {
      const body = bodies[random(bodies.length)];
      const packet = { type: 'packet', c: BigInt(i + 2), kind: body.packet };
      const frame =
        random(2) === 0
          ? frames[random(frames.length)]
          : wire.encodeToClient({ ...packet, body: Buffer.from(body.hex, 'hex') });
      play.session.frame(Uint8Array.from(frame), play.now);
      play.work();
      if (random(3) === 0) play.ask();
      if (random(4) === 0) play.wait(random(3000));
    }
    play.session.leave(play.now);
    play.work();
    play.wait(limits.kByeTime);
    assert.equal(play.session.state, 'ended');
    for (const fates of play.fates.values()) assert.equal(fates.length, 1);
  }
});

test('nothing is believed out of its place', () => {
  const frames = [
    { type: 'packet', c: 1n, kind: 'call', body: new Uint8Array(8) },
    { type: 'busy', upSeen: 0n },
    { type: 'pong', time: 0n, here: 0n },
  ];
  for (const frame of frames) {
    const play = new Play(Session);
    play.gate.connect = (say) => ({ frame: () => say(wire.encodeToClient(frame)), lost() {} });
    play.start();
    assert.equal(play.of('fault').length, 1, frame.type);
    assert.equal(play.of('call').length, 0);
  }
});

test('who plays may have to wait again', () => {
  const play = played();
  play.gate.record.conn.say({ type: 'waiting', what: 'subject', ahead: 0n, seconds: 0 });
  play.work();
  assert.deepEqual(play.of('waiting').at(-1).waiting.what, 'subject');
  assert.equal(play.of('fault').length, 0);
  assert.equal(play.gate.connections, 1);
});
