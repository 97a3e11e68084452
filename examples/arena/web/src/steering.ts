/**
 * Where the hero is to go: by keys, to a point, or after somebody. The latest order counts. Knows
 * no page and no server.
 */
import { metres } from './field.js';
import type { Field, Place, Walk } from './field.js';

const kArrived = 0.05; // m

export class Steering {
  #keys: Place = { x: 0, y: 0 };
  #goal: Place | undefined;
  #foe: bigint | undefined;
  #goes = false; // the last step was not to stand

  /** A direction of any length; none: no key is pressed. */
  press(x: number, y: number): void {
    const length = Math.hypot(x, y);
    this.#keys = length === 0 ? { x: 0, y: 0 } : { x: x / length, y: y / length };
    if (length > 0) this.#goal = this.#foe = undefined;
  }
  walkTo(goal: Place): void {
    this.#goal = goal;
    this.#foe = undefined;
  }
  /** Follows whoever has this online id. */
  chase(foe: bigint): void {
    this.#foe = foe;
    this.#goal = undefined;
  }
  /** The hero was set elsewhere, or is to stand. */
  stop(): void {
    this.#goal = this.#foe = undefined;
  }
  get goal(): Place | undefined {
    return this.#goal;
  }
  get foe(): bigint | undefined {
    return this.#foe;
  }

  /**
   * The step of this frame. `foe` is where the one that is chased is, who is near enough within
   * `reach` metres. Undefined: the hero stands, and has said so.
   */
  next(
    from: Place,
    seconds: number,
    { area, hero }: Field,
    foe: Place | undefined,
    reach: number
  ): Walk | undefined {
    const way = this.#way(from, seconds, hero.speed, foe, reach);
    if (way === undefined && !this.#goes) return undefined;
    this.#goes = way !== undefined;
    return { ...(way ?? { x: 0, y: 0, seconds }), speed: hero.speed, area };
  }

  #way(
    from: Place,
    seconds: number,
    speed: number,
    foe: Place | undefined,
    reach: number
  ): (Place & { seconds: number }) | undefined {
    if (this.#keys.x !== 0 || this.#keys.y !== 0) return { ...this.#keys, seconds };
    const to = this.#goal ?? foe;
    if (to === undefined) return undefined;
    const left = metres(from, to) - (this.#goal === undefined ? reach : 0);
    if (left <= kArrived) {
      this.#goal = undefined;
      return undefined;
    }
    const length = metres(from, to);
    const direction = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
    return { ...direction, seconds: Math.min(seconds, left / speed) }; // not beyond it
  }
}
