/** Shows the game in index.html. */
import { entry, find, json, keepSaved, takeSaved, typedLogin, write } from './dom.js';
import { Game } from './game.js';
import type { Screen } from './game.js';

const kShownLines = 20;

function show(section: '#login' | '#lobby' | '#play' | undefined): void {
  for (const each of ['#login', '#lobby', '#play']) find(each).hidden = each !== section;
}

let at = '';
const screen: Screen = {
  status: (text) => write('#status', text),
  problem: (text) => write('#problem', text),
  async login(why) {
    show('#login');
    write('#problem', why);
    const typed = await typedLogin();
    show(undefined);
    write('#problem', '');
    return typed;
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

const game = new Game(await json('settings.json'), await json('game.json'), screen, { saved: takeSaved() });
keepSaved(() => game.saved);

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
