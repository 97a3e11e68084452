/** Shows the game in index.html. */
import { Game } from './game.js';
import type { Login, Screen } from './game.js';

const kSaved = 'saved'; // in the session's storage: this tab comes back without a password
const kShownLines = 20;

function find<E extends HTMLElement>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`index.html has no ${selector}`);
  return found;
}
function show(section: '#login' | '#lobby' | '#play' | undefined): void {
  for (const each of ['#login', '#lobby', '#play']) find(each).hidden = each !== section;
}
function write(selector: string, value: unknown): void {
  find(selector).textContent = String(value);
}
function entry(text: string): HTMLLIElement {
  const line = document.createElement('li');
  line.textContent = text; // as text: what others say is no HTML
  return line;
}
async function json(file: string): Promise<any> {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  return answer.json();
}

let at = '';
const screen: Screen = {
  status: (text) => write('#status', text),
  problem: (text) => write('#problem', text),
  login(why) {
    show('#login');
    write('#problem', why);
    return new Promise<Login>((resolve) => {
      find<HTMLFormElement>('#login form').onsubmit = (event) => {
        event.preventDefault();
        const form = new FormData(event.target as HTMLFormElement);
        const method = (event.submitter as HTMLButtonElement | null)?.value;
        show(undefined);
        write('#problem', '');
        resolve({
          method: method === 'create' ? 'create' : 'password',
          account: String(form.get('account')),
          password: String(form.get('password')),
        });
      };
    });
  },
  lobby(characters, visits) {
    show('#lobby');
    write('#visits', visits);
    const rows = characters.map(({ id, name }) => {
      const row = entry(`${name} (${id}) `);
      const play = document.createElement('button');
      play.textContent = 'Play';
      play.onclick = () => void game.choose(id);
      row.append(play);
      return row;
    });
    find('#characters').replaceChildren(...rows);
  },
  player(view) {
    show('#play');
    at = view.at;
    write('#who', view.name);
    write('#score', view.score);
    write('#gold', view.gold);
    write('#energy', view.energy);
    write('#at', view.at);
    const things = [...view.backpack].map(([kind, count]) => `${count} of kind ${kind}`);
    write('#backpack', things.join(', ') || 'empty');
  },
  said(who, line) {
    const list = find('#said');
    list.prepend(entry(`${who}: ${line}`));
    while (list.children.length > kShownLines) list.lastElementChild?.remove();
  },
  ended(reason, text) {
    show(undefined);
    write('#status', `ended: ${reason} ${text}. Load the page again to play.`);
  },
};

const saved = sessionStorage.getItem(kSaved);
// Kept between two pages alone: a tab that is made as a copy of this one must not have it, too.
sessionStorage.removeItem(kSaved);
addEventListener('pageshow', () => sessionStorage.removeItem(kSaved));
const game = new Game(await json('settings.json'), await json('game.json'), screen, {
  saved: saved === null ? undefined : JSON.parse(saved),
});
addEventListener('pagehide', () => {
  if (game.saved !== undefined) sessionStorage.setItem(kSaved, JSON.stringify(game.saved));
});

find('#add').onclick = () => void game.addScore(10n);
find('#buy').onclick = () => void game.buy(3n);
find('#travel').onclick = () => void game.travel(at === 'a.game' ? 'b.game' : 'a.game');
find('#leave').onclick = () => void game.logOut();
for (const [form, act] of [
  ['#lobby form', (text: string) => game.create(text)],
  ['#play form', (text: string) => game.say(text)],
] as const) {
  find<HTMLFormElement>(form).onsubmit = async (event) => {
    event.preventDefault();
    const input = find<HTMLInputElement>(`${form} input`);
    if (await act(input.value)) input.value = '';
  };
}
await game.start().catch(() => {}); // `ended` has said why
