/** The whole field, small: portals, those in sight, and the part that is on the screen. */
import type { Camera } from './camera.js';
import type { Area, Place } from './field.js';
import type { Game } from './game.js';
import { groundOf, kOwnColour } from './look.js';

/** Pixels a metre. */
function scaleOf(width: number, height: number, { x, y, toX, toY }: Area): number {
  return Math.min(width / (toX - x), height / (toY - y));
}
/** Which place of the field is there on the map, in CSS pixels from its corner. */
export function placeOnMap(map: HTMLElement, area: Area, { x, y }: Place): Place {
  const scale = scaleOf(map.clientWidth, map.clientHeight, area);
  return { x: area.x + x / scale, y: area.y + y / scale };
}
export function drawMap(canvas: HTMLCanvasElement, game: Game, camera: Camera): void {
  const pen = canvas.getContext('2d');
  const { field } = game;
  if (pen === null) return;
  const { width, height } = canvas;
  pen.clearRect(0, 0, width, height);
  if (field === undefined) return;
  const { area } = field;
  const scale = scaleOf(width, height, area);
  const at = ({ x, y }: Place): Place => ({ x: (x - area.x) * scale, y: (y - area.y) * scale });
  const dot = (place: Place, radius: number, colour: string): void => {
    const { x, y } = at(place);
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
  };
  pen.fillStyle = groundOf(field.type).base;
  pen.fillRect(0, 0, width, height);
  const corner = at(camera.toField({ x: 0, y: 0 }));
  pen.fillStyle = '#ffffff10';
  pen.fillRect(
    corner.x,
    corner.y,
    (camera.width / camera.scale) * scale,
    (camera.height / camera.scale) * scale
  );
  for (const portal of field.portals) dot(portal, 6, groundOf(portal.to).glow);
  for (const seen of game.space.seen) {
    const place = seen.move?.position;
    if (place !== undefined) dot(place, 3, seen.className === 'monster' ? '#c9695f' : '#9fc3d6');
  }
  const own = game.space.ownShown;
  if (own !== undefined) dot(own, 5, kOwnColour);
}
