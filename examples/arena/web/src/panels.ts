/** What stands beside the field: the hero, the figures of the corner, the words that were heard. */
import type { Figures, HeroView, Line, Where } from './game.js';
import { healthColour } from './look.js';

const kShownLines = 60;
const kNoticeTime = 4000; // ms

export function find<E extends Element = HTMLElement>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`this page has no ${selector}`);
  return found;
}
export function write(selector: string, text: string): void {
  const at = find<HTMLElement>(selector);
  if (at.textContent !== text) at.textContent = text; // as text: what others say is no HTML
}

/** `full` is its whole health, when that is known: in a field. */
export function showHero({ name, health, kills, gold }: HeroView, full = health): void {
  const part = health / Math.max(1, full);
  write('#name', name);
  write('#health-text', `${health} / ${full}`);
  write('#gold', `${gold}`);
  write('#kills', `${kills}`);
  const bar = find('#health');
  bar.style.width = `${100 * part}%`;
  bar.style.background = healthColour(part);
}
export function showFigures({ space, node, roundTrip, seen, packets }: Figures): void {
  write('#space', space || '-');
  write('#node', node || '-');
  write('#round-trip', roundTrip === undefined ? '-' : `${roundTrip.toFixed(1)} ms`);
  write('#seen', `${seen}`);
  write('#packets', packets.toFixed(packets < 10 ? 1 : 0));
}

const kBefore: Readonly<Record<Where, (who: string) => string>> = {
  space: (who) => `${who}: `,
  whisper: (who) => `${who} whispers: `,
  world: (who) => `${who} shouts: `,
  whispered: (who) => `to ${who}: `,
  game: () => '',
};
export function showLine({ where, who, text }: Line): void {
  const log = find('#log');
  const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
  const line = document.createElement('li');
  line.className = where;
  const name = document.createElement('b');
  name.textContent = kBefore[where](who);
  line.append(name, text);
  log.append(line);
  while (log.children.length > kShownLines) log.firstElementChild?.remove();
  if (atEnd) log.scrollTop = log.scrollHeight;
}

let notice: ReturnType<typeof setTimeout> | undefined;
/** Over the field, for a moment. */
export function showNotice(text: string): void {
  const at = find('#notice');
  at.textContent = text;
  at.classList.add('shown');
  clearTimeout(notice);
  notice = setTimeout(() => at.classList.remove('shown'), kNoticeTime);
}
/** Over everything, until it is empty. */
export function showVeil(text: string): void {
  write('#veil p', text);
  find('#veil').hidden = text === '';
}
