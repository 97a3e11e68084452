// What the two tests of the page share: a Game that is played by Node, with a screen that keeps
// what it is shown.
import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const kFrame = 33; // ms
const kLongest = 30_000; // ms until something must be so

/** Of the page in `run`, the folder of scripts/up. */
export async function load(run) {
  const site = await realpath(`${run}/site`);
  const built = (path) => import(pathToFileURL(`${site}/${path}`).href);
  const json = async (file) => JSON.parse(await readFile(`${site}/${file}`, 'utf8'));
  const { Game } = await built('js/game.js');
  const { webSockets } = await built('node_modules/starbus-client/dist/index.js');
  return {
    Game,
    webSockets,
    settings: await json('settings.json'),
    schema: await json('arena.json'),
  };
}

/** Node's own (22), or that of Debian's node-ws. */
function socketClass() {
  if (globalThis.WebSocket !== undefined) return globalThis.WebSocket;
  return createRequire(import.meta.url)('/usr/share/nodejs/ws');
}
/** The connections of one page. */
function network(webSockets) {
  const Base = socketClass();
  const open = new Set();
  class Socket extends Base {
    constructor(address) {
      super(address);
      open.add(this);
    }
  }
  return { transports: webSockets(Socket), cut: () => open.forEach((each) => each.close()) };
}

/** Somebody who plays: `shown` is what was shown, `until` waits for something. */
export class Player {
  shown = { states: [], problems: [], lines: [], blows: [], fields: [], gold: 0, corrected: 0 };
  #looks = new Set();

  constructor({ Game, webSockets, settings, schema }, account) {
    this.account = account;
    this.net = network(webSockets);
    this.game = new Game(settings, schema, this.#screen(), { transports: this.net.transports });
    this.game.space.on('corrected', ({ teleport }) => (this.shown.corrected += teleport ? 0 : 1));
    this.timer = setInterval(() => {
      this.game.frame(performance.now());
      this.#looks.forEach((look) => look());
    }, kFrame);
  }
  #screen() {
    const { shown } = this;
    let logins = 0;
    return {
      status: (text) => shown.states.push(text),
      problem: (text) => shown.problems.push(text),
      login: async (why) => {
        if (logins++ > 0) throw new Error(`${this.account} was refused: ${why}`);
        return { method: 'create', account: this.account, password: 'correct horse' };
      },
      field: (field) => shown.fields.push(field?.type),
      hero: () => {},
      said: (line) => shown.lines.push(line),
      struck: (blow) => shown.blows.push(blow),
      looted: (gold) => (shown.gold += gold),
      ended: (reason) => (shown.ended = reason),
    };
  }

  get at() {
    return this.game.space.own?.position;
  }
  get type() {
    return this.game.field?.type;
  }
  /** Another hero in sight. */
  sees(account) {
    return [...this.game.space.seen].find(({ properties }) => properties?.name === account);
  }
  heard(where, who) {
    return this.shown.lines
      .filter((line) => line.where === where && line.who === who)
      .map(({ text }) => text);
  }
  /** Resolves with what `is` gives, when that is something. */
  until(what, is, longest = kLongest) {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#looks.delete(look);
        const { x, y } = this.at ?? {};
        const known = { ...this.shown, blows: this.shown.blows.length, type: this.type, x, y };
        reject(
          new Error(`${this.account}: not so in ${longest} ms: ${what}; ${JSON.stringify(known)}`)
        );
      }, longest);
      const look = () => {
        const found = is();
        if (found === undefined || found === false) return;
        clearTimeout(late);
        this.#looks.delete(look);
        resolve(found);
      };
      this.#looks.add(look);
      look();
    });
  }
  async enter() {
    await this.game.start();
    await this.until(
      'it has a hero in a field',
      () => this.game.hero !== undefined && this.type && this.at
    );
  }
  async leave() {
    clearInterval(this.timer);
    await this.game.close();
  }
}
export const near = (a, b, within) => Math.hypot(a.x - b.x, a.y - b.y) <= within;
