/**
 * The game as a client sees it, without a page: page.ts shows it, and scripts/try-page plays it with
 * Node. The names of methods and properties are those of src/*.hpp.
 */
import { Client, Schema } from 'starbus-client';
import type { Bag, Saved, SchemaDoc } from 'starbus-client';
import { explain } from './basics.js';
import type { Login, Options, Settings } from './basics.js';

/** One of the account's, by its id. */
export interface Character {
  readonly id: string;
  readonly name: string;
}
/** What the one who plays knows of the own player. */
export interface PlayerView {
  readonly name: string;
  readonly score: bigint;
  readonly gold: bigint;
  readonly energy: bigint;
  readonly at: string;
  /** How many of each kind. */
  readonly backpack: ReadonlyMap<bigint, bigint>;
}

/** What shows the game. */
export interface Screen {
  /** The connection, in words. */
  status(text: string): void;
  /** What went wrong; the game goes on. */
  problem(text: string): void;
  /** Asks for a login, `why` after a refusal. Undefined: the person gives up. */
  login(why: string): Promise<Login | undefined>;
  lobby(characters: readonly Character[], visits: bigint): void;
  player(view: PlayerView): void;
  said(who: string, line: string): void;
  /** Nothing follows. */
  ended(reason: string, text: string): void;
}

export class Game {
  readonly #client: Client;
  readonly #screen: Screen;

  /** `schema` is what `game-host --schema` prints. */
  constructor(settings: Settings, schema: SchemaDoc, screen: Screen, options: Options = {}) {
    this.#screen = screen;
    const client = new Client({
      gates: settings.gates,
      schema: new Schema(schema),
      program: '@NAME@ 0.1',
      credentials: (reason, text) => this.#login(reason ?? '', text),
      ...options,
    });
    this.#client = client;
    client.on('state', (state) => screen.status(state));
    client.on('waiting', ({ what, ahead }) => screen.status(`waits for ${what}, ${ahead} ahead`));
    client.on('changed', () => this.#show());
    client.on('closed', ({ reason, text }) => screen.problem(`${reason} ${text}`));
    client.on('error', (error) => screen.problem(String(error)));
    client.on('ended', ({ reason, text }) => screen.ended(reason, text));
    client.handle('player_client.said', ['string', 'string'], (who: string, line: string) =>
      screen.said(who, line),
    );
  }

  /** A secret, as good as the password: for the session's storage of the page alone. */
  get saved(): Saved | undefined {
    return this.#client.saved;
  }
  /** Resolves when the account or a player is shown. Lost connections are made again by themselves. */
  start(): Promise<void> {
    return this.#client.connect();
  }
  /** Leaves for good: another login needs another Game. */
  close(): Promise<void> {
    return this.#client.close();
  }

  // --- of the account: each true if it was done ---

  create(name: string): Promise<boolean> {
    return this.#ask('starbus_account.create', [name]);
  }
  choose(id: string): Promise<boolean> {
    return this.#ask('starbus_account.choose', [id]);
  }

  // --- of the player ---

  addScore(points: bigint): Promise<boolean> {
    return this.#ask('player.add_score', [points]);
  }
  /** The backpack shows it a moment later: the player asks the shop. */
  buy(kind: bigint): Promise<boolean> {
    return this.#ask('player.buy', [kind]);
  }
  /** To a process, such as `b.game`. */
  travel(process: string): Promise<boolean> {
    return this.#ask('player.travel', [process]);
  }
  say(line: string): Promise<boolean> {
    return this.#ask('player.say', [line]);
  }
  /** Back to the account. */
  logOut(): Promise<boolean> {
    return this.#ask('starbus_player.log_out', []);
  }

  async #ask(method: string, args: readonly unknown[]): Promise<boolean> {
    const outcome = await this.#client.ask(method, args);
    const done = outcome.fate === 'replied' && outcome.value !== false;
    if (!done) this.#screen.problem(`${method}: ${explain(outcome)}`);
    return done;
  }
  async #login(reason: string, text: string) {
    const typed = await this.#screen.login(`${reason} ${text}`.trim());
    if (typed === undefined) return undefined;
    return { method: typed.method, account: typed.account, proof: typed.password };
  }
  #show(): void {
    const all = this.#client.properties;
    if (all === undefined) return;
    if (this.#client.subject.startsWith('account/')) {
      const characters = [...(all['characters'] as Bag<bigint, Character>)].map(([, one]) => one);
      return this.#screen.lobby(characters, all['visits']);
    }
    const items = all['backpack'].items as Bag<bigint, { count: bigint }>;
    const backpack = new Map([...items].map(([kind, item]) => [kind, item.count]));
    this.#screen.player({ ...(all as PlayerView), backpack });
  }
}
