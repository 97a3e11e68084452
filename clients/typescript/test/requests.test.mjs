// The fates of requests: each row of the table in docs/reference/client-protocol.md.
import assert from 'node:assert/strict';
import test from 'node:test';
import { module } from './dist.mjs';
import { Play } from './gate.mjs';

const { Session } = await module('session.js');
const limits = await module('limits.js');
const wire = await module('wire.js');

function played() {
  const play = new Play(Session);
  play.start();
  return play;
}
const bind = (counter) => ({ epoch: 1n, counter });
const replied = (number) => ({ fate: 'replied', answer: Uint8Array.of(0xa8, 0, number) });
const asks = (play) => play.frames.filter(({ type }) => type === 'ask').map(({ u }) => u);

test('a reply with its number', () => {
  const play = played();
  assert.deepEqual([play.fate(play.ask()), play.fate(play.ask())], [replied(1), replied(2)]);
  play.gate.reply(1n); // once more: nobody asked
  play.gate.reply(99n);
  play.work();
  assert.equal(play.fates.size, 2);
});

test('a new bind: below since, in open, done, and beyond', () => {
  const play = played();
  play.gate.holdReplies = true;
  const [lost, open, done] = [play.ask(), play.ask(), play.ask()];
  play.gate.full({ bind: bind(3n), since: bind(1n), upDone: 2n, open: [2n] });
  play.work();
  assert.deepEqual(play.fate(lost), { fate: 'reply_lost' });
  assert.equal(play.fate(open), undefined);
  assert.deepEqual(play.fate(done), { fate: 'not_begun', why: 'other_subject' });
  play.gate.full({ bind: bind(4n), since: bind(4n), upDone: 7n, open: [] });
  play.work();
  assert.deepEqual(play.fate(open), { fate: 'unknown', why: 'login' });
  play.gate.holdReplies = false;
  play.gate.record.upSeen = 7n;
  assert.deepEqual(play.fate(play.ask()), replied(8)); // the next number is up_done + 1
});

test('the same bind: open waits on, done is lost, what was not seen is said again', () => {
  const play = played();
  play.gate.holdReplies = true;
  const [lost, open] = [play.ask(), play.ask()];
  play.gate.on_ask = () => {}; // the gate does not get the next one
  const again = play.ask([3]);
  delete play.gate.on_ask;
  play.gate.holdReplies = false;
  play.gate.full({ open: [2n] });
  play.work();
  assert.deepEqual(play.fate(lost), { fate: 'reply_lost' });
  assert.deepEqual(play.fate(again), replied(3));
  play.gate.reply(2n);
  play.work();
  assert.deepEqual(play.fate(open), replied(2));
});

test('a Welcome that goes on: what was not seen is said again, all once', () => {
  const play = played();
  play.gate.holdReplies = true;
  const open = play.ask([1]);
  play.gate.on_ask = () => {};
  const again = play.ask([2]);
  play.cut();
  const away = play.ask([3]);
  delete play.gate.on_ask;
  play.wait(1000);
  const begun = play.gate.begun.map(({ u, body }) => [u, body[0]]);
  assert.deepEqual(begun, [[1n, 1], [2n, 2], [3n, 3]]);
  for (const id of [open, again, away]) assert.equal(play.fate(id), undefined);
});

test('requests wait for a gate that is too busy, and longer each time', () => {
  const play = played();
  play.gate.busy = true;
  const ids = [play.ask(), play.ask()];
  assert.equal(asks(play).length, 1); // the second one waits with the first
  play.wait(limits.kFirstBusy);
  assert.equal(asks(play).length, 3);
  play.wait(2 * limits.kFirstBusy); // both were refused: the wait has doubled once
  assert.equal(asks(play).length, 5);
  play.wait(1000);
  const said = asks(play).length;
  assert.ok(said < 16, `${said} in a second`);
  ids.push(play.ask()); // waits with the others
  assert.equal(asks(play).length, said);
  play.gate.busy = false;
  play.wait(limits.kMostBusy);
  assert.deepEqual(ids.map((id) => play.fate(id)), [replied(1), replied(2), replied(3)]);
});

test('another login: unknown, and numbers begin with 1', () => {
  const play = played();
  play.gate.holdReplies = true;
  const id = play.ask();
  play.gate.close('token');
  play.work();
  assert.deepEqual(play.fate(id), { fate: 'unknown', why: 'login' });
  play.gate.holdReplies = false;
  play.login();
  assert.equal(play.gate.logins, 2);
  assert.deepEqual(play.fate(play.ask()), replied(1));
});

test('a Welcome of another login at a re-entry: unknown', () => {
  const play = played();
  play.gate.holdReplies = true;
  const id = play.ask();
  const open = play.gate.on_resume;
  play.gate.on_resume = function (conn, frame) {
    this.record.session = wire.kNoKey;
    open.call(this, conn, { ...frame, reentry: Uint8Array.of(7, 9) });
  };
  play.cut();
  play.wait(1000);
  assert.deepEqual(play.fate(id), { fate: 'unknown', why: 'login' });
});

test('the gate dies: the same login keeps numbers, and a request that runs', () => {
  const play = played();
  play.gate.holdReplies = true;
  const id = play.ask();
  play.gate.die();
  play.work();
  const between = play.ask();
  play.wait(1000);
  assert.equal(play.session.state, 'playing');
  assert.equal(play.gate.logins, 1);
  assert.equal(play.fate(id), undefined);
  assert.deepEqual(play.fate(between), { fate: 'not_begun', why: 'other_subject' });
  play.gate.reply(1n);
  play.work();
  assert.deepEqual(play.fate(id), replied(1));
  play.gate.holdReplies = false;
  assert.deepEqual(play.fate(play.ask()), replied(2));
  assert.deepEqual(play.gate.begun.map(({ u }) => u), [1n, 2n]);
});

test('the last word, known and unknown', () => {
  const words = [{ upDone: 1n, since: bind(1n) }, { upDone: 0n, since: bind(9n) }, undefined];
  for (const closing of words) {
    const play = played();
    play.gate.holdReplies = true;
    const first = play.ask();
    play.gate.on_ask = () => {};
    const second = play.ask();
    play.gate.ended('ended', closing);
    play.work();
    const known = closing?.upDone === 1n;
    const unknown = { fate: 'unknown', why: closing ? 'login' : 'closing' };
    assert.deepEqual(play.fate(first), known ? { fate: 'reply_lost' } : unknown);
    assert.deepEqual(play.fate(second), known ? { fate: 'not_begun', why: 'ended' } : unknown);
  }
});

test('a new session says nothing of requests before its full state', () => {
  for (const ends of [true, false]) {
    const play = played();
    play.gate.holdReplies = true;
    const id = play.ask();
    const { full } = play.gate;
    play.gate.full = () => {}; // it does not come
    play.gate.die();
    play.work();
    play.wait(1000);
    assert.equal(play.session.state, 'playing');
    const said = asks(play).length;
    play.ask();
    assert.equal(asks(play).length, said);
    if (ends) play.gate.ended('ended', { upDone: 1n, since: bind(1n) });
    else full.call(play.gate);
    play.work();
    assert.deepEqual(play.fate(id), ends ? { fate: 'unknown', why: 'closing' } : undefined);
  }
});

test('a Welcome to a new session under the bind before waits for its full state, too', () => {
  const play = played();
  play.gate.holdReplies = true;
  play.ask();
  play.gate.on_resume = (conn, { reentry }) => {
    const own = { session: '1'.repeat(32), token: '2'.repeat(32), gate: '', turn: 0, c: 0n };
    const up = { login: 1n, upSeen: 0n, upBind: play.gate.record.bind };
    conn.say({ type: 'welcome', ...own, ...up, goesOn: false, reentry });
  };
  play.cut();
  play.wait(1000);
  assert.equal(play.session.state, 'playing');
  assert.deepEqual(asks(play), [1n]);
});

test('between two subjects requests wait for the next full state', () => {
  const play = played();
  const over = { reason: 'switched', login: 1n, upDone: 0n, since: bind(1n), open: [] };
  play.gate.packet('over', wire.encodeOver(over));
  play.work();
  const id = play.ask();
  assert.deepEqual(asks(play), []);
  play.gate.full({ bind: bind(5n) });
  play.work();
  assert.deepEqual(play.fate(id), { fate: 'not_begun', why: 'other_subject' });
  assert.equal(play.of('over')[0].over.reason, 'switched');
});

test('before the first full state nothing is asked', () => {
  const play = new Play(Session);
  assert.deepEqual(play.fate(play.ask()), { fate: 'not_begun', why: 'no_subject' });
});

test('no more than kAsksSent are under way, and no more than kAsksKept wait', () => {
  const play = played();
  play.gate.holdReplies = true;
  const ids = Array.from({ length: limits.kAsksKept + 1 }, () => play.ask());
  assert.equal(play.gate.begun.length, limits.kAsksSent);
  assert.deepEqual(play.fate(ids.pop()), { fate: 'not_begun', why: 'too_many' });
  for (let u = 1n; u <= BigInt(ids.length); u++) play.gate.reply(u), play.work();
  assert.ok(ids.every((id) => play.fate(id).fate === 'replied'));
});

test('no more than kAskKeptBytes wait, and no larger one than kAskBytes is taken', () => {
  const play = played();
  play.gate.holdReplies = true;
  const body = new Array(limits.kAskBytes).fill(1);
  const ids = Array.from({ length: 17 }, () => play.ask(body));
  assert.deepEqual(play.fate(ids.pop()), { fate: 'not_begun', why: 'too_many' });
  assert.throws(() => play.ask([...body, 1]), { code: 'too_large' });
});

test('a deadline: unknown if it was said, else not begun, and numbers stay whole', () => {
  const play = played();
  play.gate.holdReplies = true;
  const said = play.ask([1], 1000);
  play.reachable = false;
  play.cut();
  const kept = play.ask([2], 1000);
  const later = play.ask([3]);
  play.wait(1000);
  assert.deepEqual(play.fate(said), { fate: 'unknown', why: 'deadline' });
  assert.deepEqual(play.fate(kept), { fate: 'not_begun', why: 'deadline' });
  play.reachable = true;
  play.wait(5000);
  const begun = play.gate.begun.map(({ u, body }) => [u, ...body]);
  // The second one calls the method 0, which there is not.
  assert.deepEqual(begun, [[1n, 1], [2n, 0xa1, ...new Array(9).fill(0)], [3n, 3]]);
  for (const u of [1n, 2n, 3n]) play.gate.reply(u);
  play.work();
  assert.deepEqual(play.fate(later), replied(3));
});
