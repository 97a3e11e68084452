/** Programs as rows, in their hosts, and in the table of rates. Rows are kept, and changed. */
import { healthColour } from '../look.js';
import { find } from '../panels.js';
import type { Program } from './source.js';

export type Order = (what: 'kill' | 'start', program: Program) => void;

/** The element that `key` stands for in `parent`; made, and put in order, if it is not there. */
export class Kept<E extends HTMLElement> {
  readonly #made = new Map<string, E>();
  readonly #make: (key: string) => E;

  constructor(make: (key: string) => E) {
    this.#make = make;
  }
  /** Exactly these are left, in this order, each in its parent. */
  show<Row>(
    rows: readonly Row[],
    key: (row: Row) => string,
    fill: (element: E, row: Row) => void,
    parent: (row: Row) => Element
  ): void {
    const wanted = new Set(rows.map(key));
    for (const [old, element] of this.#made) {
      if (wanted.has(old)) continue;
      element.remove();
      this.#made.delete(old);
    }
    const places = new Map<Element, number>();
    for (const row of rows) {
      const id = key(row);
      let element = this.#made.get(id);
      if (element === undefined) this.#made.set(id, (element = this.#make(id)));
      const home = parent(row);
      const place = places.get(home) ?? 0;
      places.set(home, place + 1);
      if (home.children[place] !== element)
        home.insertBefore(element, home.children[place] ?? null);
      fill(element, row);
    }
  }
  get(key: string): E | undefined {
    return this.#made.get(key);
  }
}

export function make(tag: string, className: string, ...inner: (Element | string)[]): HTMLElement {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...inner);
  return element;
}
export function put(parent: Element, selector: string, text: string): void {
  const at = parent.querySelector(selector)!;
  if (at.textContent !== text) at.textContent = text;
}

export function memory(bytes: number | undefined): string {
  if (bytes === undefined) return '';
  const mib = bytes / 2 ** 20;
  return mib < 1024 ? `${mib.toFixed(0)} MiB` : `${(mib / 1024).toFixed(1)} GiB`;
}
const percent = (part: number | undefined): string =>
  part === undefined ? '' : `${(100 * part).toFixed(part < 0.095 ? 1 : 0)} %`;

function stateOf({ up, answers, state = '', sessions }: Program): string {
  if (!up) return 'is down';
  if (!answers) return 'does not answer';
  return sessions === undefined ? state : `${state}, ${sessions} sessions`;
}

/** Of the hosts, and of what belongs to none. */
export class Programs {
  readonly #rows: Kept<HTMLElement>;
  readonly #latest = new Map<string, Program>();

  constructor(order: Order) {
    this.#rows = new Kept((name) => {
      const button = make('button', '') as HTMLButtonElement;
      button.type = 'button';
      button.onclick = () => {
        const program = this.#latest.get(name);
        if (program !== undefined) order(program.up ? 'kill' : 'start', program);
      };
      return make(
        'div',
        'program',
        make('span', 'lamp'),
        make('b', '', name),
        make('span', 'state'),
        make('div', 'bar', make('i', ''), make('span', '')),
        make('span', 'memory'),
        button
      );
    });
  }
  /** `home` is where the rows of this host are. */
  show(programs: readonly Program[], home: (host: string) => Element): void {
    this.#rows.show(
      programs,
      ({ name }) => name,
      (row, program) => this.#fill(row, program),
      ({ host }) => home(host)
    );
  }
  #fill(row: HTMLElement, program: Program): void {
    const { name, up, answers, processor } = program;
    this.#latest.set(name, program);
    row.className = `program ${!up ? 'down' : answers ? '' : 'silent'}`;
    row.dataset['program'] = name;
    put(row, '.state', stateOf(program));
    put(row, '.memory', memory(program.memory));
    put(row, '.bar span', percent(processor));
    const bar = row.querySelector<HTMLElement>('.bar i')!;
    bar.style.width = `${Math.min(100, 100 * (processor ?? 0))}%`;
    bar.style.background = healthColour(1 - (processor ?? 0));
    const button = row.querySelector('button')!;
    const what = up ? 'kill' : 'start';
    if (button.className === what) return;
    button.className = what;
    button.textContent = what;
    button.setAttribute('aria-label', `${what} ${name}`);
  }
}

const kRates: readonly ((program: Program) => string)[] = [
  ({ processor }) => percent(processor),
  ({ busy }) => (busy === undefined ? '' : `${busy.toFixed(0)} ms/s`),
  (program) => memory(program.memory),
  ({ sent }) => (sent === undefined ? '' : `${sent}/s`),
  ({ names }) => (names === undefined ? '' : `${names}`),
];
export class Rates {
  readonly #rows = new Kept((name) =>
    make('tr', '', make('td', '', name), ...kRates.map(() => make('td', '')))
  );
  show(programs: readonly Program[]): void {
    const fill = (row: HTMLElement, program: Program): void =>
      kRates.forEach((rate, column) => {
        const cell = row.children[column + 1]!;
        const text = rate(program) || '–';
        if (cell.textContent !== text) cell.textContent = text;
        cell.className = text === '–' ? 'none' : '';
      });
    this.#rows.show(
      programs,
      ({ name }) => name,
      fill,
      () => find('#rates')
    );
  }
}
