/** The operator's view of a run, in operator.html. */
import { find, write } from '../panels.js';
import { Arcs } from './arcs.js';
import { Kept, Programs, Rates, make, put } from './rows.js';
import { Source, Trouble } from './source.js';
import type { Happening, Host, Program, View } from './source.js';
import { Tiles } from './tiles.js';

const kRound = 500; // ms
const kOld = 3000; // ms: what is shown is not the present any more
const kRefused = 8000; // ms that a refusal is shown
const kEvents = 120; // lines

const source = new Source(location.hash.slice(1));
const tiles = new Tiles();
const arcs = new Arcs(tiles);
const programs = new Programs((what, program) => void order(what, program));
const rates = new Rates();
const hosts = new Kept((name) =>
  make(
    'section',
    'host',
    make('h2', '', `Host ${name}`, make('span', '')),
    make('div', 'programs'),
    make('div', 'spaces')
  )
);
let refused = ''; // why the latest order was not obeyed

async function order(what: 'kill' | 'start', program: Program): Promise<void> {
  if (what === 'kill' && !(await agreed(program))) return;
  refused = '';
  try {
    await source[what](program);
  } catch (error) {
    refused = error instanceof Trouble ? error.message : String(error);
    setTimeout(() => (refused = ''), kRefused);
  }
}
/** Asks the person once more. */
function agreed({ name, pid, kind }: Program): Promise<boolean> {
  const ask = find<HTMLDialogElement>('#ask');
  const then =
    kind === 'arena' ? ' Its heroes come back on another host, as they were saved last.' : '';
  write('#ask-text', `Kill ${name}, process ${pid}, with SIGKILL?${then}`);
  ask.returnValue = 'no';
  ask.showModal();
  return new Promise((resolve) => {
    ask.onclose = () => resolve(ask.returnValue === 'yes');
  });
}

function showTrouble(text: string): void {
  find('#trouble').hidden = text === '';
  write('#trouble', text);
}
function troubleOf({ programs: all = [], hosts: linked = [], age_ms }: View): string {
  if (age_ms === null) return '';
  if (age_ms > kOld)
    return `This is what was ${(age_ms / 1000).toFixed(0)} s ago: some program hangs.`;
  const named = (rows: readonly Program[]): string => rows.map(({ name }) => name).join(', ');
  const down = all.filter(({ up }) => !up);
  const silent = all.filter(({ up, answers }) => up && !answers);
  const cut = linked.filter(({ connected }) => !connected).map(({ host }) => host);
  return [
    refused,
    down.length > 0 ? `Down: ${named(down)}. “start” runs it again, as scripts/up did.` : '',
    silent.length > 0 ? `No answer from: ${named(silent)}.` : '',
    cut.length > 0 ? `Not linked with busroot: host ${cut.join(', ')}.` : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}

function showHosts(all: readonly Program[], linked: readonly Host[]): void {
  const names = [...new Set(all.map(({ host }) => host).filter((host) => host !== ''))].sort();
  const fill = (section: HTMLElement, name: string): void => {
    const link = linked.find(({ host }) => host === name);
    section.classList.toggle('cut', link?.connected !== true);
    const rtt = `${((link?.rtt_us ?? 0) / 1000).toFixed(1)} ms`;
    const text = link?.connected
      ? `linked with busroot, ${rtt} · ${link.names} names`
      : 'not linked with busroot';
    put(section, 'h2 span', text);
  };
  hosts.show(
    names,
    (name) => name,
    fill,
    () => find('#hosts')
  );
}
function showSums({ programs: all = [], spaces = [], travels }: View): void {
  const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
  write('#sum-programs', `${all.filter(({ up }) => up).length} of ${all.length}`);
  write('#sum-spaces', `${spaces.length}`);
  write('#sum-heroes', `${sum(spaces.map(({ players }) => players))}`);
  write('#sum-travels', `${travels}`);
  write('#sum-messages', `${sum(all.map(({ sent = 0 }) => sent))}`);
}

const kWords: Readonly<Record<Exclude<Happening['what'], 'travel'>, string>> = {
  down: 'is down',
  up: 'is up again',
  killed: 'was killed by you',
  started: 'was started by you',
};
function showEvent({ what, who, ago_ms, from, to, leaves, goes }: Happening): void {
  const at = new Date(Date.now() - ago_ms);
  const hero = what === 'travel' ? who.replace(/\.\d+$/, '') : who;
  const far = leaves === goes ? '' : ` (${leaves} → ${goes})`;
  const text = what === 'travel' ? ` ${from} → ${to}${far}` : ` ${kWords[what]}`;
  const line = make(
    'li',
    what,
    make('time', '', at.toTimeString().slice(0, 8)),
    make('span', '', make('b', '', hero), text)
  );
  const list = find('#events');
  list.prepend(line);
  while (list.children.length > kEvents) list.lastElementChild?.remove();
}

function show(view: View): void {
  const now = performance.now();
  const { programs: all = [], spaces = [], hosts: linked = [] } = view;
  showHosts(all, linked);
  const home =
    (part: string) =>
    (host: string): Element =>
      hosts.get(host)?.querySelector(part) ?? find('#outside');
  programs.show(all, home('.programs'));
  tiles.show(
    [...spaces].sort((a, b) => a.space.localeCompare(b.space)),
    home('.spaces'),
    now
  );
  for (const { space, program } of spaces) arcs.note(space, program);
  rates.show(all);
  showSums(view);
  view.events.forEach(showEvent);
  arcs.add(
    view.events.filter(({ what }) => what === 'travel'),
    now
  );
  showTrouble(troubleOf(view));
}
async function round(): Promise<void> {
  try {
    show(await source.look());
  } catch (error) {
    showTrouble(error instanceof Trouble ? error.message : String(error));
  }
  setTimeout(() => void round(), kRound);
}
function frame(now: number): void {
  requestAnimationFrame(frame);
  tiles.draw(now);
  arcs.frame(now);
}

addEventListener('hashchange', () => location.reload()); // another key
requestAnimationFrame(frame);
await round();
