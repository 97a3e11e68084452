/** The ground of a field, with its border and its portals. */
import type { Camera } from './camera.js';
import type { Field, Portal } from './field.js';
import { groundOf, noise } from './look.js';

type Pen = CanvasRenderingContext2D;
const kOutside = '#0c1013';
const kLines = 10; // m between two
const kPatch = 14; // m: at most one patch in each
const kCell = 2.4; // m: at most one speck in each

export function drawGround(pen: Pen, camera: Camera, field: Field): void {
  const { area } = field;
  const look = groundOf(field.type);
  pen.fillStyle = kOutside;
  pen.fillRect(0, 0, camera.width, camera.height);
  const from = camera.toScreen(area);
  const to = camera.toScreen({ x: area.toX, y: area.toY });
  pen.save();
  pen.beginPath();
  pen.rect(from.x, from.y, to.x - from.x, to.y - from.y);
  pen.fillStyle = look.base;
  pen.fill();
  pen.clip();
  patches(pen, camera, field);
  lines(pen, camera, look.line);
  specks(pen, camera, field);
  pen.restore();
  pen.strokeStyle = look.accent;
  pen.globalAlpha = 0.6;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.rect(from.x, from.y, to.x - from.x, to.y - from.y);
  pen.stroke();
  pen.globalAlpha = 1;
}
function lines(pen: Pen, camera: Camera, colour: string): void {
  const least = camera.toField({ x: 0, y: 0 });
  const most = camera.toField({ x: camera.width, y: camera.height });
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let x = Math.ceil(least.x / kLines) * kLines; x < most.x; x += kLines) {
    const at = Math.round(camera.toScreen({ x, y: 0 }).x) + 0.5;
    pen.moveTo(at, 0);
    pen.lineTo(at, camera.height);
  }
  for (let y = Math.ceil(least.y / kLines) * kLines; y < most.y; y += kLines) {
    const at = Math.round(camera.toScreen({ x: 0, y }).y) + 0.5;
    pen.moveTo(0, at);
    pen.lineTo(camera.width, at);
  }
  pen.stroke();
}
/** Where the ground is another one; hardly to be seen. */
function patches(pen: Pen, camera: Camera, { type }: Field): void {
  const least = camera.toField({ x: 0, y: 0 });
  const most = camera.toField({ x: camera.width, y: camera.height });
  const { line } = groundOf(type);
  for (let i = Math.floor(least.x / kPatch) - 1; (i - 1) * kPatch < most.x; i++) {
    for (let j = Math.floor(least.y / kPatch) - 1; (j - 1) * kPatch < most.y; j++) {
      if (noise(i, j, 6) < 0.4) continue;
      const at = camera.toScreen({
        x: (i + noise(i, j, 7)) * kPatch,
        y: (j + noise(i, j, 8)) * kPatch,
      });
      const radius = (4 + 6 * noise(i, j, 9)) * camera.scale;
      const light = pen.createRadialGradient(at.x, at.y, 0, at.x, at.y, radius);
      light.addColorStop(0, line);
      light.addColorStop(1, `${line}00`);
      pen.fillStyle = light;
      pen.fillRect(at.x - radius, at.y - radius, 2 * radius, 2 * radius);
    }
  }
}
/** Tufts and stones, always the same ones: without them nobody sees that the hero walks. */
function specks(pen: Pen, camera: Camera, { type }: Field): void {
  const look = groundOf(type);
  const least = camera.toField({ x: 0, y: 0 });
  const most = camera.toField({ x: camera.width, y: camera.height });
  for (let i = Math.floor(least.x / kCell); i * kCell < most.x; i++) {
    for (let j = Math.floor(least.y / kCell); j * kCell < most.y; j++) {
      if (noise(i, j, 1) < 0.45) continue;
      const x = (i + noise(i, j, 2)) * kCell;
      const y = (j + noise(i, j, 3)) * kCell;
      const radius = 0.1 + 0.3 * noise(i, j, 4) ** 3;
      const at = camera.toScreen({ x, y });
      pen.fillStyle = noise(i, j, 5) > 0.88 ? look.accent : look.spot;
      pen.beginPath();
      pen.arc(at.x, at.y, radius * camera.scale, 0, 2 * Math.PI);
      pen.fill();
    }
  }
}

/** `now` in ms: they turn slowly. */
export function drawPortal(pen: Pen, camera: Camera, portal: Portal, now: number): void {
  if (!camera.shows(portal, portal.radius + 3)) return;
  const { glow } = groundOf(portal.to);
  const { x, y } = camera.toScreen(portal);
  const r = portal.radius * camera.scale;
  const light = pen.createRadialGradient(x, y, r * 0.1, x, y, r * 1.5);
  light.addColorStop(0, `${glow}66`);
  light.addColorStop(0.6, `${glow}22`);
  light.addColorStop(1, `${glow}00`);
  pen.fillStyle = light;
  pen.beginPath();
  pen.arc(x, y, r * 1.5, 0, 2 * Math.PI);
  pen.fill();
  pen.strokeStyle = glow;
  pen.lineCap = 'round';
  for (const [part, width, turn] of [
    [1, 2.5, now / 2600],
    [0.68, 1.5, -now / 1900],
  ] as const) {
    pen.lineWidth = width;
    for (let arc = 0; arc < 3; arc++) {
      const begin = turn + (arc * 2 * Math.PI) / 3;
      pen.beginPath();
      pen.arc(x, y, r * part, begin, begin + 1.6);
      pen.stroke();
    }
  }
  pen.font = '600 13px system-ui, sans-serif';
  pen.textAlign = 'center';
  pen.fillStyle = glow;
  pen.fillText(`to the ${portal.to}`, x, y - r - 10);
}
