/**
 * What arena-operator tells of the run, and what it is ordered. The key is the part of the address
 * after #, which a browser sends to nobody.
 */

/** A host as its busd has it. */
export interface Host {
  readonly host: string;
  /** With busroot. */
  readonly connected: boolean;
  readonly rtt_us?: number;
  readonly names?: number;
}
export interface Program {
  readonly name: string;
  /** Empty: it belongs to none. */
  readonly host: string;
  readonly kind: string;
  readonly up: boolean;
  /** Up, and answers at its admin socket, if it has one. */
  readonly answers: boolean;
  readonly state?: string;
  readonly pid?: number;
  readonly started?: number;
  /** Bytes. */
  readonly memory?: number;
  /** Part of one processor. */
  readonly processor?: number;
  /** Milliseconds a second that its loop is busy. */
  readonly busy?: number;
  /** Messages a second. */
  readonly sent?: number;
  readonly names?: number;
  /** Of a gate. */
  readonly sessions?: number;
}
/** Corners of the way that a member still goes, nearest first. */
export type Way = readonly (readonly [x: number, y: number])[];
/** A member of a space: its id, where it is, 1 for a hero, and its way if it has one. */
export type Dot = readonly [id: string, x: number, y: number, hero: number, way?: Way];
export interface SpaceRow {
  readonly space: string;
  readonly program: string;
  readonly host: string;
  readonly state: string;
  readonly players: number;
  readonly others: number;
  readonly capacity: number;
  /** Ticks a second. */
  readonly rate: number;
  /** Of 99 in 100 ticks, at most. */
  readonly took_ms: number;
  /** Ticks of the latest ten seconds. */
  readonly missed: number;
  readonly min?: readonly number[];
  readonly max?: readonly number[];
  readonly dots: readonly Dot[];
}
export interface Happening {
  readonly number: number;
  readonly ago_ms: number;
  readonly what: 'travel' | 'down' | 'up' | 'killed' | 'started';
  /** A hero, or a program. */
  readonly who: string;
  readonly from?: string;
  readonly to?: string;
  /** The programs that run these two spaces. */
  readonly leaves?: string;
  readonly goes?: string;
}
/** GET /view */
export interface View {
  readonly hosts?: readonly Host[];
  readonly programs?: readonly Program[];
  readonly spaces?: readonly SpaceRow[];
  readonly run?: string;
  readonly travels: number;
  readonly events: readonly Happening[];
  /** The number of the latest event. */
  readonly last: number;
  /** Of what is shown; null: nothing was looked at yet. */
  readonly age_ms: number | null;
}

/** The operator's program refuses, or is not there. */
export class Trouble extends Error {}

const kPatience = 4000; // ms

export class Source {
  readonly #key: string;
  #last = 0;

  constructor(key: string) {
    this.#key = key;
  }
  /** The view, with the events since the one before. Throws Trouble. */
  async look(): Promise<View> {
    const view = (await this.#ask('GET', `view?after=${this.#last}`)) as View;
    this.#last = view.last;
    return view;
  }
  async kill({ name, pid = 0, started = 0 }: Program): Promise<void> {
    await this.#ask('POST', `kill?name=${encodeURIComponent(name)}&pid=${pid}&started=${started}`);
  }
  async start({ name }: Program): Promise<void> {
    await this.#ask('POST', `start?name=${encodeURIComponent(name)}`);
  }

  async #ask(method: string, target: string): Promise<unknown> {
    let answer: Response;
    const patience = new AbortController();
    const late = setTimeout(() => patience.abort(), kPatience);
    try {
      const headers = { Authorization: `Bearer ${this.#key}` };
      const { signal } = patience;
      answer = await fetch(target, { method, headers, signal, cache: 'no-store' });
    } catch {
      throw new Trouble(
        'The operator’s program does not answer: was the run ended by scripts/down?'
      );
    } finally {
      clearTimeout(late);
    }
    const body = (await answer.json().catch(() => ({}))) as { detail?: string };
    if (answer.ok) return body;
    if (answer.status !== 401) throw new Trouble(body.detail ?? `refused: ${answer.status}`);
    const wrong = this.#key === '' ? 'has no key' : 'has the key of another run';
    throw new Trouble(`This address ${wrong}: open the one that scripts/up has printed.`);
  }
}
