/** Colours and shapes of what there is in the arena. */

/** Of a type of field. */
export interface Ground {
  readonly base: string;
  readonly line: string;
  /** Of the specks that show that one moves: `spot` for most, `accent` for some. */
  readonly spot: string;
  readonly accent: string;
  /** Of portals that lead here. */
  readonly glow: string;
}
const kGrounds: Readonly<Record<string, Ground>> = {
  meadow: {
    base: '#1c2b23',
    line: '#22342a',
    spot: '#2a4033',
    accent: '#5d6b3a',
    glow: '#8fce8a',
  },
  forest: {
    base: '#13231f',
    line: '#182c27',
    spot: '#1c3a30',
    accent: '#2d5540',
    glow: '#4fb9a0',
  },
  cave: {
    base: '#1d1b26',
    line: '#242131',
    spot: '#2e2a3d',
    accent: '#4b4463',
    glow: '#a58be0',
  },
};
const kElsewhere: Ground = {
  base: '#1b2127',
  line: '#222a31',
  spot: '#2a343d',
  accent: '#46545f',
  glow: '#7fb4d8',
};
export function groundOf(type: string): Ground {
  return kGrounds[type] ?? kElsewhere;
}
/** `Forest`, of the type `forest`. */
export function titleOf(type: string): string {
  return type.charAt(0).toUpperCase() + type.slice(1);
}

/** Of a kind of monster. */
export interface Kind {
  readonly colour: string;
  readonly radius: number; // m
}
const kKinds: Readonly<Record<string, Kind>> = {
  rabbit: { colour: '#cdbfa8', radius: 0.45 },
  wolf: { colour: '#8d9bab', radius: 0.75 },
  bear: { colour: '#9a6a45', radius: 1.1 },
  spider: { colour: '#8a62b8', radius: 0.6 },
};
const kUnknown: Kind = { colour: '#b07070', radius: 0.7 };
export function kindOf(name: string): Kind {
  return kKinds[name] ?? kUnknown;
}

export const kHeroRadius = 0.6; // m
export const kOwnColour = '#f2c14e';
/** Everybody has one of their own, and keeps it; none is that of the own hero. */
export function heroColour(name: string): string {
  return `hsl(${70 + (hash(name) % 310)} 46% 62%)`;
}
export const kHealth = { good: '#6fbf73', middle: '#d9a441', bad: '#d05b52' };
export function healthColour(part: number): string {
  if (part > 0.6) return kHealth.good;
  return part > 0.3 ? kHealth.middle : kHealth.bad;
}

/** 32 bits, as FNV-1a. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
/** 0 to 1, the same for the same cell and `salt`. */
export function noise(x: number, y: number, salt: number): number {
  let value = Math.imul(x, 0x27d4eb2f) ^ Math.imul(y, 0x165667b1) ^ Math.imul(salt, 0x9e3779b1);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39);
  return ((value ^ (value >>> 15)) >>> 0) / 2 ** 32;
}
