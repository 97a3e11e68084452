/**
 * The game as a client plays it, without a page: page.ts shows it, and scripts/try-page plays it with Node. Logs
 * in, has a hero, and moves it. The names of methods and properties are those of src/*.hpp.
 */
import { Client, Schema, Space } from 'starbus-client';
import type { Bag, Locomotion, Saved, Scene, SchemaDoc, Seen } from 'starbus-client';
import { explain } from './basics.js';
import type { Login, Options, Settings } from './basics.js';

const kSpeed = 6; // m/s: as in src/field.hpp
const kMargin = 0.5; // m: heroes stay so far within the area
const kDelay = 200; // ms that others are shown late: two ticks, so that they walk evenly
const kLongestFrame = 0.1; // s: of a tab that was in the background
const kAgain = 1000; // ms until a refused request is made again

export interface Place {
  readonly x: number;
  readonly y: number;
}
/** What a field says of itself: Field::watch_options. */
export interface Ground {
  /** x, y, and x, y of the corner beyond. */
  readonly area: readonly [number, number, number, number];
  /** x, y, radius, and the type of the space that it leads to. */
  readonly portals: readonly (readonly [number, number, number, string])[];
}
/** Of the own hero: HeroState. */
export interface HeroView {
  readonly name: string;
  readonly colour: number;
  readonly space: string;
  readonly node: string;
}
/** What the others see of it, and of a sheep. */
export type Look = Partial<Pick<HeroView, 'name' | 'colour'>> & { readonly kind?: string };

/** What shows the game. It looks at `hero`, `ground` and `space` of the Game by itself. */
export interface Screen {
  /** The connection, in words. */
  status(text: string): void;
  /** What went wrong; the game goes on. */
  problem(text: string): void;
  /** Asks for a login, `why` after a refusal. Undefined: the person gives up. */
  login(why: string): Promise<(Login & { readonly colour: number }) | undefined>;
  said(who: string, text: string): void;
  /** Nothing follows. */
  ended(reason: string, text: string): void;
}

/** One step of the own hero: a direction of length 1, or 0, for so long. */
interface Walk extends Place {
  readonly seconds: number;
  readonly area: Ground['area'];
}
/** Where a step leads. The same arguments give the same place: corrections need that. */
function step(from: Locomotion, { x, y, seconds, area }: Walk): Locomotion {
  const within = (at: number, least: number, most: number): number =>
    Math.min(Math.max(at, least + kMargin), most - kMargin);
  return {
    ...from,
    position: {
      ...from.position,
      x: within(from.position.x + x * kSpeed * seconds, area[0], area[2]),
      y: within(from.position.y + y * kSpeed * seconds, area[1], area[3]),
    },
    velocity: { x: x * kSpeed, y: y * kSpeed, z: 0 },
    heading: x !== 0 || y !== 0 ? Math.atan2(y, x) : from.heading,
  };
}

export class Game {
  readonly space: Space<Walk>;
  readonly #client: Client;
  readonly #screen: Screen;
  #ground: Ground | undefined;
  #choosing = false;
  #colour: number | undefined; // that the person has chosen, and the hero has not yet
  #keys: Place = { x: 0, y: 0 };
  #goal: Place | undefined;
  #goes = false; // the last step was not to stand
  #frameAt = 0;

  /** `schema` is what `game-host --schema` prints. */
  constructor(settings: Settings, schema: SchemaDoc, screen: Screen, options: Options = {}) {
    this.#screen = screen;
    const client = new Client({
      gates: settings.gates,
      schema: new Schema(schema),
      program: '@NAME@ 0.1',
      credentials: (reason, text) => this.#login(text || (reason ?? '')),
      ...options,
    });
    this.#client = client;
    client.on('state', (state) => screen.status(state));
    client.on('waiting', ({ what, ahead }) => screen.status(`waits for ${what}, ${ahead} ahead`));
    client.on('changed', () => this.#changed());
    client.on('closed', ({ reason, text }) => screen.problem(`${reason} ${text}`));
    client.on('error', (error) => screen.problem(String(error)));
    client.on('ended', ({ reason, text }) => screen.ended(reason, text));
    client.handle('hero_client.said', ['string', 'string'], (who: string, text: string) =>
      screen.said(who, text),
    );
    this.space = new Space<Walk>(client, { step, delay: kDelay });
    this.space.on('scene', (scene) => void this.#scene(scene));
    this.space.on('corrected', ({ teleport }) => teleport && (this.#goal = undefined));
    this.space.on('error', (error) => screen.problem(String(error)));
  }

  /** A secret, as good as the password: for the session's storage of the page alone. */
  get saved(): Saved | undefined {
    return this.#client.saved;
  }
  /** Undefined: none is played yet. */
  get hero(): HeroView | undefined {
    const plays = this.#client.subject.startsWith('player/');
    return plays ? (this.#client.properties as HeroView | undefined) : undefined;
  }
  /** Undefined: the hero is in no space. */
  get ground(): Ground | undefined {
    return this.#ground;
  }
  /** Resolves when the account or a hero is there. Lost connections are made again by themselves. */
  start(): Promise<void> {
    return this.#client.connect();
  }
  /** Leaves for good: another login needs another Game. */
  close(): Promise<void> {
    this.space.end();
    return this.#client.close();
  }

  // --- of the hero ---

  /** A direction of any length; none: no key is pressed. */
  press(x: number, y: number): void {
    const length = Math.hypot(x, y) || 1;
    this.#keys = { x: x / length, y: y / length };
    if (x !== 0 || y !== 0) this.#goal = undefined;
  }
  walkTo(goal: Place): void {
    this.#goal = goal;
  }
  /** Moves the hero on; `now` is performance.now(). */
  frame(now: number): void {
    const seconds = Math.min((now - this.#frameAt) / 1000, kLongestFrame);
    this.#frameAt = now;
    const own = this.space.own;
    if (own === undefined || this.#ground === undefined || seconds <= 0) return;
    const way = this.#way(own.position, seconds);
    if (way === undefined && !this.#goes) return; // it stands, and has said so
    this.#goes = way !== undefined;
    this.space.move({ ...(way ?? { x: 0, y: 0, seconds }), area: this.#ground.area });
  }
  /** To all in its space. True: it was said. */
  say(text: string): Promise<boolean> {
    return this.#ask('hero.say', [text]);
  }
  /** 0xRRGGBB. */
  paint(colour: number): Promise<boolean> {
    return this.#ask('hero.paint', [colour]);
  }

  #way(from: Place, seconds: number): (Place & { seconds: number }) | undefined {
    if (this.#keys.x !== 0 || this.#keys.y !== 0) return { ...this.#keys, seconds };
    if (this.#goal === undefined) return undefined;
    const [x, y] = [this.#goal.x - from.x, this.#goal.y - from.y];
    const left = Math.hypot(x, y);
    if (left < 0.05) return (this.#goal = undefined);
    return { x: x / left, y: y / left, seconds: Math.min(seconds, left / kSpeed) };
  }
  async #scene(scene: Scene | undefined): Promise<void> {
    this.#ground = this.#goal = undefined;
    if (scene === undefined || scene.space === '') return; // another one follows
    this.#ground = JSON.parse(new TextDecoder().decode(scene.setup)) as Ground;
    while (this.space.scene === scene) {
      const outcome = await this.space.ready(scene);
      if (outcome.fate === 'replied') return;
      await after(kAgain);
    }
  }
  #changed(): void {
    if (this.#client.subject.startsWith('account/')) return void this.#choose();
    const colour = this.#colour;
    this.#colour = undefined;
    if (colour !== undefined && colour !== this.hero?.colour) void this.paint(colour);
  }
  async #ask(method: string, args: readonly unknown[]): Promise<boolean> {
    const outcome = await this.#client.ask(method, args);
    const done = outcome.fate === 'replied' && outcome.value !== false;
    if (!done) this.#screen.problem(`${method}: ${explain(outcome)}`);
    return done;
  }

  // --- the way to a hero ---

  async #login(why: string) {
    const typed = await this.#screen.login(why);
    if (typed === undefined) return undefined;
    this.#colour = typed.colour;
    return { method: typed.method, account: typed.account, proof: typed.password };
  }
  /** Plays the first character of the account, which is made if there is none. */
  async #choose(): Promise<void> {
    if (this.#choosing) return;
    this.#choosing = true;
    while (this.#client.subject.startsWith('account/') && this.#client.state !== 'ended') {
      const id = this.#characters()[0] ?? (await this.#create());
      if (id !== undefined && (await this.#ask('starbus_account.choose', [id]))) break;
      await after(kAgain);
    }
    this.#choosing = false;
  }
  #characters(): string[] {
    const all = this.#client.properties?.['characters'] as Bag<bigint, { id: string }> | undefined;
    return [...(all ?? [])].map(([, { id }]) => id);
  }
  /** The id of a new character, which is named as the account; undefined: there is none. */
  async #create(): Promise<string | undefined> {
    const name = this.#client.subject.slice('account/'.length);
    const outcome = await this.#client.ask<string>('starbus_account.create', [name]);
    if (outcome.fate === 'replied') return outcome.value;
    this.#screen.problem(`starbus_account.create: ${explain(outcome)}`);
    return undefined;
  }
}

/** Of one that is seen. */
export function lookOf(seen: Seen): Look {
  return (seen.properties as Look | undefined) ?? {};
}
function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
