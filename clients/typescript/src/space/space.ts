/**
 * The space around a client's subject: what is seen there, and the own player, which moves before the
 * server has answered. docs/guide/web-client.md, section "A space", has a page with it.
 *
 *   const space = new Space(client, { step });
 *   space.on('scene', async (scene) => { await load(scene); await space.ready(scene); });
 *   // each frame
 *   if (keys.pressed) space.move(keys);
 *   for (const seen of space.seen) draw(seen, seen.at(space.shownTime()));
 *
 * Made before the client connects. Handlers as the client's. What a server should not say is the
 * event `error`, and the client comes back for a full state.
 */
import type { Client, Outcome } from '../client.js';
import * as limits from '../limits.js';
import type { Locomotion, MoveAck, Position } from './locomotion.js';
import { correctionOf, kCorrectMethod, kMoveMethod, kReadyMethod, reportValue } from './methods.js';
import { OwnMove } from './own.js';
import type { OwnOptions } from './own.js';
import type { Step } from './replay.js';
import type { Scene } from './sight.js';
import { SpaceView } from './view.js';
import type { ViewOptions } from './view.js';

export interface SpaceOptions<Input> extends ViewOptions, OwnOptions {
  /** One move of the own player, by the rules of the game; without it, `move` makes none. */
  readonly step?: Step<Input>;
  /** A steady clock in ms; `performance.now` unless it is there. */
  readonly now?: () => number;
}

export class Space<Input = any> extends SpaceView {
  readonly #client: Client;
  readonly #options: SpaceOptions<Input>;
  readonly #now: () => number;
  readonly #ends: (() => void)[];
  #own: OwnMove<Input> | undefined;
  #number = 0; // of the latest report, through all scenes
  #isReady = false;
  #open = 0; // reports without an answer
  #refused = false; // `error` was told of it
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Client, options: SpaceOptions<Input> = {}) {
    const schema = options.schema ?? client.schema;
    super({ ...options, schema });
    this.#client = client;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    const asksNames = (schema?.hashes.length ?? 0) > 0;
    this.on('scene', (scene) => this.#begin(scene));
    this.#ends = [
      client.on('subject', () => this.restart(asksNames)),
      client.on('agreed', (names) => this.#take(() => this.learn(names))),
      client.on('sight', (body) => this.#take(() => this.take(body, this.#now()))),
      client.on('state', () => this.#report()),
      () => clearTimeout(this.#timer),
    ];
    client.hear(kCorrectMethod, (value) => this.#correct(value));
  }

  /** Hears of the client no more. */
  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  /** The program has loaded a scene and wants to see it. Asked again if it is not `replied`. */
  ready(scene: Pick<Scene, 'number'>): Promise<Outcome<boolean>> {
    if (scene.number === this.scene?.number) this.#isReady = true;
    const outcome = this.#client.ask<boolean>(kReadyMethod, [scene.number]);
    this.#report();
    return outcome;
  }

  /** Makes a move of the own player, and reports it in time. Undefined: it has no body here. */
  move(input: Input): Locomotion | undefined {
    const state = this.#own?.move(input, this.#now());
    this.#report();
    return state;
  }
  /** Where the own player is; undefined: nowhere, or there is no `step`. */
  get own(): Locomotion | undefined {
    return this.#own?.state;
  }
  /** Where to show it: small corrections are hidden. */
  get ownShown(): Position | undefined {
    return this.#own?.shown(this.#now());
  }
  override serverTime(now = this.#now()): number {
    return super.serverTime(now);
  }
  override shownTime(now = this.#now()): number {
    return super.shownTime(now);
  }

  #begin(scene: Scene | undefined): void {
    this.#number = this.#own?.number ?? this.#number;
    this.#own = undefined;
    this.#isReady = this.#refused = false;
    const { step } = this.#options;
    if (scene?.move === undefined || step === undefined) return;
    const { epoch, move } = scene;
    const start = { epoch, number: this.#number, teleport: true, move };
    this.#own = new OwnMove(start, step, this.#options);
  }
  #correct(value: unknown): void {
    const own = this.#own;
    const correction = correctionOf(value);
    if (correction === undefined) return this.#broken(new Error('gate: a correction to no place'));
    const from = own?.state;
    if (own === undefined || from === undefined || !own.correct(correction, this.#now())) return;
    this.#report();
    this.emit('corrected', { from, to: own.state, teleport: correction.teleport });
  }
  /** Says what is due, and comes back when more is. */
  #report(): void {
    clearTimeout(this.#timer);
    const own = this.#own;
    const speaks = this.#isReady && this.#client.state === 'playing';
    if (own === undefined || !speaks || this.#open >= limits.kReportsOpen) return;
    const now = this.#now();
    const report = own.report(now);
    if (report !== undefined) void this.#say(own, reportValue(report));
    else if (own.dueAt !== Infinity) this.#wake(own.dueAt - now);
  }
  #wake(wait: number): void {
    this.#timer = setTimeout(() => this.#report(), Math.max(1, Math.ceil(wait)));
  }
  async #say(own: OwnMove<Input>, report: object): Promise<void> {
    this.#open += 1;
    const options = { timeout: limits.kReportWait };
    try {
      const outcome = await this.#client.ask<MoveAck>(kMoveMethod, [report], options);
      if (outcome.fate === 'replied') own.ack(outcome.value);
      if (outcome.fate === 'failed') this.#failed(own, `${outcome.name} ${outcome.text}`);
    } catch (error) {
      this.#failed(own, String(error)); // the step gives what is no place
    }
    this.#open -= 1;
    this.#report();
  }
  /** Told once for each scene: the next report would fail likewise. */
  #failed(own: OwnMove<Input>, why: string): void {
    if (own !== this.#own || this.#refused) return;
    this.#refused = true;
    this.emit('error', new Error(`starbus_space.move: ${why}`));
  }
  #take(apply: () => void): void {
    try {
      apply();
    } catch (error) {
      this.#broken(error);
    }
  }
  #broken(error: unknown): void {
    this.emit('error', error);
    this.#client.refresh();
  }
}
