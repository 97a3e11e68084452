/** Numbers that rise from those who lose health, and fade. */
import type { Camera } from './camera.js';
import type { Place } from './field.js';

const kLife = 1100; // ms
const kRise = 1.6; // m in that time
const kMost = 64; // the oldest goes

export interface Float extends Place {
  readonly text: string;
  readonly colour: string;
  /** Of the text, 1 is usual. */
  readonly size: number;
}

export class Floats {
  #all: (Float & { born: number; drift: number })[] = [];

  add(float: Float, now: number): void {
    this.#all.push({ ...float, born: now, drift: Math.random() - 0.5 });
    if (this.#all.length > kMost) this.#all.shift();
  }
  clear(): void {
    this.#all = [];
  }
  draw(pen: CanvasRenderingContext2D, camera: Camera, now: number): void {
    this.#all = this.#all.filter(({ born }) => now - born < kLife);
    pen.textAlign = 'center';
    for (const { x, y, text, colour, size, born, drift } of this.#all) {
      const part = (now - born) / kLife;
      const rise = kRise * (1 - (1 - part) ** 2);
      const at = camera.toScreen({ x: x + drift * part, y: y - 1 - rise });
      pen.globalAlpha = 1 - part ** 2;
      pen.font = `700 ${Math.round(15 * size)}px system-ui, sans-serif`;
      pen.lineWidth = 3;
      pen.strokeStyle = '#0c1013';
      pen.strokeText(text, at.x, at.y);
      pen.fillStyle = colour;
      pen.fillText(text, at.x, at.y);
    }
    pen.globalAlpha = 1;
  }
}
