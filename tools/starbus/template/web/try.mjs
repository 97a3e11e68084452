// Plays what the page plays, without a browser: node web/try.mjs RUN [SIGNAL]. RUN is the folder of
// scripts/up. Registers, plays, is cut off, comes back, and checks what it sees at each step. SIGNAL (TERM,
// KILL) ends its gate, so that it goes on at the other one.
import assert from 'node:assert/strict';
import { readFile, realpath } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [run, signal] = process.argv.slice(2);
assert(run, 'usage: node web/try.mjs RUN [TERM|KILL]');
const site = `${run}/site`;
const built = (path) => realpath(`${site}/${path}`).then((file) => import(pathToFileURL(file).href));
const { Game } = await built('js/game.js');
const { webSockets } = await built('node_modules/starbus-client/dist/index.js');
const json = async (file) => JSON.parse(await readFile(`${site}/${file}`, 'utf8'));
const settings = await json('settings.json');
const schema = await json('game.json');
const page = (await readFile(`${run}/page`, 'utf8')).trim();

// --- the files, and who may come ---

/** Everything that the page imports is there, and is served as what it is. */
async function crawl(path, seen = new Set()) {
  if (seen.has(path)) return;
  seen.add(path);
  const answer = await fetch(page + path);
  assert.equal(answer.status, 200, `${path} is served`);
  assert.match(answer.headers.get('content-type'), /javascript/, path);
  for (const [, from] of (await answer.text()).matchAll(/^(?:import|export)\b[^'"]*['"](\.[^'"]+)['"]/gm)) {
    await crawl(new URL(from, page + path).pathname.slice(1), seen);
  }
  return seen;
}
const html = await (await fetch(page)).text();
const files = await crawl(/src="([^"]+)"/.exec(html)[1]);
await crawl(/"starbus-client": "\.\/([^"]+)"/.exec(html)[1], files);
/** What a gate answers to a browser that shows a page of this origin. */
function upgrade(origin) {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    Origin: origin,
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  return new Promise((resolve, reject) => {
    const asked = request(settings.gates[0].replace('ws:', 'http:'), { headers });
    asked.on('upgrade', (answer, socket) => resolve(socket.destroy() && answer.statusCode));
    asked.on('response', (answer) => resolve(answer.resume().statusCode));
    asked.on('error', reject);
    asked.end();
  });
}
assert.equal(await upgrade(new URL(page).origin), 101, 'the page may come');
assert.equal(await upgrade('https://elsewhere.example'), 403, 'other pages may not');

// --- a player ---

/** Node's own (22, or 20 with --experimental-websocket), or that of Debian's node-ws. */
function socketClass() {
  if (globalThis.WebSocket !== undefined) return globalThis.WebSocket;
  try {
    return createRequire('/usr/share/nodejs/')('ws');
  } catch {
    console.error('try-page: this Node has no WebSocket: apt-get install node-ws, or use Node 22');
    process.exit(1);
  }
}
const Base = socketClass();
/** The connections of one page. */
function network() {
  const open = new Set();
  let gone = false;
  class Socket extends Base {
    constructor(address) {
      if (gone) throw new Error('no network');
      super(address);
      open.add(this);
    }
  }
  return {
    open,
    transports: webSockets(Socket),
    /** As a network that goes away, as far as the client sees. */
    cut() {
      for (const each of open) each.close();
    },
    /** As a page that was closed: nothing of it is heard any more. */
    end() {
      gone = true;
      this.cut();
    },
  };
}

/** A screen that keeps what it is shown, and wakes those who wait for something on it. */
function makeScreen(login) {
  const waits = new Set();
  const shown = { problems: [], heard: [], states: [], players: 0, ended: undefined };
  const wake = () => waits.forEach((each) => each());
  const screen = {
    status: (text) => shown.states.push(text),
    problem: (text) => shown.problems.push(text),
    login: async (why) => login(why),
    lobby: (characters, visits) => Object.assign(shown, { characters, visits, player: undefined }),
    player: (player) => Object.assign(shown, { player, players: shown.players + 1 }),
    said: (who, line) => shown.heard.push(`${who}: ${line}`),
    ended: (reason) => (shown.ended = reason),
  };
  for (const [name, act] of Object.entries(screen)) {
    if (name === 'login') continue;
    screen[name] = (...args) => (act(...args), wake());
  }
  /** Resolves when it is so. */
  const until = (what, is) =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`not so in 30 s: ${what}; ${describe()}`)), 30_000);
      const look = () => {
        if (!is(shown)) return;
        clearTimeout(late);
        waits.delete(look);
        resolve();
      };
      const describe = () => JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
      waits.add(look);
      look();
    });
  return { screen, shown, until };
}
const account = `try-${process.pid}`;
const password = 'correct horse';
const enter = (login, options = {}) => {
  const seen = makeScreen(login);
  const net = network();
  const game = new Game(settings, schema, seen.screen, { transports: net.transports, ...options });
  return { game, net, ...seen };
};

const { game, net, shown, until } = enter(() => ({ method: 'create', account, password }));
await game.start();
await until('the account is shown', ({ characters }) => characters?.length === 0);
assert.equal(await game.create('Rude Name'), false, 'the game says which names are good');
assert.equal(await game.create('bob'), true);
await until('the character is shown', ({ characters }) => characters?.[0]?.name === 'bob');
assert.equal(await game.choose(shown.characters[0].id), true);
await until('a player is shown', ({ player }) => player?.name === `${account}.1`);
console.log(`${account} plays ${shown.player.name} at ${shown.player.at}`);

assert.equal(await game.addScore(10n), true);
await until('the score is shown', ({ player }) => player.score === 10n);
assert.equal(await game.buy(3n), true);
await until('a thing was bought', ({ player }) => player.backpack.get(3n) === 1n && player.gold === 70n);
assert.equal(await game.say('hello'), true);
await until('all hear it', ({ heard }) => heard.includes(`${account}.1: hello`));
console.log(`score ${shown.player.score}, gold ${shown.player.gold}, heard "${shown.heard.at(-1)}"`);

// Asked while the connection is away: done once when it is back.
net.cut();
await until('the connection is lost', ({ states }) => states.includes('away'));
assert.equal(await game.addScore(5n), true);
await until('the score is shown', ({ player }) => player.score === 15n);
assert.equal(shown.states.at(-1), 'playing');
console.log(`was cut off, and came back: score ${shown.player.score}`);

const from = shown.player.at;
const to = from === 'a.game' ? 'b.game' : 'a.game';
assert.equal(await game.travel(to), true);
await until('the player is on the other host', ({ player }) => player?.at === to);
assert.equal(shown.player.score, 15n);
console.log(`travelled from ${from} to ${to}, with the same connection`);

if (signal !== undefined) {
  const gate = settings.gates.findIndex((each) => [...net.open].at(-1).url === each) === 0 ? 'gate-a' : 'gate-b';
  process.kill(Number(await readFile(`${run}/${gate}.pid`, 'utf8')), `SIG${signal}`);
  const connections = net.open.size;
  await until('it has gone elsewhere', ({ states }) => net.open.size > connections && states.at(-1) === 'playing');
  // What is asked before a new session has shown its player was not begun: it is asked again.
  while (!(await game.addScore(1n))) assert.match(shown.problems.at(-1), /not begun/);
  await until('the score is shown', ({ player }) => player?.score === 16n);
  console.log(`${gate} was ended by SIG${signal}: the game goes on at the other one`);
}

// A page that is loaded again comes back without a password.
const score = shown.player.score;
net.end();
const again = enter(() => assert.fail('no password is needed'), { saved: game.saved });
await again.game.start();
await again.until('the same player is shown', ({ player }) => player?.score === score);
assert.equal(await again.game.logOut(), true);
await again.until('the account is shown', ({ characters }) => characters?.length === 1);
await again.game.close();

let asked = 0;
const thief = enter(() => (asked++ === 0 ? { method: 'password', account, password: 'wrong horse' } : undefined));
await thief.game.start().catch(() => {});
assert.equal(asked, 2, 'a wrong password is asked for again');
assert.equal(thief.shown.player, undefined);
console.log('try-page: works');
process.exit(0);
