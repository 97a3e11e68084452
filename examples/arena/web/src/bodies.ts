/** The figures of heroes and monsters, around the origin of the pen, in metres; x is ahead. */
import { kHeroRadius, kindOf } from './look.js';

type Pen = CanvasRenderingContext2D;

function disc(pen: Pen, x: number, y: number, radius: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}
function oval(pen: Pen, x: number, y: number, long: number, wide: number, turn = 0): void {
  pen.beginPath();
  pen.ellipse(x, y, long, wide, turn, 0, 2 * Math.PI);
  pen.fill();
}
function eyes(pen: Pen, x: number, y: number, radius: number): void {
  pen.fillStyle = '#0d1114';
  disc(pen, x, y, radius);
  disc(pen, x, -y, radius);
}

export function hero(pen: Pen, colour: string, own: boolean): void {
  const r = kHeroRadius;
  pen.fillStyle = colour;
  pen.beginPath(); // the nose shows the heading
  pen.moveTo(r * 1.55, 0);
  pen.lineTo(r * 0.7, r * 0.62);
  pen.lineTo(r * 0.7, -r * 0.62);
  pen.fill();
  disc(pen, 0, 0, r);
  pen.lineWidth = own ? 0.12 : 0.08;
  pen.strokeStyle = own ? '#fff3d0' : '#0d111499';
  pen.beginPath();
  pen.arc(0, 0, r, 0, 2 * Math.PI);
  pen.stroke();
  pen.fillStyle = '#0d111433';
  disc(pen, -r * 0.15, 0, r * 0.5);
}
/** `stride` is an angle that goes on while it walks. */
export function monster(pen: Pen, name: string, stride: number): void {
  const { colour, radius: r } = kindOf(name);
  pen.fillStyle = colour;
  pen.strokeStyle = colour;
  if (name === 'rabbit') return rabbit(pen, r);
  if (name === 'wolf') return wolf(pen, r, stride);
  if (name === 'bear') return bear(pen, r);
  if (name === 'spider') return spider(pen, r, stride);
  disc(pen, 0, 0, r);
  eyes(pen, r * 0.5, r * 0.35, r * 0.14);
}

function rabbit(pen: Pen, r: number): void {
  oval(pen, -r * 0.25, 0, r, r * 0.75);
  disc(pen, r * 0.7, 0, r * 0.5);
  oval(pen, r * 0.25, r * 0.35, r * 0.55, r * 0.16, 0.25);
  oval(pen, r * 0.25, -r * 0.35, r * 0.55, r * 0.16, -0.25);
  pen.fillStyle = '#f4efe6';
  disc(pen, -r * 1.2, 0, r * 0.28);
  eyes(pen, r * 0.9, r * 0.26, r * 0.1);
}
function wolf(pen: Pen, r: number, stride: number): void {
  oval(pen, -r * 1.15, Math.sin(stride) * r * 0.12, r * 0.5, r * 0.16);
  oval(pen, -r * 0.15, 0, r, r * 0.5);
  pen.beginPath(); // head and snout
  pen.moveTo(r * 1.45, 0);
  pen.lineTo(r * 0.65, r * 0.48);
  pen.lineTo(r * 0.5, 0);
  pen.lineTo(r * 0.65, -r * 0.48);
  pen.fill();
  eyes(pen, r * 0.85, r * 0.18, r * 0.08);
}
function bear(pen: Pen, r: number): void {
  oval(pen, -r * 0.2, 0, r, r * 0.8);
  disc(pen, r * 0.65, r * 0.42, r * 0.2);
  disc(pen, r * 0.65, -r * 0.42, r * 0.2);
  disc(pen, r * 0.75, 0, r * 0.48);
  pen.fillStyle = '#c79a72';
  disc(pen, r * 1.1, 0, r * 0.2);
  eyes(pen, r * 0.95, r * 0.22, r * 0.07);
}
function spider(pen: Pen, r: number, stride: number): void {
  pen.lineWidth = r * 0.14;
  pen.beginPath();
  for (let leg = 0; leg < 4; leg++) {
    const swing = 0.14 * Math.sin(stride + leg * 1.6);
    const turn = 0.55 + leg * 0.62 + swing;
    for (const side of [1, -1]) {
      pen.moveTo(0, 0);
      pen.lineTo(Math.cos(turn) * r * 0.9, side * Math.sin(turn) * r * 0.9);
      pen.lineTo(Math.cos(turn * 0.9) * r * 1.7, side * Math.sin(turn) * r * 1.45);
    }
  }
  pen.stroke();
  disc(pen, -r * 0.4, 0, r * 0.72);
  disc(pen, r * 0.35, 0, r * 0.42);
  eyes(pen, r * 0.6, r * 0.15, r * 0.08);
}
