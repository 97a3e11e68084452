/**
 * The arena as a client plays it, without a page: page.ts shows it, and try.mjs plays it with Node.
 * Logs in, has a hero, steers it, and tells what it sees. The names of methods and properties are
 * those of examples/arena/*.hpp.
 */
import { Client, Schema, Space, webSockets } from 'starbus-client';
import type { Bag, Outcome, Saved, Scene, SchemaDoc, Seen, Transports } from 'starbus-client';
import { fieldOf, metres, step } from './field.js';
import type { Field, Walk } from './field.js';
import { Steering } from './steering.js';
import { Traffic } from './traffic.js';
import { wordsOf } from './words.js';

const kLag = 0.3; // m that a monster goes until a strike arrives
const kLate = 50; // ms: strikes must not arrive sooner one after the other than they may
const kDelay = 150; // ms that others are shown behind the server's time
const kLongestFrame = 0.1; // s: of a tab that was in the background
const kAgain = 1000; // ms until a refused request is made again

/** settings.json of the page. */
export interface Settings {
  /** ws://host:port/, or wss:// where the gate has a certificate. */
  readonly gates: readonly string[];
}
export interface Login {
  /** An account that exists, or a new one. */
  readonly method: 'password' | 'create';
  readonly account: string;
  readonly password: string;
}
/** Of the own hero. */
export interface HeroView {
  readonly name: string;
  readonly health: number;
  readonly kills: number;
  readonly gold: number;
  readonly space: string;
  readonly node: string;
}
export type Where = 'space' | 'whisper' | 'world' | 'whispered' | 'game';
export interface Line {
  /** `whispered`: by the own hero, to `who`. `game`: no hero has said it. */
  readonly where: Where;
  readonly who: string;
  readonly text: string;
}
/** Somebody has lost health: the own hero if `seen` is undefined. */
export interface Blow {
  readonly seen: Seen | undefined;
  readonly damage: number;
  readonly left: number;
}
/** What the corner shows. */
export interface Figures {
  readonly space: string;
  readonly node: string;
  /** ms; undefined: not measured yet. */
  readonly roundTrip: number | undefined;
  readonly seen: number;
  readonly packets: number;
}

/** What shows the game. */
export interface Screen {
  /** The connection: a state of the client, or what the login waits for. */
  status(text: string): void;
  /** What went wrong; the game goes on. */
  problem(text: string): void;
  /** Asks for a login, `why` after a refusal. Undefined: the person gives up. */
  login(why: string): Promise<Login | undefined>;
  /** The hero is in another field; undefined: in none yet. */
  field(field: Field | undefined): void;
  hero(view: HeroView): void;
  said(line: Line): void;
  struck(blow: Blow): void;
  looted(gold: number): void;
  /** Nothing follows. */
  ended(reason: string, text: string): void;
}
export interface Options {
  /** Other than the WebSockets of a browser. */
  readonly transports?: Transports;
  /** Of an earlier Game: comes back without a password. */
  readonly saved?: Saved | undefined;
}

export class Game {
  readonly steering = new Steering();
  readonly space: Space<Walk>;
  readonly #client: Client;
  readonly #screen: Screen;
  readonly #traffic = new Traffic();
  readonly #health = new Map<Seen, number>(); // as it was shown last
  #field: Field | undefined;
  #choosing = false;
  #frameAt: number | undefined;
  #strikeAt = 0;

  /** `schema` is what `arena --schema` prints. */
  constructor(settings: Settings, schema: SchemaDoc, screen: Screen, options: Options = {}) {
    this.#screen = screen;
    this.#client = new Client({
      gates: settings.gates,
      schema: new Schema(schema),
      program: 'arena-page 1.0',
      credentials: (reason, text) => this.#login(text || (reason ?? '')),
      saved: options.saved,
      transports: this.#traffic.counts(options.transports ?? webSockets()),
    });
    this.space = new Space<Walk>(this.#client, { step, delay: kDelay });
    this.#hearClient();
    this.#hearSpace();
  }

  /** A secret, as good as the password: for the session's storage of the page alone. */
  get saved(): Saved | undefined {
    return this.#client.saved;
  }
  get state(): string {
    return this.#client.state;
  }
  get field(): Field | undefined {
    return this.#field;
  }
  /** Undefined: no hero is played yet. */
  get hero(): HeroView | undefined {
    const plays = this.#client.subject.startsWith('player/');
    return plays ? (this.#client.properties as HeroView | undefined) : undefined;
  }
  get figures(): Figures {
    const hero = this.hero;
    return {
      space: hero?.space ?? '',
      node: hero?.node ?? '',
      roundTrip: this.#client.roundTrip,
      seen: this.space.size,
      packets: this.#traffic.perSecond,
    };
  }

  /** Resolves when the account or a hero is there. Lost connections come back by themselves. */
  start(): Promise<void> {
    return this.#client.connect();
  }
  /** Leaves for good: another login needs another Game. */
  close(): Promise<void> {
    this.space.end();
    return this.#client.close();
  }

  // --- of the hero ---

  /** Moves the hero on, and strikes whom it chases; `now` is performance.now(). */
  frame(now: number): void {
    const passed = (now - (this.#frameAt ?? now)) / 1000;
    const seconds = Math.min(passed, kLongestFrame);
    this.#frameAt = now;
    const own = this.space.own;
    if (own === undefined || this.#field === undefined || seconds <= 0) return;
    const { foe: id } = this.steering;
    const foe = id === undefined ? undefined : this.byId(id);
    if (id !== undefined && foe === undefined) this.steering.stop(); // it is dead, or gone
    const at = foe?.move?.position;
    const reach = this.#field.hero.reach - kLag;
    const walk = this.steering.next(own.position, seconds, this.#field, at, reach - 0.5);
    if (walk !== undefined) this.space.move(walk);
    if (foe !== undefined && at !== undefined && metres(own.position, at) <= reach) {
      void this.#strike(foe, now);
    }
  }
  /** Strikes the nearest monster within reach. False: there is none. */
  strike(): boolean {
    const foe = this.nearestMonster((this.#field?.hero.reach ?? 0) - kLag);
    if (foe === undefined) return false;
    void this.#strike(foe, performance.now());
    return true;
  }
  nearestMonster(within: number): Seen | undefined {
    const own = this.space.own?.position;
    let found: Seen | undefined;
    let least = within;
    for (const seen of this.space.seen) {
      const at = seen.move?.position;
      if (own === undefined || at === undefined || seen.className !== 'monster') continue;
      if (metres(own, at) > least) continue;
      least = metres(own, at);
      found = seen;
    }
    return found;
  }
  /** The one that is seen with this online id. */
  byId(id: bigint): Seen | undefined {
    for (const seen of this.space.seen) if (seen.id === id) return seen;
    return undefined;
  }
  /** What was typed. True: it is on its way to those who hear it. */
  async speak(line: string): Promise<boolean> {
    const words = wordsOf(line, this.#field?.hero.text);
    if (words.kind === 'wrong') {
      this.#screen.problem(words.why);
      return false;
    }
    const { kind, text } = words;
    const args = kind === 'whisper' ? [words.to, text] : [text];
    const outcome = await this.#client.ask(`hero.${kind}`, args);
    if (outcome.fate !== 'replied') {
      this.#screen.problem(`not said: ${explain(outcome)}`);
      return false;
    }
    if (kind === 'whisper') this.#screen.said({ where: 'whispered', who: words.to, text });
    return true;
  }
  /** Back to the account, and from there out. */
  async logOut(): Promise<void> {
    this.#choosing = true; // no hero any more
    await this.#client.ask('starbus_player.log_out', []);
    await this.close();
  }

  async #strike(foe: Seen, now: number): Promise<void> {
    if (now < this.#strikeAt || this.#client.state !== 'playing') return;
    this.#strikeAt = now + (this.#field?.hero.strike_ms ?? 0) + kLate;
    await this.#client.ask('hero.attack', [foe.id], { timeout: 5000 });
  }

  // --- what is heard ---

  #hearClient(): void {
    const client = this.#client;
    const screen = this.#screen;
    client.on('state', (state) => screen.status(state));
    client.on('waiting', ({ what, ahead }) => screen.status(`waits for ${what}, ${ahead} ahead`));
    client.on('changed', () => this.#changed());
    client.on('closed', ({ reason, text }) => {
      if (reason !== 'denied') screen.problem(`${reason} ${text}`.trim()); // which the login shows
    });
    client.on('error', (error) => screen.problem(String(error)));
    client.on('ended', ({ reason, text }) => screen.ended(reason, text));
    const said = (where: Where, who: string, text: string): void =>
      screen.said({ where, who, text });
    client.handle('arena_client.said', ['string', 'string', 'string'], said);
    client.handle('arena_client.looted', ['i32'], (gold: number) => screen.looted(gold));
    client.handle(
      'arena_client.struck',
      ['u64', 'i32', 'i32'],
      (who: bigint, damage: number, left: number) => this.#struck(who, damage, left)
    );
  }
  #hearSpace(): void {
    const space = this.space;
    space.on('scene', (scene) => void this.#scene(scene));
    space.on('entered', (seen) => this.#health.set(seen, healthOf(seen)));
    space.on('changed', ({ seen }) => {
      const damage = (this.#health.get(seen) ?? 0) - healthOf(seen);
      this.#health.set(seen, healthOf(seen));
      if (damage > 0) this.#screen.struck({ seen, damage, left: healthOf(seen) });
    });
    space.on('left', (seen) => void this.#health.delete(seen));
    space.on('corrected', ({ teleport }) => {
      if (teleport) this.steering.stop();
    });
    space.on('error', (error) => this.#screen.problem(String(error)));
  }
  /** The last blow at another one is not seen otherwise: it is gone with it. */
  #struck(who: bigint, damage: number, left: number): void {
    const seen = this.byId(who);
    if (seen === undefined) return this.#screen.struck({ seen, damage, left });
    if (left > 0) return; // its health is about to change
    this.#health.set(seen, 0);
    this.#screen.struck({ seen, damage, left });
  }
  async #scene(scene: Scene | undefined): Promise<void> {
    this.#health.clear();
    this.steering.stop();
    this.#field = undefined;
    if (scene === undefined || scene.space === '') return this.#screen.field(undefined);
    try {
      this.#field = fieldOf(scene.space, scene.setup);
    } catch (error) {
      return this.#screen.problem(`${scene.space}: ${error}`); // of another version of the game
    }
    this.#screen.field(this.#field);
    while (this.space.scene === scene) {
      const outcome = await this.space.ready(scene);
      if (outcome.fate === 'replied') return;
      await after(kAgain);
    }
  }
  #changed(): void {
    if (this.#client.subject.startsWith('account/')) return void this.#choose();
    const hero = this.hero;
    if (hero !== undefined) this.#screen.hero(hero);
  }

  // --- the way to a hero ---

  async #login(why: string) {
    const typed = await this.#screen.login(why);
    if (typed === undefined) return undefined;
    return { method: typed.method, account: typed.account, proof: typed.password };
  }
  /** Plays the first character of the account, which is made if there is none. */
  async #choose(): Promise<void> {
    if (this.#choosing) return;
    this.#choosing = true;
    while (this.#client.subject.startsWith('account/') && this.#client.state !== 'ended') {
      const why = await this.#chooseOnce();
      if (why === '') break;
      this.#screen.problem(why);
      await after(kAgain);
    }
    this.#choosing = false;
  }
  /** Why there is no hero yet; empty: it is on its way. */
  async #chooseOnce(): Promise<string> {
    const characters = this.#client.properties?.['characters'] as
      | Bag<bigint, { id: string }>
      | undefined;
    let id = [...(characters ?? [])][0]?.[1].id;
    if (id === undefined) {
      const made = await this.#client.ask<string>('starbus_account.create', [
        this.#client.subject.slice('account/'.length),
      ]);
      if (made.fate !== 'replied') return `no hero: ${explain(made)}`;
      id = made.value;
    }
    const chosen = await this.#client.ask('starbus_account.choose', [id]);
    return chosen.fate === 'replied' ? '' : `no hero: ${explain(chosen)}`;
  }
}

export interface MonsterSeen {
  readonly kind: string;
  readonly health: number;
}
export interface HeroSeen {
  readonly name: string;
  readonly health: number;
  readonly kills: number;
}
export function healthOf(seen: Seen<MonsterSeen | HeroSeen>): number {
  return seen.properties?.health ?? 0;
}

/** What a person may read of a request that was not done. */
function explain(outcome: Outcome): string {
  switch (outcome.fate) {
    case 'replied':
      return 'not now';
    case 'refused': // an Error of starbus: its code, and its text
      return `refused ${outcome.refusal?._2 ?? ''}`.trim();
    case 'failed':
      return `${outcome.name} ${outcome.text}`;
    case 'not_begun':
      return 'was not begun; try again';
    default:
      return 'may have been done: look at what is shown';
  }
}
function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
