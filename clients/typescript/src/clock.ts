/**
 * The gate's clock, as the client knows it. Of the last measurements the one with the shortest way
 * counts: the others were held up on one of their ways, and nobody knows on which. Sans-IO; belongs
 * to a Session.
 */
import * as limits from './limits.js';

export class GateClock {
  #samples: { trip: number; ahead: number }[] = [];
  #rough: number | undefined;

  /** Of a Greeting: the way back was not measured. */
  greeted(here: bigint, now: number): void {
    this.#samples = [];
    this.#rough = Number(here) - now;
  }
  /** A Ping that was said at `sent` has come back. */
  measured(sent: number, here: bigint, now: number): void {
    const trip = now - sent;
    if (here === 0n || !(trip >= 0)) return;
    this.#samples.push({ trip, ahead: Number(here) + trip / 2 - now });
    if (this.#samples.length > limits.kClockSamples) this.#samples.shift();
  }
  /** Milliseconds there and back; undefined: not measured yet. */
  get roundTrip(): number | undefined {
    return this.#best()?.trip;
  }
  /** Milliseconds since 1970 at the gate; undefined: no gate has said so. */
  at(now: number): number | undefined {
    const ahead = this.#best()?.ahead ?? this.#rough;
    return ahead === undefined ? undefined : now + ahead;
  }

  #best(): { trip: number; ahead: number } | undefined {
    let best = this.#samples[0];
    for (const sample of this.#samples) if (sample.trip < best!.trip) best = sample;
    return best;
  }
}
