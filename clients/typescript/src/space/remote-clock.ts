/**
 * The server's clock, as its messages show it that were the fastest on their way: so the jitter of
 * the network does not come into times. Times that are heard have 32 bits and wrap; those that it
 * gives do not. Sans-IO; cannot fail.
 */
import { since } from './locomotion.js';

/**
 * A clock that runs slower than ours would seem to be ever further behind its fastest message. So
 * that message counts for less by this share of the time: ten times what crystals differ by.
 */
const kForgotten = 0.001;

export class RemoteClock {
  #heard = false;
  #remote = 0; // the latest time heard
  #wide = 0; // the same, without wraps
  #local = 0; // of the latest message
  #ahead = 0; // the other's time less the local one, of the fastest message

  /** A message with the other's time in ms came at `local`, in ms of a steady clock. In any order. */
  heard(remote: number, local: number): void {
    const wide = this.#widened(remote);
    const ahead = wide - local;
    this.#ahead = this.#heard ? Math.max(this.#aheadAt(local), ahead) : ahead;
    if (!this.#heard || wide > this.#wide) {
      this.#wide = wide;
      this.#remote = remote;
    }
    this.#local = this.#heard ? Math.max(this.#local, local) : local;
    this.#heard = true;
  }
  get hasHeard(): boolean {
    return this.#heard;
  }
  /** The other's time at `local`, less what its fastest message took. 0 before the first message. */
  remoteAt(local: number): number {
    return this.#heard ? local + this.#aheadAt(local) : 0;
  }
  /** When that was, in local time, as if its fastest message had taken no time. */
  localAt(remote: number): number {
    return this.#widened(remote) - this.#ahead;
  }

  #aheadAt(local: number): number {
    return this.#ahead - kForgotten * Math.max(local - this.#local, 0);
  }
  #widened(remote: number): number {
    return this.#heard ? this.#wide + since(remote, this.#remote) : remote;
  }
}
