/** Keys and pointers, as orders to the hero. */
import type { Camera } from './camera.js';
import type { Place } from './field.js';
import { metres } from './field.js';
import type { Game } from './game.js';

const kAtPointer = 1.4; // m: a monster that near to the pointer is meant
const kHeld = 200; // ms: a pointer that stays down for longer leads the hero
const kDirections: Readonly<Record<string, readonly [number, number]>> = {
  KeyW: [0, -1],
  ArrowUp: [0, -1],
  KeyS: [0, 1],
  ArrowDown: [0, 1],
  KeyA: [-1, 0],
  ArrowLeft: [-1, 0],
  KeyD: [1, 0],
  ArrowRight: [1, 0],
};

export class Input {
  readonly #camera: Camera;
  readonly #game: () => Game | undefined;
  readonly #pressed = new Set<string>();
  #pointer: (Place & { id: number; since: number }) | undefined;

  /** `talk` is called for the key that begins to talk. */
  constructor(
    canvas: HTMLCanvasElement,
    camera: Camera,
    game: () => Game | undefined,
    talk: () => void
  ) {
    this.#camera = camera;
    this.#game = game;
    addEventListener('keydown', (event) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Enter' && game() !== undefined) talk();
      else if (!this.#keyDown(event.code, event.repeat)) return;
      event.preventDefault(); // no scrolling, no pressing of a button
    });
    addEventListener('keyup', ({ code }) => this.#pressed.delete(code) && this.#steer());
    addEventListener('blur', () => this.#release());
    addEventListener('focusin', (event) => isTyping(event) && this.#release());
    canvas.addEventListener('pointerdown', (event) => this.#down(canvas, event));
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    for (const end of ['pointerup', 'pointercancel'] as const) {
      canvas.addEventListener(end, () => (this.#pointer = undefined));
    }
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  /** Each frame: a pointer that is held leads the hero on. */
  frame(now: number): void {
    const pointer = this.#pointer;
    const game = this.#game();
    if (pointer === undefined || game === undefined || this.#pressed.size > 0) return;
    if (now - pointer.since < kHeld || game.steering.foe !== undefined) return;
    game.steering.walkTo(this.#camera.toField(pointer));
  }

  #keyDown(code: string, repeated: boolean): boolean {
    if (code === 'Space') {
      if (!repeated) this.#game()?.strike();
      return true;
    }
    if (kDirections[code] === undefined) return false;
    this.#pressed.add(code);
    this.#steer();
    return true;
  }
  #steer(): void {
    let [x, y] = [0, 0];
    for (const code of this.#pressed) {
      const [dx, dy] = kDirections[code]!;
      x += dx;
      y += dy;
    }
    this.#game()?.steering.press(Math.sign(x), Math.sign(y));
  }
  #release(): void {
    this.#pressed.clear();
    this.#pointer = undefined;
    this.#steer();
  }
  #down(canvas: HTMLCanvasElement, event: PointerEvent): void {
    const game = this.#game();
    if (game === undefined) return;
    (document.activeElement as HTMLElement | null)?.blur();
    canvas.setPointerCapture(event.pointerId);
    const at = { x: event.offsetX, y: event.offsetY };
    this.#pointer = { ...at, id: event.pointerId, since: performance.now() };
    const place = this.#camera.toField(at);
    const foe = this.#monsterAt(game, place);
    if (foe === undefined) game.steering.walkTo(place);
    else game.steering.chase(foe);
  }
  #move(event: PointerEvent): void {
    const pointer = this.#pointer;
    if (pointer?.id !== event.pointerId) return;
    this.#pointer = { ...pointer, x: event.offsetX, y: event.offsetY };
  }
  #monsterAt(game: Game, place: Place): bigint | undefined {
    let found: bigint | undefined;
    let least = kAtPointer;
    const time = game.space.shownTime();
    for (const seen of game.space.seen) {
      const at = seen.at(time)?.position;
      if (at === undefined || seen.className !== 'monster' || metres(at, place) > least) continue;
      least = metres(at, place);
      found = seen.id;
    }
    return found;
  }
}

function isTyping({ target }: Event): boolean {
  return target instanceof HTMLInputElement;
}
