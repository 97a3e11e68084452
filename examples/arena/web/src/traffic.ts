/** What comes from the gates, counted. */
import type { Transport, Transports } from 'starbus-client';

const kWindow = 2000; // ms

export class Traffic {
  #at: number[] = []; // of packets, the oldest first

  /** The same transports, whose frames are counted. */
  counts(all: Transports): Transports {
    const counted =
      (open: Transport): Transport =>
      (address, told) =>
        open(address, {
          opened: () => told.opened(),
          lost: (text) => told.lost(text),
          frame: (bytes) => {
            this.#at.push(performance.now());
            this.#forget();
            told.frame(bytes);
          },
        });
    return Object.fromEntries(Object.entries(all).map(([scheme, open]) => [scheme, counted(open)]));
  }
  /** Packets a second, of the last two. */
  get perSecond(): number {
    this.#forget();
    return this.#at.length / (kWindow / 1000);
  }
  #forget(): void {
    const oldest = performance.now() - kWindow;
    const kept = this.#at.findIndex((at) => at >= oldest);
    this.#at.splice(0, kept < 0 ? this.#at.length : kept);
  }
}
