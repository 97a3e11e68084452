// What try.mjs stands on: the built game and its page, connections that can be cut, and waits for what is shown.
import assert from 'node:assert/strict';
import { readFile, realpath } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const kLongest = 30_000; // ms until something must be so

/** Of `run`, the folder of scripts/up: the class Game, what it is made with, and the page's address. */
export async function load(run) {
  const site = `${run}/site`;
  const built = (path) => realpath(`${site}/${path}`).then((file) => import(pathToFileURL(file).href));
  const json = async (file) => JSON.parse(await readFile(`${site}/${file}`, 'utf8'));
  return {
    Game: (await built('js/game.js')).Game,
    webSockets: (await built('node_modules/starbus-client/dist/index.js')).webSockets,
    settings: await json('settings.json'),
    schema: await json('game.json'),
    page: (await readFile(`${run}/page`, 'utf8')).trim(),
  };
}

/** Everything that the page imports is there, and is served as what it is; the gate takes this page alone. */
export async function checkPage({ page, settings }) {
  const seen = new Set();
  const crawl = async (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    const answer = await fetch(page + path);
    assert.equal(answer.status, 200, `${path} is served`);
    assert.match(answer.headers.get('content-type'), /javascript/, path);
    for (const [, from] of (await answer.text()).matchAll(/^(?:import|export)\b[^'"]*['"](\.[^'"]+)['"]/gm)) {
      await crawl(new URL(from, page + path).pathname.slice(1));
    }
  };
  const html = await (await fetch(page)).text();
  await crawl(/src="([^"]+)"/.exec(html)[1]);
  await crawl(/"starbus-client": "\.\/([^"]+)"/.exec(html)[1]);
  assert.equal(await upgrade(settings.gates[0], new URL(page).origin), 101, 'the page may come');
  assert.equal(await upgrade(settings.gates[0], 'https://elsewhere.example'), 403, 'other pages may not');
}
/** What a gate answers to a browser that shows a page of this origin. */
function upgrade(gate, origin) {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    Origin: origin,
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  return new Promise((resolve, reject) => {
    const asked = request(gate.replace('ws:', 'http:'), { headers });
    asked.on('upgrade', (answer, socket) => resolve(socket.destroy() && answer.statusCode));
    asked.on('response', (answer) => resolve(answer.resume().statusCode));
    asked.on('error', reject);
    asked.end();
  });
}

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
/** The connections of one page. */
export function network(webSockets) {
  const Base = socketClass();
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

/** Waits for what `shown` becomes; `wake` is called when it may have changed. */
export function waiting(shown) {
  const waits = new Set();
  const describe = () => JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
  return {
    wake: () => waits.forEach((look) => look()),
    /** Resolves with what `is(shown)` gives, when that is neither undefined nor false. */
    until: (what, is) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`not so in ${kLongest} ms: ${what}; ${describe()}`));
        const late = setTimeout(fail, kLongest);
        const look = () => {
          const found = is(shown);
          if (found === undefined || found === false) return;
          clearTimeout(late);
          waits.delete(look);
          resolve(found);
        };
        waits.add(look);
        look();
      }),
  };
}
