/**
 * When and where a session connects again: the waits double, and each is a random part, so that
 * clients of a gate that died do not come back at once. Sans-IO; belongs to a Session.
 */
import * as limits from './limits.js';

export class Retry {
  readonly #random: () => number;
  #attempts = 0;
  #faults = 0;
  #redirections = 0;
  #wait = 0;
  #at = Infinity;
  #address: string | undefined;
  #elsewhere = false;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** When. */
  get at(): number {
    return this.#at;
  }
  /** Where; undefined: anywhere. */
  get address(): string | undefined {
    return this.#address;
  }
  /** Anywhere but where it was. */
  get elsewhere(): boolean {
    return this.#elsewhere;
  }

  /** After a loss, or a refusal that demands a wait. */
  after(demanded: number, elsewhere = false): this {
    const most = Math.min(limits.kFirstRetry * 2 ** this.#attempts, limits.kMostRetry);
    if (most < limits.kMostRetry) this.#attempts += 1;
    this.#wait = Math.min(demanded, limits.kMostDemanded) + most * this.#random();
    this.#address = undefined;
    this.#elsewhere = elsewhere;
    return this;
  }
  /** It was in play, and nobody has ended it. */
  broken(): this {
    this.after(0);
    this.#wait = Math.min(this.#wait, limits.kBrokenRetry * this.#random());
    return this;
  }
  /** A gate has named another one. */
  redirected(address: string): this {
    this.#redirections += 1;
    this.after(0);
    if (this.#redirections <= limits.kRedirections) this.#wait = 0;
    this.#address = address;
    return this;
  }
  /** Counts from now. */
  from(now: number): void {
    this.#at = now + this.#wait;
  }
  /** Faults of gates in a row. */
  fault(): number {
    return ++this.#faults;
  }
  /** It has been in play for a while. */
  settled(): void {
    this.#attempts = this.#faults = this.#redirections = 0;
  }
}
