/**
 * Spaces as tiles with a dot for each member, and the ways of those who walk in crowds. Dots glide
 * from round to round.
 */
import type { Place } from '../field.js';
import { groundOf, kHealth } from '../look.js';
import { typeOf } from '../field.js';
import { Kept, make, put } from './rows.js';
import type { Dot, SpaceRow } from './source.js';

const kPixels = 300; // of a canvas, each way
const kGlide = 600; // ms: a little more than a round, so that they do not stop in between
const kHero = '#a9d3e8';
const kMonster = kHealth.bad;
const kWay = '#ffffff66';

interface Shown {
  readonly row: SpaceRow;
  /** Where each was when this round came, and when that was. */
  readonly from: ReadonlyMap<string, Place>;
  readonly since: number;
}

/** One space of one program: another one of the same name, elsewhere, is another tile. */
export function keyOf(space: string, program: string): string {
  return `${space} ${program}`;
}

export class Tiles {
  readonly #tiles = new Kept(() =>
    make('div', 'space', canvas(), make('h3', '', make('b', ''), make('span', '')), make('p', ''))
  );
  readonly #shown = new Map<string, Shown>();

  /** `home` is where the tiles of this host are. */
  show(spaces: readonly SpaceRow[], home: (host: string) => Element, now: number): void {
    const key = ({ space, program }: SpaceRow): string => keyOf(space, program);
    for (const old of [...this.#shown.keys()]) {
      if (!spaces.some((space) => key(space) === old)) this.#shown.delete(old);
    }
    for (const row of spaces) {
      const before = this.#shown.get(key(row));
      const from = new Map(before?.row.dots.map((dot) => [dot[0], placeOf(before, dot, now)]));
      this.#shown.set(key(row), { row, from, since: now });
    }
    this.#tiles.show(spaces, key, fill, ({ host }) => home(host));
  }
  draw(now: number): void {
    for (const [key, shown] of this.#shown) {
      const pen = this.#tiles.get(key)?.querySelector('canvas')?.getContext('2d');
      if (pen) draw(pen, shown, now);
    }
  }
  get(space: string, program: string): HTMLElement | undefined {
    return this.#tiles.get(keyOf(space, program));
  }
}

function canvas(): HTMLCanvasElement {
  const made = document.createElement('canvas');
  made.width = made.height = kPixels;
  return made;
}
/** Milliseconds from tick to tick. */
function period(rate: number): string {
  return (1000 / (rate || 1)).toFixed(0);
}
function fill(
  tile: HTMLElement,
  { space, state, players, others, took_ms, rate, missed, dots }: SpaceRow
): void {
  put(tile, 'h3 b', space);
  put(tile, 'h3 span', state === 'running' ? `${players} heroes` : state);
  const ticks =
    missed > 0 ? `${missed} ticks missed` : `${took_ms.toFixed(1)} of ${period(rate)} ms`;
  put(tile, 'p', `${others} monsters · ${ticks}`);
  tile.classList.toggle('busy', missed > 0);
  tile.title = `99 in 100 ticks took up to ${took_ms.toFixed(
    1
  )} ms; ${missed} were missed in ten seconds`;
  tile.dataset['space'] = space;
  tile.dataset['ways'] = dots.filter((dot) => dot[4] !== undefined).length.toFixed(0);
}
function placeOf({ from, since }: Shown, [id, x, y]: Dot, now: number): Place {
  const before = from.get(id);
  if (before === undefined) return { x, y };
  const part = Math.min(1, (now - since) / kGlide);
  return { x: before.x + (x - before.x) * part, y: before.y + (y - before.y) * part };
}
function draw(pen: CanvasRenderingContext2D, shown: Shown, now: number): void {
  const { row } = shown;
  const [left = 0, top = 0] = row.min ?? [];
  const [right = left + 1, bottom = top + 1] = row.max ?? [];
  const scale = kPixels / Math.max(right - left, bottom - top);
  pen.fillStyle = groundOf(typeOf(row.space)).base;
  pen.fillRect(0, 0, kPixels, kPixels);
  pen.strokeStyle = kWay;
  pen.beginPath();
  for (const dot of row.dots) {
    const [, , , , way] = dot;
    if (way === undefined) continue;
    const { x, y } = placeOf(shown, dot, now);
    pen.moveTo((x - left) * scale, (y - top) * scale);
    for (const corner of way) pen.lineTo((corner[0] - left) * scale, (corner[1] - top) * scale);
  }
  pen.stroke();
  for (const hero of [0, 1]) {
    pen.fillStyle = hero ? kHero : kMonster;
    for (const dot of row.dots) {
      if (dot[3] !== hero) continue;
      const { x, y } = placeOf(shown, dot, now);
      pen.beginPath();
      pen.arc((x - left) * scale, (y - top) * scale, hero ? 4.2 : 3, 0, 2 * Math.PI);
      pen.fill();
    }
  }
}
