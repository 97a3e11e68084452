/** Draws the game on a canvas: the field from above, and all who are in sight. */
import type { Locomotion, Seen } from 'starbus-client';
import * as bodies from './bodies.js';
import { Camera } from './camera.js';
import type { Place } from './field.js';
import { Floats } from './floats.js';
import type { Blow, Game, HeroSeen, MonsterSeen } from './game.js';
import { healthOf } from './game.js';
import { drawGround, drawPortal } from './ground.js';
import * as look from './look.js';
import { Rocks } from './rocks.js';

const kFadeIn = 250; // ms
const kFlash = 160; // ms that those who were struck shine
const kBar = { width: 1.7, height: 0.2 }; // m

interface Figure {
  readonly at: Place;
  readonly heading: number;
  readonly name: string;
  /** Undefined: a hero. */
  readonly kind?: string;
  readonly colour: string;
  readonly radius: number;
  /** 0 to 1. */
  readonly health: number;
  readonly own: boolean;
  /** 0 to 1: comes into sight. */
  readonly shown: number;
  readonly flash: boolean;
  readonly marked: boolean;
}

export class Picture {
  readonly camera = new Camera();
  readonly #canvas: HTMLCanvasElement;
  readonly #pen: CanvasRenderingContext2D;
  readonly #floats = new Floats();
  readonly #rocks = new Rocks();
  readonly #since = new WeakMap<Seen, number>();
  readonly #struck = new WeakMap<object, number>(); // when, in ms
  readonly #me = {};

  constructor(canvas: HTMLCanvasElement) {
    const pen = canvas.getContext('2d');
    if (pen === null) throw new Error('this browser has no canvas');
    this.#canvas = canvas;
    this.#pen = pen;
  }

  struck(game: Game, { seen, damage, left }: Blow, now: number): void {
    const at = seen === undefined ? game.space.ownShown : placeOf(game, seen);
    this.#struck.set(seen ?? this.#me, now);
    if (at === undefined) return;
    const colour = seen === undefined ? '#ff8577' : '#ffe2a0';
    const size = left <= 0 || damage >= 30 ? 1.35 : 1;
    this.#floats.add({ x: at.x, y: at.y, text: `${damage}`, colour, size }, now);
  }
  looted(game: Game, gold: number, now: number): void {
    const at = game.space.ownShown;
    const text = `+${gold} gold`;
    if (at !== undefined) this.#floats.add({ ...at, text, colour: look.kOwnColour, size: 1 }, now);
  }
  clear(): void {
    this.#floats.clear();
  }

  /** One frame; `now` is performance.now(). */
  draw(game: Game, now: number): void {
    const pen = this.#fit();
    const { camera } = this;
    const { field } = game;
    const own = game.space.ownShown;
    if (field === undefined) {
      pen.fillStyle = '#0c1013';
      return pen.fillRect(0, 0, camera.width, camera.height);
    }
    if (own !== undefined) camera.follow(own, field.area);
    drawGround(pen, camera, field);
    this.#rocks.draw(pen, camera, field);
    for (const portal of field.portals) drawPortal(pen, camera, portal, now);
    if (game.steering.goal !== undefined) this.#goal(game.steering.goal, now);
    const figures = this.#figures(game, now);
    figures.sort((a, b) => Number(a.own) - Number(b.own) || a.at.y - b.at.y);
    for (const figure of figures) this.#body(figure);
    for (const figure of figures) this.#label(figure);
    pen.globalAlpha = 1;
    this.#floats.draw(pen, camera, now);
  }

  /** As many pixels as the screen has. */
  #fit(): CanvasRenderingContext2D {
    const canvas = this.#canvas;
    const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    const { clientWidth, clientHeight } = canvas;
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    this.camera.resize(clientWidth, clientHeight);
    this.#pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    return this.#pen;
  }
  #figures(game: Game, now: number): Figure[] {
    const time = game.space.shownTime();
    const all: Figure[] = [];
    for (const seen of game.space.seen) {
      const move = seen.at(time);
      if (move !== undefined && this.camera.shows(move.position, 3)) {
        all.push(this.#figure(game, seen, move, now));
      }
    }
    const hero = game.hero;
    const at = game.space.ownShown;
    if (hero === undefined || at === undefined) return all;
    const { heading } = game.space.own!;
    const health = hero.health / (game.field?.hero.health ?? hero.health);
    const flash = this.#flashes(this.#me, now);
    const own = { at, heading, name: hero.name, colour: look.kOwnColour, health, flash };
    all.push({ ...own, radius: look.kHeroRadius, own: true, shown: 1, marked: false });
    return all;
  }
  #figure(game: Game, seen: Seen, move: Locomotion, now: number): Figure {
    const marked = seen.id === game.steering.foe;
    const since = this.#since.get(seen) ?? now;
    this.#since.set(seen, since);
    const shown = Math.min(1, (now - since) / kFadeIn);
    const flash = this.#flashes(seen, now);
    const rest = { at: move.position, heading: move.heading, own: false, shown, flash, marked };
    if (seen.className === 'monster') {
      const { kind = '' } = (seen.properties ?? {}) as Partial<MonsterSeen>;
      const { colour, radius } = look.kindOf(kind);
      const health = healthOf(seen) / (game.field?.monsters[kind] ?? healthOf(seen));
      return { ...rest, name: kind, kind, colour, radius, health };
    }
    const { name = '' } = (seen.properties ?? {}) as Partial<HeroSeen>;
    const health = healthOf(seen) / (game.field?.hero.health ?? healthOf(seen));
    return { ...rest, name, colour: look.heroColour(name), radius: look.kHeroRadius, health };
  }
  #flashes(who: object, now: number): boolean {
    return now - (this.#struck.get(who) ?? -Infinity) < kFlash;
  }

  #body(figure: Figure): void {
    const pen = this.#pen;
    const { scale } = this.camera;
    const { x, y } = this.camera.toScreen(figure.at);
    pen.save();
    pen.globalAlpha = figure.shown;
    pen.translate(x, y);
    pen.scale(scale, scale);
    pen.fillStyle = '#00000055';
    pen.beginPath();
    pen.ellipse(0.08, 0.16, figure.radius * 1.1, figure.radius * 0.95, 0, 0, 2 * Math.PI);
    pen.fill();
    if (figure.marked) this.#ring(figure.radius + 0.45, '#ff8577');
    pen.rotate(figure.heading);
    if (figure.kind === undefined) bodies.hero(pen, figure.colour, figure.own);
    else bodies.monster(pen, figure.kind, figure.at.x * 2.3 + figure.at.y * 3.1);
    if (figure.flash) {
      pen.fillStyle = '#ffffff88';
      pen.beginPath();
      pen.arc(0, 0, figure.radius * 1.15, 0, 2 * Math.PI);
      pen.fill();
    }
    pen.restore();
  }
  #ring(radius: number, colour: string): void {
    const pen = this.#pen;
    pen.strokeStyle = colour;
    pen.lineWidth = 0.1;
    pen.beginPath();
    pen.arc(0, 0, radius, 0, 2 * Math.PI);
    pen.stroke();
  }
  #label(figure: Figure): void {
    const pen = this.#pen;
    const { scale } = this.camera;
    const at = this.camera.toScreen({ x: figure.at.x, y: figure.at.y - figure.radius });
    const isHero = figure.kind === undefined;
    pen.globalAlpha = figure.shown * (isHero ? 1 : 0.75);
    let y = at.y - 8;
    if (figure.health < 0.999 && figure.health > 0) {
      this.#bar(at.x, y, kBar.width * scale, Math.max(3, kBar.height * scale), figure.health);
      y -= 6;
    }
    if (!isHero && !figure.marked && figure.health > 0.999) return;
    pen.font = isHero ? '600 12px system-ui, sans-serif' : '11px system-ui, sans-serif';
    pen.textAlign = 'center';
    pen.lineWidth = 3;
    pen.strokeStyle = '#0c1013aa';
    pen.strokeText(figure.name, at.x, y);
    pen.fillStyle = figure.own ? '#ffe9b5' : isHero ? '#dfe7ea' : '#aab6bb';
    pen.fillText(figure.name, at.x, y);
  }
  #bar(x: number, y: number, width: number, height: number, part: number): void {
    const pen = this.#pen;
    pen.fillStyle = '#0c1013cc';
    pen.fillRect(x - width / 2 - 1, y - height - 1, width + 2, height + 2);
    pen.fillStyle = look.healthColour(part);
    pen.fillRect(x - width / 2, y - height, width * Math.min(1, part), height);
  }
  /** Where the hero was told to go. */
  #goal(goal: Place, now: number): void {
    const pen = this.#pen;
    const { x, y } = this.camera.toScreen(goal);
    pen.strokeStyle = look.kOwnColour;
    pen.lineWidth = 2;
    pen.globalAlpha = 0.55 + 0.2 * Math.sin(now / 180);
    pen.beginPath();
    pen.ellipse(x, y, 9, 6, 0, 0, 2 * Math.PI);
    pen.stroke();
    pen.globalAlpha = 1;
  }
}

/** Where one that is seen is shown. */
export function placeOf(game: Game, seen: Seen): Place | undefined {
  return seen.at(game.space.shownTime())?.position;
}
