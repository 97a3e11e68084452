/**
 * A client of a game: keeps its session with one of several gates, and gives the program what the
 * subject (the entity that it plays) has and says, each thing once and in order.
 *
 *   const client = new Client({ gates: ['wss://game.example/'], credentials, schema });
 *   client.on('call', ({ method, args }) => ...);
 *   await client.connect();
 *   const bought = await client.ask('player.buy', [1001n, 2]);
 *   if (bought.fate === 'replied') console.log(bought.value, client.properties);
 *
 * Handlers run one after the other; what they throw is the event `error` and ends nothing. A client
 * has ended with the event `ended`; a new one is made to play again.
 */
import { Agreement, isMismatch } from './agreement.js';
import { BadBytes, bytesOfText } from './bytes.js';
import { Events } from './emitter.js';
import type { Output, Saved, SessionEvent, State } from './events.js';
import { Gates, schemeOf } from './gates.js';
import { Inflate, Inflater, kInflates, platformInflate } from './inflate.js';
import * as limits from './limits.js';
import type { Difference, ServerNames } from './names.js';
import { Change, Replica } from './replica.js';
import type { Fate } from './requests.js';
import { Answer, decodeAnswer, encodeAsk, methodId } from './rpc.js';
import type { Method, MethodDoc, Schema, TypeDoc } from './schema.js';
import { Session } from './session.js';
import { Connection, Transports, webSockets } from './transport.js';
import { decodeValues } from './values.js';
import type { Call, CloseReason, Over, Waiting } from './wire.js';

/** Who logs in. A text as proof is its UTF-8. */
export interface Login {
  readonly method: string;
  readonly account: string;
  readonly proof: string | Uint8Array;
}
/**
 * Asked at the first login, and whenever a new one is needed: `reason` is why the last one does not
 * do any more (`denied`: the proof was wrong). Undefined: the player gives up.
 */
export type AskCredentials = (
  reason: CloseReason | undefined,
  text: string,
) => Login | undefined | Promise<Login | undefined>;

export interface ClientOptions {
  /** `wss://host/path`; with nodeTransports() also `tls://host:port`, `tcp://host:port`. */
  readonly gates: readonly string[];
  readonly credentials: AskCredentials;
  /** What the program prints with `--schema`: for `ask`, `handle` and `properties`. */
  readonly schema?: Schema;
  /** Name and version, for the gate's logs. */
  readonly program?: string;
  readonly transports?: Transports;
  /** Reads deflated packets; that of the browser, unless another one is given. */
  readonly inflate?: Inflate;
  /** Of an earlier client (`client.saved`): comes back without a proof, if that is still good. */
  readonly saved?: Saved | undefined;
  /** Milliseconds without a gate after which it ends as `unreachable`. */
  readonly patience?: number;
}
export interface AskOptions {
  /** Milliseconds; kAskTime unless it is there. */
  readonly timeout?: number;
}
/** How a request has ended: its answer, or why there is none. */
export type Outcome<V = any, R = any> = Answer<V, R> | Exclude<Fate, { fate: 'replied' }>;

/** What the program hears, by the name of the event. */
export interface ClientEvents {
  state: State;
  waiting: Waiting;
  /** A stretch begins: the whole state is new. `properties` are the bytes. */
  subject: { subject: string; groups: readonly string[]; properties: Uint8Array };
  /** The properties have changed: everything (an empty path), or these. */
  changed: readonly Change[];
  /** Changes in bytes, of a client without the schema of these. */
  news: Uint8Array;
  /** Of the space around the subject, in bytes: a Space takes it. */
  sight: Uint8Array;
  /**
   * The server says its names: what differs from the schema. Empty: nothing. What the server does
   * not have as the schema does, `ask` ends as `not_begun`, `differs`; the rest goes on.
   */
  names: readonly Difference[];
  /** The question for names is answered, before `names`; undefined: the server does not say them. */
  agreed: ServerNames | undefined;
  /** A call that no handler is there for; `group` if it was said to one. */
  call: Call & { group: string | undefined };
  /** The stretch is over: another one follows, or the end. */
  over: Over;
  /** A gate has closed the connection. */
  closed: { reason: CloseReason; text: string };
  /** A connection was lost, or did not come about; the text is for logs. */
  lost: { gate: string; text: string };
  ended: { reason: string; text: string };
  /** Something that the client went on from: a fault of a gate, or of a handler. */
  error: unknown;
}

/** Why connect() has failed. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
  constructor(
    readonly reason: string,
    readonly text: string,
  ) {
    super(`session: ended as ${reason}${text === '' ? '' : `; ${text}`}`);
  }
}

interface Handler {
  readonly method: Method;
  readonly run: (...args: any[]) => void;
}
interface Waits {
  resolve: () => void;
  reject: (why: SessionEnded) => void;
}
/** The longest wait of a timer; it is armed again after it. */
const kLongestTimer = 2 ** 31 - 1;

export class Client extends Events<ClientEvents> {
  readonly #options: ClientOptions;
  readonly #session: Session;
  readonly #gates: Gates;
  readonly #transports: Transports;
  readonly #inflate: Inflate | undefined;
  readonly #asked = new Map<number, (fate: Fate) => void>();
  readonly #handlers = new Map<number, Handler>();
  readonly #replica: Replica | undefined;
  readonly #agreement: Agreement;
  #stretch = 0;
  #connection: Connection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #working = false;
  #hasState = false; // the replica has the present subject's
  #subject = '';
  #groups: readonly string[] = [];
  #waits: Waits[] = [];
  #ended: SessionEnded | undefined;

  constructor(options: ClientOptions) {
    super();
    if (options.gates.length === 0) throw new Error('client: no gates; give one address or more');
    this.#options = options;
    this.#transports = options.transports ?? webSockets();
    for (const gate of options.gates) {
      if (this.#transports[schemeOf(gate)] !== undefined) continue;
      throw new Error(`client: no transport for ${gate}; in Node, give nodeTransports()`);
    }
    this.#gates = new Gates(options.gates, Math.random);
    this.#replica = options.schema && new Replica(options.schema);
    this.#inflate = options.inflate ?? platformInflate();
    this.#agreement = new Agreement(options.schema);
    this.#session = new Session({
      program: options.program ?? 'starbus-client 0.1.0',
      schema: options.schema?.hash ?? 0n,
      patience: options.patience ?? limits.kPatience,
      saved: options.saved,
      features: this.#inflate === undefined ? 0n : kInflates,
    });
  }

  get state(): State {
    return this.#session.state;
  }
  /** The channel of the entity that is played; empty before the first. */
  get subject(): string {
    return this.#subject;
  }
  get groups(): readonly string[] {
    return this.#groups;
  }
  /** The subject's properties for its own client; undefined: it has none, or the schema has not. */
  get properties(): Readonly<Record<string, any>> | undefined {
    return this.#hasState ? this.#replica?.state : undefined;
  }
  /** Of the options. */
  get schema(): Schema | undefined {
    return this.#options.schema;
  }
  /** Lets a later client come back without a proof. A secret: it is as good as a password. */
  get saved(): Saved | undefined {
    return this.#session.saved;
  }
  /** Milliseconds to the gate and back. */
  get roundTrip(): number | undefined {
    return this.#session.roundTrip;
  }
  /** Milliseconds since 1970 at the gate. */
  get gateTime(): number | undefined {
    return this.#session.gateTime(now());
  }

  /** Plays: resolves at the first full state. Rejects with SessionEnded. */
  connect(): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (this.#subject !== '') return Promise.resolve();
    const done = new Promise<void>((resolve, reject) => this.#waits.push({ resolve, reject }));
    this.#session.start(now());
    this.#work();
    return done;
  }
  /** Leaves the game on purpose. Resolves when the session has ended. */
  close(): Promise<void> {
    if (this.#ended !== undefined) return Promise.resolve();
    const done = new Promise<void>((resolve) => this.on('ended', () => resolve()));
    this.#session.leave(now());
    this.#work();
    return done;
  }

  /**
   * Asks the subject, by `class.method` of the schema or by what it says of a method. Ends always,
   * with one outcome. Throws BadBytes for arguments of other types, and Error for no such method.
   */
  async ask<V = any, R = any>(
    method: string | Method,
    args: readonly unknown[] = [],
    options: AskOptions = {},
  ): Promise<Outcome<V, R>> {
    const known = this.#method(method);
    if (this.#agreement.differs(known.id)) return { fate: 'not_begun', why: 'differs' };
    const fate = await this.askBytes(encodeAsk(known, args), options);
    if (fate.fate !== 'replied') return fate;
    try {
      return decodeAnswer(known, fate.answer);
    } catch (error) {
      this.emit('error', error);
      return { fate: 'reply_lost' };
    }
  }
  /** Likewise, with the bytes of a call. Throws BadBytes (`too_large`). */
  askBytes(body: Uint8Array, { timeout = limits.kAskTime }: AskOptions = {}): Promise<Fate> {
    return new Promise((resolve) => {
      const at = now();
      this.#asked.set(this.#session.ask(body, at + timeout, at), resolve);
      this.#work();
    });
  }
  /** Runs when the server calls `class.method` of the client, which has these types. */
  handle(
    name: string,
    method: readonly TypeDoc[] | MethodDoc,
    run: (...args: any[]) => void,
  ): void {
    const { schema } = this.#options;
    if (schema === undefined) throw new Error('client: no schema; give the one of the server');
    const known = isTypes(method)
      ? { name, id: methodId(name), signature: 0, args: method.map((type) => schema.codec(type)) }
      : schema.methodOf(name, method);
    const whole = { answer: undefined, refusal: undefined, ...known };
    this.hear(whole, run);
  }
  /** Likewise, by what it says of a method. */
  hear(method: Method, run: (...args: any[]) => void): void {
    this.#handlers.set(method.id, { method, run });
  }
  /** What the program has of the state is wrong: comes back for a full state. */
  refresh(): void {
    this.#session.refresh(now());
    this.#work();
  }

  #method(method: string | Method): Method {
    if (typeof method !== 'string') return method;
    const known = this.#options.schema?.method(method);
    if (known === undefined) throw new Error(`client: no method ${method}; is the schema old?`);
    return known;
  }

  // --- the session -------------------------------------------------------------------------------

  /** Does what the session wants, until it wants nothing more. */
  #work(): void {
    if (this.#working) return;
    this.#working = true;
    try {
      for (let all = this.#session.take(); all.length > 0; all = this.#session.take()) {
        for (const one of all) this.#do(one);
      }
    } finally {
      this.#working = false;
    }
    clearTimeout(this.#timer);
    const wakeAt = this.#session.wakeAt();
    if (wakeAt === Infinity) return;
    const wait = Math.min(Math.max(0, Math.ceil(wakeAt - now())), kLongestTimer);
    this.#timer = setTimeout(() => {
      this.#session.tick(now());
      this.#work();
    }, wait);
  }
  #do(one: Output): void {
    switch (one.type) {
      case 'connect':
        return this.#open(one.address, one.elsewhere);
      case 'send':
        return this.#connection?.send(one.frame);
      case 'disconnect':
        this.#connection?.close();
        this.#connection = undefined;
        return;
      default:
        return this.#hear(one);
    }
  }
  #open(address: string | undefined, elsewhere: boolean): void {
    const known = (scheme: string): boolean => this.#transports[scheme] !== undefined;
    const to =
      address === undefined ? this.#gates.next(elsewhere) : this.#gates.redirected(address, known);
    const then = (say: () => void): void => {
      if (this.#connection !== connection) return; // a former one
      say();
      this.#work();
    };
    const lost = (text: string): void =>
      then(() => {
        this.emit('lost', { gate: to, text });
        this.#session.lost(now());
      });
    const frames = new Inflater(this.#inflate, (frame) =>
      then(() => this.#session.frame(frame, now())),
    );
    const connection = this.#transports[schemeOf(to)]!(to, {
      opened: () => then(() => this.#session.opened(now())),
      frame: (bytes) => {
        if (frames.push(bytes) || this.#connection !== connection) return;
        connection.close();
        lost('too much waits for a deflated packet');
      },
      lost,
    });
    this.#connection = connection;
  }

  #hear(event: SessionEvent): void {
    switch (event.type) {
      case 'state':
        return this.emit('state', event.state);
      case 'credentials':
        return void this.#login(event.reason, event.text);
      case 'waiting':
        return this.emit('waiting', event.waiting);
      case 'welcome':
        return this.#gates.good();
      case 'full':
        return this.#full(event.full);
      case 'news':
        return this.#news(event.changes);
      case 'sight':
        return this.emit('sight', event.body);
      case 'call':
        return this.#call(event.call, undefined);
      case 'spoken':
        return this.#call(event.call, event.group);
      case 'over':
        return this.emit('over', event.over);
      case 'fate': {
        const resolve = this.#asked.get(event.id);
        this.#asked.delete(event.id);
        return resolve?.(event.fate);
      }
      case 'closed':
        return this.emit('closed', { reason: event.reason, text: event.text });
      case 'fault':
        return this.emit('error', new Error(`gate: ${event.text}`));
      case 'ended':
        return this.#end(event.reason, event.text);
    }
  }
  async #login(reason: CloseReason | undefined, text: string): Promise<void> {
    let login: Login | undefined;
    try {
      login = await this.#options.credentials(reason, text);
      if (login !== undefined) {
        const { method, account, proof } = login;
        const bytes = typeof proof === 'string' ? bytesOfText(proof) : proof;
        this.#session.login({ method, account, proof: bytes }, now());
      }
    } catch (error) {
      login = undefined;
      this.emit('error', error);
    }
    if (login === undefined) this.#session.leave(now());
    this.#work();
  }
  #full(full: { subject: string; groups: readonly string[]; properties: Uint8Array }): void {
    this.#subject = full.subject;
    this.#groups = full.groups;
    this.#hasState = false;
    this.#agreement.release();
    const asks = this.#askNames();
    const changes = this.#snapshot(full.properties, asks);
    this.emit('subject', full);
    if (changes !== undefined) this.emit('changed', changes);
    for (const { resolve } of this.#waits.splice(0)) resolve();
  }
  /** `holds`: properties of another schema wait for the names of the server. */
  #snapshot(bytes: Uint8Array, holds: boolean): Change[] | undefined {
    const changes = this.#take(() => {
      try {
        return bytes.length > 0 ? this.#replica?.applySnapshot(bytes) : undefined;
      } catch (error) {
        if (!holds || !isMismatch(error)) throw error;
        this.#agreement.hold(bytes);
        return undefined;
      }
    });
    this.#hasState = changes !== undefined;
    return changes;
  }
  /** Asks the server for its names. False: the schema has none to compare. */
  #askNames(): boolean {
    const request = this.#agreement.request;
    if (request === undefined) return false;
    const stretch = ++this.#stretch;
    void this.askBytes(request).then((fate) => {
      if (stretch === this.#stretch) this.#hearNames(fate);
    });
    return true;
  }
  #hearNames(fate: Fate): void {
    const found = this.#take(() => this.#agreement.hear(fate, this.#replica), false);
    this.emit('agreed', this.#agreement.names);
    if (found !== undefined) this.emit('names', found);
    const [snapshot, ...news] = this.#agreement.release();
    if (snapshot === undefined) return;
    const changes = this.#snapshot(snapshot, false);
    if (changes !== undefined) this.emit('changed', changes);
    for (const each of news) this.#news(each);
    this.#work();
  }
  #news(bytes: Uint8Array): void {
    if (this.#agreement.holds) {
      if (!this.#agreement.keep(bytes)) this.#session.refresh(now());
      return;
    }
    if (!this.#hasState) return this.emit('news', bytes);
    const changes = this.#take(() => this.#replica?.applyDelta(bytes));
    if (changes !== undefined && changes.length > 0) this.emit('changed', changes);
  }
  /** What does not fit is asked for as a whole; an unknown schema is left to the program. */
  #take<T>(apply: () => T | undefined, refreshes = true): T | undefined {
    try {
      return apply();
    } catch (error) {
      this.emit('error', error);
      const code = error instanceof BadBytes ? error.code : undefined;
      const again = refreshes && code !== undefined && code !== 'schema_mismatch';
      if (again) this.#session.refresh(now());
      return undefined;
    }
  }
  #call(call: Call, group: string | undefined): void {
    const handler = this.#handlers.get(call.method);
    const signature = handler?.method.signature;
    if (handler === undefined || (signature !== 0 && signature !== call.signature)) {
      return this.emit('call', { ...call, group });
    }
    try {
      handler.run(...decodeValues(handler.method.args, call.args));
    } catch (error) {
      this.emit('error', error);
    }
  }
  #end(reason: string, text: string): void {
    this.#ended = new SessionEnded(reason, text);
    for (const { reject } of this.#waits.splice(0)) reject(this.#ended);
    this.emit('ended', { reason, text });
  }
}

function isTypes(method: readonly TypeDoc[] | MethodDoc): method is readonly TypeDoc[] {
  return Array.isArray(method);
}
/** Milliseconds of a clock that never goes back. */
function now(): number {
  return performance.now();
}
