/** Shows the game in index.html: draws it, and takes keys and clicks. */
import { entry, find, json, keepSaved, takeSaved, typedLogin, write } from './dom.js';
import { Game, lookOf } from './game.js';
import type { Look, Place, Screen } from './game.js';

const kShownLines = 8;
const kScale = 14; // pixels of a metre
const kGround: Record<string, string> = { meadow: '#7fa65a', forest: '#44683f' };
const kKeys: Record<string, readonly [number, number]> = {
  ArrowUp: [0, 1], KeyW: [0, 1], ArrowDown: [0, -1], KeyS: [0, -1],
  ArrowLeft: [-1, 0], KeyA: [-1, 0], ArrowRight: [1, 0], KeyD: [1, 0],
};

function show(section: '#login' | '#play' | undefined): void {
  for (const each of ['#login', '#play']) find(each).hidden = each !== section;
}
const screen: Screen = {
  status: (text) => write('#status', text),
  problem: (text) => write('#problem', text),
  async login(why) {
    show('#login');
    write('#problem', why);
    const typed = await typedLogin();
    show('#play');
    write('#problem', '');
    return { ...typed, colour: Number.parseInt(String(typed.form.get('colour')).slice(1), 16) };
  },
  said(who, text) {
    const list = find('#said');
    list.append(entry(`${who}: ${text}`));
    while (list.children.length > kShownLines) list.firstElementChild?.remove();
  },
  ended(reason, text) {
    show(undefined);
    write('#status', `ended: ${reason} ${text}. Load the page again to play.`);
  },
};

const settings = await json('settings.json');
// ?gate=b: comes in at the gate of host b alone, the second one of settings.json.
const gate = { a: 0, b: 1 }[new URLSearchParams(location.search).get('gate') ?? ''];
if (gate !== undefined) settings.gates = [settings.gates[gate]];
const saved = takeSaved();
const game = new Game(settings, await json('game.json'), screen, { saved });
keepSaved(() => game.saved);
if (saved !== undefined) show('#play');

// --- the picture: y is up, the own hero in the middle ---

const canvas = find<HTMLCanvasElement>('canvas');
const pen = canvas.getContext('2d')!;
let middle: Place = { x: 0, y: 0 };

function toScreen({ x, y }: Place): Place {
  return {
    x: canvas.width / 2 + (x - middle.x) * kScale,
    y: canvas.height / 2 - (y - middle.y) * kScale,
  };
}
function disc(at: Place, radius: number, colour: string, text = ''): void {
  const { x, y } = toScreen(at);
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, radius * kScale, 0, 2 * Math.PI);
  pen.fill();
  pen.fillStyle = '#fff';
  pen.fillText(text, x, y - radius * kScale - 5);
}
function body(at: Place, look: Look): void {
  if (look.colour === undefined) return disc(at, 0.4, '#f2efe6', look.kind); // an animal
  disc(at, 0.6, `#${look.colour.toString(16).padStart(6, '0')}`, look.name);
}
function draw(): void {
  const { ground, hero, space } = game;
  pen.fillStyle = '#222';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  middle = space.ownShown ?? middle;
  if (ground === undefined) return;
  const [x, y, toX, toY] = ground.area;
  const corner = toScreen({ x, y: toY });
  pen.fillStyle = kGround[hero?.space.replace(/-\d+$/, '') ?? ''] ?? '#888';
  pen.fillRect(corner.x, corner.y, (toX - x) * kScale, (toY - y) * kScale);
  pen.strokeStyle = '#0003';
  for (let line = x; line <= toX; line += 5) stroke({ x: line, y }, { x: line, y: toY });
  for (let line = y; line <= toY; line += 5) stroke({ x, y: line }, { x: toX, y: line });
  for (const [px, py, radius, to] of ground.portals) disc({ x: px, y: py }, radius, '#6b4fa8', `to the ${to}`);
  for (const seen of space.seen) {
    const at = seen.at(space.shownTime()); // between two places that the server has told
    if (at !== undefined) body(at.position, lookOf(seen));
  }
  if (space.ownShown !== undefined && hero !== undefined) body(space.ownShown, hero);
}
function stroke(from: Place, to: Place): void {
  const [a, b] = [toScreen(from), toScreen(to)];
  pen.beginPath();
  pen.moveTo(a.x, a.y);
  pen.lineTo(b.x, b.y);
  pen.stroke();
}
function frame(now: number): void {
  game.frame(now);
  canvas.width = canvas.clientWidth;
  canvas.height = canvas.clientHeight;
  pen.font = '13px system-ui, sans-serif';
  pen.textAlign = 'center';
  draw();
  const { hero, space } = game;
  write('#where', hero ? `${hero.space || 'no space'} on ${hero.node || '?'}, ${space.size} in sight` : '');
  requestAnimationFrame(frame);
}

// --- keys, clicks, words ---

const pressed = new Set<string>();
function steer(): void {
  const all = [...pressed].map((key) => kKeys[key]!);
  game.press(all.reduce((sum, [x]) => sum + x, 0), all.reduce((sum, [, y]) => sum + y, 0));
}
addEventListener('keydown', (event) => {
  if (kKeys[event.code] === undefined || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  pressed.add(event.code);
  steer();
});
addEventListener('keyup', (event) => pressed.delete(event.code) && steer());
addEventListener('blur', () => (pressed.clear(), steer()));
canvas.onclick = ({ offsetX, offsetY }) =>
  game.walkTo({
    x: middle.x + (offsetX - canvas.width / 2) / kScale,
    y: middle.y - (offsetY - canvas.height / 2) / kScale,
  });
find<HTMLFormElement>('#play form').onsubmit = async (event) => {
  event.preventDefault();
  const input = find<HTMLInputElement>('#play form input');
  if (input.value !== '' && (await game.say(input.value))) input.value = '';
};
requestAnimationFrame(frame);
await game.start().catch(() => {}); // `ended` has said why
