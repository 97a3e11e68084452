// A gate for tests: one account, one subject, sessions with tokens and a window, as
// docs/reference/client-protocol.md has them. It keeps what it was asked, and says what it is told.
import { module } from './dist.mjs';

const wire = await module('wire.js');
const key = (number) => number.toString(16).padStart(32, '0');
const kNothing = new Uint8Array();
const { methodId } = await module('rpc.js');
const kNames = methodId('starbus.names');
const methodOf = (body) => (body.length < 6 ? 0 : new DataView(body.buffer, body.byteOffset).getUint32(2, true));

export class Gate {
  heartbeatMs = 10_000;
  now = () => 1_790_000_000_000;
  busy = false;
  holdReplies = false;
  begun = []; // {u, body}
  names = Uint8Array.of(0xa8, 2, 4, 1, 0); // the answer to the question for names: rpc_not_found
  namesAsked = 0;
  closedFor = []; // reasons
  logins = 0;
  connections = 0;
  erased = new Set();
  record = undefined;
  #keys = 0;

  /** A connection: `say` takes a frame, `hangUp` ends it. */
  connect(say, hangUp) {
    this.connections += 1;
    const conn = { say: (frame) => say(wire.encodeToClient(frame)), hangUp, said: 0 };
    return {
      frame: (bytes) => this.#heard(conn, wire.decodeFromClient(bytes)),
      lost: () => {
        if (this.record?.conn === conn) this.record.conn = undefined;
      },
    };
  }

  /** A packet to the client. */
  packet(kind, body) {
    const record = this.record;
    const packet = { type: 'packet', c: ++record.c, kind, body };
    record.window.push(packet);
    record.conn?.say(packet);
  }
  call(method, ...args) {
    this.packet('call', wire.encodeCall({ method, signature: 0, args: Uint8Array.from(args) }));
  }
  full(change = {}) {
    const record = this.record;
    Object.assign(record, change);
    const { upSeen, bind, since, upDone, open, properties, subject } = record;
    const up = { upSeen, bind, since, upDone, open };
    this.packet('full', wire.encodeFull({ ...up, subject, groups: [], properties }));
  }
  reply(u, answer = Uint8Array.of(0xa8, 0, Number(u))) {
    this.packet('reply', wire.encodeReply({ u, answer }));
  }
  ended(reason, closing) {
    const body = { reason, closing: closing !== undefined, upDone: 0n, since: wire.kNoBind };
    this.packet('ended', wire.encodeEnded({ ...body, ...closing }));
    this.record = undefined;
  }
  close(reason, retryMs = 0, text = '') {
    this.record.conn.say({ type: 'closed', reason, retryMs, text });
    this.record.conn.hangUp();
  }
  /** The gate dies: its sessions are gone, accounts and subjects are not. */
  die() {
    this.record?.conn?.hangUp();
    this.reborn = this.record;
    this.record = undefined;
  }

  #heard(conn, frame) {
    if (conn.said++ === 0) {
      if (frame.type !== 'hello') throw new Error('no hello');
      const own = { version: 1, features: 0n, schema: 0n, here: BigInt(this.now()) };
      const { heartbeatMs } = this;
      return conn.say({ type: 'greeting', ...own, heartbeatMs, frameBytes: 70_000 });
    }
    this['on_' + frame.type](conn, frame);
  }
  #refuse(conn, reason, retryMs = 0) {
    this.closedFor.push(reason);
    conn.say({ type: 'closed', reason, retryMs, text: '' });
    conn.hangUp();
  }
  #open(conn, login, { upDone, open, counter }) {
    const bind = { epoch: 1n, counter: counter + 1n };
    this.record = {
      conn,
      session: key(++this.#keys + 1000),
      tokens: [key(++this.#keys)],
      turn: 0,
      shown: 0, // the turn of the last Confirm
      c: 0n,
      window: [],
      login,
      upSeen: upDone,
      upDone,
      open,
      bind,
      since: { epoch: 1n, counter: 1n },
      subject: 'player/7',
      properties: kNothing,
    };
    this.#welcome(conn, false);
    this.full();
  }
  #welcome(conn, goesOn, c = 0n) {
    const { session, tokens, turn, login, upSeen, bind } = this.record;
    const own = { session, token: tokens.at(-1), gate: 'gate/a', turn, c, goesOn, login };
    const reentry = Uint8Array.of(7, Number(login));
    conn.say({ type: 'welcome', ...own, upSeen, upBind: bind, reentry });
  }
  on_login(conn, { proof }) {
    if (proof[0] === 0) return this.#refuse(conn, 'denied');
    this.logins += 1;
    this.#open(conn, BigInt(this.logins), { upDone: 0n, open: [], counter: 0n });
  }
  on_resume(conn, { session, token, turn, c, reentry }) {
    const record = this.record;
    if (record?.session === session && token !== wire.kNoKey) {
      if (this.erased.has(token)) return this.#refuse(conn, 'token_reused');
      if (!record.tokens.includes(token)) return this.#refuse(conn, 'token');
      const kept = c <= record.c && c + BigInt(record.window.length) >= record.c;
      const itsTurn = record.shown <= turn && turn <= record.turn;
      if (!kept || !itsTurn) return this.#refuse(conn, 'window');
      record.conn?.hangUp();
      if (record.tokens.length === 1) record.tokens.push(key(++this.#keys));
      record.turn += 1;
      record.conn = conn;
      this.#welcome(conn, true, c);
      for (const packet of record.window) if (packet.c > c) conn.say(packet);
      return;
    }
    if (reentry[0] !== 7) return this.#refuse(conn, 'token');
    const last = record ?? this.reborn;
    const known = last
      ? { upDone: last.upDone, open: last.open, counter: last.bind.counter }
      : { upDone: 0n, open: [], counter: 0n };
    record?.conn?.hangUp();
    this.#open(conn, BigInt(reentry[1]), known);
  }
  on_confirm() {
    this.record.shown = this.record.turn;
    if (this.record.tokens.length === 2) this.erased.add(this.record.tokens.shift());
  }
  on_ack(conn, { c }) {
    this.record.window = this.record.window.filter((packet) => packet.c > c);
  }
  on_ask(conn, { u, bind, body }) {
    const record = this.record;
    if (wire.compareBinds(bind, record.bind) !== 0 || u <= record.upSeen) return;
    const { upSeen } = record;
    if (this.busy || u > upSeen + 1n) return conn.say({ type: 'busy', upSeen });
    record.upSeen = record.upDone = u;
    if (methodOf(body) === kNames) {
      this.namesAsked += 1;
      return this.reply(u, this.names);
    }
    this.begun.push({ u, body });
    if (this.holdReplies) record.open.push(u);
    else this.reply(u);
  }
  on_ping(conn, { time }) {
    conn.say({ type: 'pong', time, here: BigInt(this.now()) });
  }
  on_pong() {}
  on_bye() {
    const { upDone, since } = this.record;
    this.ended('ended', { upDone, since });
  }
}

/** A session and a gate in one thread, with a clock that the test moves. */
export class Play {
  gate = new Gate();
  now = 1000;
  events = [];
  fates = new Map(); // id -> fates
  link = undefined; // the present connection; `cut()` ends it
  reachable = true;
  addresses = [];
  frames = []; // what the client has said

  constructor(Session, options = {}) {
    this.gate.now = () => 1_790_000_000_000 + this.now;
    this.session = new Session({ program: 'test', random: () => 0.5, ...options });
  }
  of(type) {
    return this.events.filter((event) => event.type === type);
  }
  calls() {
    return this.of('call').map(({ call }) => call.method);
  }
  fate(id) {
    const all = this.fates.get(id) ?? [];
    if (all.length > 1) throw new Error(`request ${id} has ${all.length} fates`);
    return all[0];
  }
  /** Does what the session wants. */
  work() {
    for (let all = this.session.take(); all.length > 0; all = this.session.take()) {
      for (const one of all) this.#do(one);
    }
  }
  start(proof = 1) {
    this.session.start(this.now);
    this.work();
    if (this.session.state === 'credentials') this.login(proof);
  }
  login(proof = 1) {
    const credentials = { method: 'password', account: 'ann', proof: Uint8Array.of(proof) };
    this.session.login(credentials, this.now);
    this.work();
  }
  ask(body = [1], timeout = 60_000) {
    const id = this.session.ask(Uint8Array.from(body), this.now + timeout, this.now);
    this.work();
    return id;
  }
  cut() {
    const link = this.link;
    this.link = undefined;
    link?.far.lost();
    if (link) this.session.lost(this.now);
    this.work();
  }
  /** Moves the clock, and ticks when it is due. */
  wait(time) {
    for (const end = this.now + time; ; ) {
      const at = Math.max(this.now, this.session.wakeAt());
      if (at > end) return void (this.now = end);
      this.now = at;
      this.session.tick(this.now);
      this.work();
    }
  }

  #do(one) {
    if (one.type === 'connect') return this.#open(one);
    if (one.type === 'disconnect') {
      const link = this.link;
      this.link = undefined;
      return link?.far.lost();
    }
    if (one.type === 'send') {
      this.frames.push(wire.decodeFromClient(one.frame));
      return this.link?.far.frame(one.frame);
    }
    if (one.type === 'fate') this.fates.set(one.id, [...(this.fates.get(one.id) ?? []), one.fate]);
    this.events.push(one);
  }
  #open({ address, elsewhere }) {
    this.addresses.push({ address, elsewhere });
    const link = {};
    const mine = () => this.link === link;
    link.far = this.gate.connect(
      (bytes) => mine() && this.session.frame(bytes, this.now),
      () => {
        if (!mine()) return;
        this.link = undefined;
        this.session.lost(this.now);
      },
    );
    this.link = link;
    if (this.reachable) return this.session.opened(this.now);
    this.link = undefined;
    this.session.lost(this.now);
  }
}
