/** A field as the page knows it: its area, its portals, and how a hero walks. Plain values. */
import type { Locomotion } from 'starbus-client';

/** m/s, as the field's rules of movement have it. */
export const kSpeed = 6;
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
export interface Field {
  /** Of the space, such as `forest`. */
  readonly type: string;
  readonly area: Area;
  readonly portals: readonly Portal[];
}

/** One step: a direction of length 1, or none, for so long. */
export interface Walk extends Place {
  readonly seconds: number;
  readonly area: Area;
}

/** `space` and `setup` are the scene's: `space/forest-1`, and what Field::watch_options gives. */
export function fieldOf(space: string, setup: Uint8Array): Field {
  const { area, portals } = JSON.parse(new TextDecoder().decode(setup)) as {
    area: [number, number, number, number];
    portals: [number, number, number, string][];
  };
  const [x, y, toX, toY] = area;
  return {
    type: typeOf(space),
    area: { x, y, toX, toY },
    portals: portals.map(([px, py, radius, to]) => ({ x: px, y: py, radius, to })),
  };
}
/** `forest`, of `space/forest-1`. */
export function typeOf(space: string): string {
  return space.replace(/^space\//, '').replace(/-\d+$/, '');
}

/** Where a hero is after a step. The same arguments give the same place: corrections need that. */
export function step(from: Locomotion, { x, y, seconds, area }: Walk): Locomotion {
  const goes = x !== 0 || y !== 0;
  const within = (at: number, least: number, most: number): number =>
    Math.min(Math.max(at, least + kMargin), most - kMargin);
  return {
    ...from,
    position: {
      ...from.position,
      x: within(from.position.x + x * kSpeed * seconds, area.x, area.toX),
      y: within(from.position.y + y * kSpeed * seconds, area.y, area.toY),
    },
    velocity: { x: x * kSpeed, y: y * kSpeed, z: 0 },
    heading: goes ? Math.atan2(y, x) : from.heading,
  };
}
export function metres(a: Place, b: Place): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
