/** Which part of the field is on the screen. */
import type { Area, Place } from './field.js';

const kShown = 34; // m of the shorter side
const kLeastScale = 13; // pixels a metre: on a phone less of the field is shown, and not smaller
const kMostScale = 30;
const kBeyond = 6; // m of what is outside of the area that are shown

export class Camera {
  /** CSS pixels a metre, and of the screen. */
  scale = kLeastScale;
  width = 0;
  height = 0;
  /** What is in the middle. */
  at: Place = { x: 0, y: 0 };

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    const fits = Math.min(width, height) / kShown;
    this.scale = Math.min(Math.max(fits, kLeastScale), kMostScale);
  }
  /** Shows the hero in the middle, and as little as possible of what is outside. */
  follow({ x, y }: Place, area: Area): void {
    const within = (at: number, least: number, most: number, pixels: number): number => {
      const half = pixels / this.scale / 2 - kBeyond;
      if (2 * half > most - least) return (least + most) / 2;
      return Math.min(Math.max(at, least + half), most - half);
    };
    this.at = {
      x: within(x, area.x, area.toX, this.width),
      y: within(y, area.y, area.toY, this.height),
    };
  }
  toScreen({ x, y }: Place): Place {
    return {
      x: (x - this.at.x) * this.scale + this.width / 2,
      y: (y - this.at.y) * this.scale + this.height / 2,
    };
  }
  toField({ x, y }: Place): Place {
    return {
      x: (x - this.width / 2) / this.scale + this.at.x,
      y: (y - this.height / 2) / this.scale + this.at.y,
    };
  }
  /** Whether something of this radius, in metres, is on the screen. */
  shows(at: Place, radius: number): boolean {
    const { x, y } = this.toScreen(at);
    const r = radius * this.scale;
    return x > -r && y > -r && x < this.width + r && y < this.height + r;
  }
}
