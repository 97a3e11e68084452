/** A field as the page knows it: its area, its portals, and how a hero walks. Plain values. */
import type { Locomotion } from 'starbus-client';

const kMargin = 0.5; // m: heroes stay so far within the area

export interface Place {
  readonly x: number;
  readonly y: number;
}
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly toX: number;
  readonly toY: number;
}
export interface Portal extends Place {
  readonly radius: number;
  /** The type of the space that it leads to. */
  readonly to: string;
}
/** Of every hero. */
export interface HeroRules {
  /** Its whole health. */
  readonly health: number;
  /** m/s */
  readonly speed: number;
  /** m, of a strike */
  readonly reach: number;
  /** From one strike to the next. */
  readonly strike_ms: number;
  /** Bytes that are said at once. */
  readonly text: number;
}
export interface Field {
  /** Of the space, such as `forest`. */
  readonly type: string;
  readonly area: Area;
  readonly portals: readonly Portal[];
  readonly hero: HeroRules;
  /** The whole health of each kind. */
  readonly monsters: Readonly<Record<string, number>>;
}

/** One step: a direction of length 1, or none, for so long, at this speed. */
export interface Walk extends Place {
  readonly seconds: number;
  readonly speed: number;
  readonly area: Area;
}

/** `space` and `setup` are the scene's: `space/forest-1`, and what Field::watch_options gives. */
export function fieldOf(space: string, setup: Uint8Array): Field {
  const { area, portals, hero, monsters } = JSON.parse(new TextDecoder().decode(setup)) as {
    area: [number, number, number, number];
    portals: [number, number, number, string][];
    hero: HeroRules;
    monsters: Record<string, number>;
  };
  const [x, y, toX, toY] = area;
  return {
    type: typeOf(space),
    area: { x, y, toX, toY },
    portals: portals.map(([px, py, radius, to]) => ({ x: px, y: py, radius, to })),
    hero,
    monsters,
  };
}
/** `forest`, of `space/forest-1`. */
export function typeOf(space: string): string {
  return space.replace(/^space\//, '').replace(/-\d+$/, '');
}

/** Where a hero is after a step. The same arguments give the same place: corrections need that. */
export function step(from: Locomotion, { x, y, seconds, speed, area }: Walk): Locomotion {
  const goes = x !== 0 || y !== 0;
  const within = (at: number, least: number, most: number): number =>
    Math.min(Math.max(at, least + kMargin), most - kMargin);
  return {
    ...from,
    position: {
      ...from.position,
      x: within(from.position.x + x * speed * seconds, area.x, area.toX),
      y: within(from.position.y + y * speed * seconds, area.y, area.toY),
    },
    velocity: { x: x * speed, y: y * speed, z: 0 },
    heading: goes ? Math.atan2(y, x) : from.heading,
  };
}
export function metres(a: Place, b: Place): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
