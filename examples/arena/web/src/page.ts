/** Shows the arena in index.html. */
import { Picture } from './draw.js';
import { Game } from './game.js';
import type { Blow, Line, Login, Screen } from './game.js';
import { Input } from './input.js';
import { titleOf } from './look.js';
import { drawMap, placeOnMap } from './map.js';
import { find, showFigures, showHero, showLine, showNotice, showVeil } from './panels.js';
import { kHelp } from './words.js';

const kSaved = 'arena'; // in the session's storage: this tab comes back without a password
const kFiguresTime = 250; // ms
const kHunt = 12; // m: as far the button for a finger looks for a monster
const kStates: Readonly<Record<string, string>> = {
  idle: '',
  credentials: '',
  connecting: 'Connecting ...',
  playing: '',
  away: 'The connection is lost. It comes back by itself ...',
};

const picture = new Picture(find<HTMLCanvasElement>('#field'));
const map = find<HTMLCanvasElement>('#map');
const words = find<HTMLInputElement>('#talk input');
let game: Game | undefined; // undefined: nobody plays

function showPlay(plays: boolean): void {
  find('#login').hidden = plays;
  find('#play').hidden = !plays;
}
function tell(text: string): void {
  showLine({ where: 'game', who: '', text });
}
/** Resolves with what the person has typed. */
function askLogin(why: string): Promise<Login> {
  showPlay(false);
  showVeil('');
  const form = find<HTMLFormElement>('#login form');
  find('#refused').textContent = why;
  find<HTMLFieldSetElement>('#login fieldset').disabled = false;
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      const typed = new FormData(form);
      const method = (event.submitter as HTMLButtonElement | null)?.value;
      find('#refused').textContent = '';
      find<HTMLFieldSetElement>('#login fieldset').disabled = true;
      resolve({
        method: method === 'create' ? 'create' : 'password',
        account: String(typed.get('account')),
        password: String(typed.get('password')),
      });
    };
  });
}
function showStruck(blow: Blow): void {
  if (game === undefined) return;
  picture.struck(game, blow, performance.now());
  if (blow.seen !== undefined || blow.left > 0) return;
  showNotice('You were struck down, and wake at the entrance');
}

const screen: Screen = {
  status(text) {
    const known = kStates[text];
    if (text === 'playing') showPlay(true);
    if (text !== 'ended') showVeil(known ?? text);
  },
  problem: tell,
  login: askLogin,
  field(field) {
    picture.clear();
    if (field === undefined) return;
    const title = titleOf(field.type);
    showNotice(title);
    if (game?.hero !== undefined) showHero(game.hero, field.hero.health);
    document.title = `${title} - arena`;
  },
  hero: (view) => showHero(view, game?.field?.hero.health),
  said: (line: Line) => showLine(line),
  struck: showStruck,
  looted: (gold) => game !== undefined && picture.looted(game, gold, performance.now()),
  ended(reason, text) {
    game = undefined;
    if (reason === 'left') return location.reload(); // to log in again
    showVeil(`The game is over for this page: ${text || reason}. Load it again to play.`);
  },
};

async function json(file: string): Promise<any> {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  return answer.json();
}
function listen(): Input {
  const input = new Input(find<HTMLCanvasElement>('#field'), picture.camera, playing, () =>
    words.focus()
  );
  find<HTMLFormElement>('#talk').onsubmit = async (event) => {
    event.preventDefault();
    const line = words.value.trim();
    words.value = '';
    if (line === '') return words.blur();
    if (!(await game?.speak(line)) && words.value === '') words.value = line;
  };
  words.addEventListener('keydown', ({ key }) => key === 'Escape' && words.blur());
  find('#strike').onclick = () => {
    const foe = game?.nearestMonster(kHunt);
    if (game !== undefined && foe !== undefined) game.steering.chase(foe.id);
  };
  map.addEventListener('pointerdown', ({ offsetX, offsetY }) => {
    const area = game?.field?.area;
    if (area !== undefined)
      game?.steering.walkTo(placeOnMap(map, area, { x: offsetX, y: offsetY }));
  });
  find('#leave').onclick = () => void game?.logOut();
  return input;
}
/** How it is played: with keys, or with fingers. */
function explain(): void {
  if (matchMedia('(pointer: coarse)').matches) {
    tell('Tap: walk. Hold: lead the hero. A tap on a monster, or the button: strike.');
    words.placeholder = 'Talk   /w name: whisper   /s: world';
  } else {
    tell('WASD, arrow keys or a click: walk. Space, or a click on a monster: strike. Enter: talk.');
  }
  tell(kHelp);
}
function playing(): Game | undefined {
  return game?.hero === undefined ? undefined : game;
}

const input = listen();
let figuresAt = 0;
function frame(now: number): void {
  requestAnimationFrame(frame);
  const played = playing();
  if (played === undefined) return;
  input.frame(now);
  played.frame(now);
  picture.draw(played, now);
  if (now - figuresAt < kFiguresTime) return;
  figuresAt = now;
  showFigures(played.figures);
  drawMap(map, played, picture.camera);
}

const saved = sessionStorage.getItem(kSaved);
// Kept between two pages alone: a tab that is made as a copy of this one must not have it, too.
sessionStorage.removeItem(kSaved);
addEventListener('pageshow', () => sessionStorage.removeItem(kSaved));
addEventListener('pagehide', () => {
  if (game?.saved !== undefined) sessionStorage.setItem(kSaved, JSON.stringify(game.saved));
});
game = new Game(await json('settings.json'), await json('arena.json'), screen, {
  saved: saved === null ? undefined : JSON.parse(saved),
});
// For the console of the browser, and for tests: what is played.
Object.defineProperty(globalThis, 'arena', { get: () => game });
explain();
requestAnimationFrame(frame);
await game.start().catch(() => {}); // `ended` has said why
