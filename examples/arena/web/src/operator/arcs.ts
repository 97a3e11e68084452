/** Travels, drawn as arcs from space to space while they are new. */
import type { Place } from '../field.js';
import { find } from '../panels.js';
import { keyOf } from './tiles.js';
import type { Tiles } from './tiles.js';
import type { Happening } from './source.js';

const kTime = 1500; // ms
const kMost = 60; // at once: a host that ends moves hundreds
const kSvg = 'http://www.w3.org/2000/svg';

interface Arc {
  readonly line: SVGPathElement;
  readonly head: SVGCircleElement;
  readonly since: number;
  readonly length: number;
}

export class Arcs {
  readonly #tiles: Tiles;
  readonly #arcs = new Set<Arc>();
  /** Where spaces were: one that has ended is left all the same. */
  readonly #places = new Map<string, Place>();

  constructor(tiles: Tiles) {
    this.#tiles = tiles;
  }
  add(travels: readonly Happening[], now: number): void {
    for (const { from = '', to = '', leaves = '', goes = '' } of travels) {
      const begin = this.#place(from, leaves);
      const end = this.#place(to, goes);
      if (begin !== undefined && end !== undefined && this.#arcs.size < kMost)
        this.#draw(begin, end, now);
    }
  }
  /** Remembers where this space is shown. */
  note(space: string, program: string): void {
    this.#place(space, program);
  }
  frame(now: number): void {
    for (const arc of this.#arcs) {
      const part = (now - arc.since) / kTime;
      if (part >= 1) {
        arc.line.remove();
        arc.head.remove();
        this.#arcs.delete(arc);
        continue;
      }
      const head = Math.min(1, part * 1.6);
      const tail = Math.max(0, part * 1.6 - 0.6);
      arc.line.style.strokeDasharray = `0 ${tail * arc.length} ${(head - tail) * arc.length} ${
        arc.length
      }`;
      const at = arc.line.getPointAtLength(head * arc.length);
      arc.head.setAttribute('cx', `${at.x}`);
      arc.head.setAttribute('cy', `${at.y}`);
      arc.head.style.opacity = `${Math.min(1, 4 * (1 - part))}`;
    }
  }

  /** The middle of the tile, from the corner of the drawing. */
  #place(space: string, program: string): Place | undefined {
    const key = keyOf(space, program);
    const tile = this.#tiles.get(space, program)?.querySelector('canvas');
    if (tile) {
      const inner = tile.getBoundingClientRect();
      const outer = find<SVGSVGElement>('#arcs').getBoundingClientRect();
      const x = inner.left + inner.width / 2 - outer.left;
      this.#places.set(key, { x, y: inner.top + inner.height / 2 - outer.top });
    }
    return this.#places.get(key);
  }
  #draw(from: Place, to: Place, now: number): void {
    const line = document.createElementNS(kSvg, 'path');
    const head = document.createElementNS(kSvg, 'circle');
    const away = Math.hypot(to.x - from.x, to.y - from.y);
    const [mx, my] = [(from.x + to.x) / 2, (from.y + to.y) / 2 - 30 - away * 0.22];
    line.setAttribute('d', `M ${from.x} ${from.y} Q ${mx} ${my} ${to.x} ${to.y}`);
    head.setAttribute('r', '3.4');
    find<SVGSVGElement>('#arcs').append(line, head);
    this.#arcs.add({ line, head, since: now, length: line.getTotalLength() });
  }
}
