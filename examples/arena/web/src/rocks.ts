/** What stands in a field: rocks and trees, around which monsters go. From the text that its map is baked from. */
import type { Camera } from './camera.js';
import type { Field } from './field.js';
import { groundOf, noise } from './look.js';

const kWall = '#';
const kAround = 0.15; // of a sign: how far a corner may lie from where it belongs

/** The maps of fields, each fetched once. A field whose map is not there has no rocks. */
export class Rocks {
  readonly #rows = new Map<string, readonly string[]>();

  draw(pen: CanvasRenderingContext2D, camera: Camera, field: Field): void {
    const rows = this.#of(field.type);
    if (rows.length === 0) return;
    const { area, type } = field;
    const side = (area.toY - area.y) / rows.length; // m
    const least = camera.toField({ x: 0, y: 0 });
    const most = camera.toField({ x: camera.width, y: camera.height });
    const first = (at: number, from: number): number => Math.max(0, Math.floor((at - from) / side));
    const look = groundOf(type);
    pen.fillStyle = look.line;
    pen.strokeStyle = look.spot;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (let row = first(least.y, area.y); row <= first(most.y, area.y); row++) {
      const text = rows[row] ?? '';
      for (let column = first(least.x, area.x); column <= first(most.x, area.x); column++) {
        if (text[column] !== kWall) continue;
        // The corners belong to all that meet there, so that rocks beside each other have no gaps.
        const corners = [
          [column, row],
          [column + 1, row],
          [column + 1, row + 1],
          [column, row + 1],
        ] as const;
        corners.forEach(([x, y], index) => {
          const at = camera.toScreen({
            x: area.x + (x + kAround * (2 * noise(x, y, 11) - 1)) * side,
            y: area.y + (y + kAround * (2 * noise(x, y, 12) - 1)) * side,
          });
          if (index === 0) pen.moveTo(at.x, at.y);
          else pen.lineTo(at.x, at.y);
        });
        pen.closePath();
      }
    }
    pen.fill();
    pen.stroke();
  }

  #of(type: string): readonly string[] {
    const known = this.#rows.get(type);
    if (known !== undefined) return known;
    this.#rows.set(type, []);
    this.#fetch(type).catch(() => undefined); // no network: no rocks
    return [];
  }
  async #fetch(type: string): Promise<void> {
    const answer = await fetch(`maps/${encodeURIComponent(type)}.txt`);
    if (!answer.ok) return;
    const rows = (await answer.text()).split('\n').filter((row) => row !== '');
    this.#rows.set(type, rows);
  }
}
