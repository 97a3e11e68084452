// Plays what the page plays, without a browser: node try.mjs RUN. RUN is the folder of scripts/up.
// Two heroes see each other walk, talk, and fight; one goes through a portal while the other one
// shouts, is cut off, and comes back.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { load, near, Player } from './try-player.mjs';

const [run] = process.argv.slice(2);
assert(run, 'usage: node try.mjs RUN');
const page = 'http://127.0.0.1:7680/';
const built = await load(run);

/** Everything that the page imports is there, and is served as what it is. */
async function crawl(path, seen = new Set()) {
  if (seen.has(path)) return;
  seen.add(path);
  const answer = await fetch(page + path);
  assert.equal(answer.status, 200, `${path} is served`);
  assert.match(answer.headers.get('content-type'), /javascript/, path);
  for (const [, from] of (await answer.text()).matchAll(
    /^(?:import|export)\b[^'"]*['"](\.[^'"]+)['"]/gm
  )) {
    await crawl(new URL(from, page + path).pathname.slice(1), seen);
  }
}
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
    const asked = request(built.settings.gates[0].replace('ws:', 'http:'), { headers });
    asked.on('upgrade', (answer, socket) => resolve(socket.destroy() && answer.statusCode));
    asked.on('response', (answer) => resolve(answer.resume().statusCode));
    asked.on('error', reject);
    asked.end();
  });
}
const html = await (await fetch(page)).text();
await crawl(/src="([^"]+)"/.exec(html)[1]);
await crawl(/"starbus-client": "\.\/([^"]+)"/.exec(html)[1]);
assert.equal(await upgrade(new URL(page).origin), 101, 'the page may come');
assert.equal(await upgrade('https://elsewhere.example'), 403, 'other pages may not');

// --- two heroes ---

const name = `try-${process.pid}`;
const [ada, bob] = ['a', 'b'].map((which) => new Player(built, `${name}-${which}`));
await Promise.all([ada.enter(), bob.enter()]);
assert.equal(ada.type, 'meadow');
await bob.until('bob sees ada', () => bob.sees(ada.account));
const { space, node } = ada.game.figures;
console.log(`${ada.account} and ${bob.account} are in ${space}, on ${node}`);

const portal = ada.game.field.portals.find(({ to }) => to === 'forest');
ada.game.steering.walkTo(portal);
const started = { ...ada.at };
await bob.until('bob sees ada walk', () => !near(bob.sees(ada.account).move.position, started, 6));
const seen = bob.sees(ada.account);
const [told, shown] = [seen.move.position, seen.at(bob.game.space.shownTime()).position];
assert(
  near(told, ada.at, 3),
  `ada is at ${JSON.stringify(ada.at)}, and seen at ${JSON.stringify(told)}`
);
assert(near(told, shown, 3), 'she is shown near to where she was last');
console.log(`walks: ada is at ${ada.at.x.toFixed(1)} ${ada.at.y.toFixed(1)}, as bob sees`);

assert(await ada.game.speak('hello'));
await bob.until('bob hears ada', () => bob.heard('space', ada.account).includes('hello'));
assert(await bob.game.speak(`/w ${ada.account} this is for you`));
await ada.until('ada hears the whisper', () =>
  ada.heard('whisper', bob.account).includes('this is for you')
);
assert.equal(await bob.game.speak('/w'), false, 'what is no whisper is not said');
console.log('words: in the space, and whispered');

// Ada walks on for half a minute; Bob fights.
bob.game.steering.walkTo({ x: 60, y: 60 });
const prey = await bob.until('bob finds a monster', () => bob.game.nearestMonster(20));
const hunt = setInterval(() => {
  const next = bob.game.steering.foe === undefined ? bob.game.nearestMonster(30) : undefined;
  if (next !== undefined) bob.game.steering.chase(next.id);
}, 200);
await bob.until('bob has killed a monster', () => bob.game.hero.kills > 0);
clearInterval(hunt);
bob.game.steering.stop();
assert(
  bob.shown.blows.some((blow) => blow.seen !== undefined && blow.left <= 0),
  'the last blow is shown'
);
console.log(`blows: bob has killed a monster (the first that he saw: a ${prey.properties.kind})`);

// --- through a portal, while somebody shouts ---

let shouts = 0;
let shouting = true;
const shouted = (async () => {
  while (shouting) {
    assert(await bob.game.speak(`/s ${shouts}`), `${bob.shown.problems}`);
    shouts += 1;
    await after(250);
  }
})();
await bob.until('bob has lost sight of ada', () => bob.sees(ada.account) === undefined);
await ada.until(
  'ada is in the forest',
  () => ada.type === 'forest' && ada.at !== undefined,
  45_000
);
await ada.until('the hero knows it', () => ada.game.hero?.space.includes('forest'));
await after(1000);
shouting = false;
await shouted;
const all = Array.from({ length: shouts }, (_, i) => `${i}`);
await ada.until('ada has heard all', () => ada.heard('world', bob.account).length >= shouts);
assert.deepEqual(ada.heard('world', bob.account), all, 'each shout once and in order');
const there = ada.game.figures;
console.log(
  `portal: ada is in ${there.space}, on ${there.node}; she has heard all ${shouts} shouts`
);

// --- the connection goes, and comes back ---

const states = ada.shown.states.length;
ada.net.cut();
await ada.until('the connection is lost', () => ada.shown.states.slice(states).includes('away'));
await ada.until('it is back', () => ada.shown.states.at(-1) === 'playing');
const from = { ...ada.at };
ada.game.steering.walkTo({ x: from.x + 4, y: from.y });
await ada.until('she walks on', () => !near(ada.at, from, 3));
assert(await bob.game.speak(`/w ${ada.account} are you back?`));
await ada.until('she hears', () => ada.heard('whisper', bob.account).includes('are you back?'));
assert.equal(ada.type, 'forest');
assert(ada.game.figures.packets > 0 && ada.game.figures.roundTrip > 0, 'the corner has figures');
console.log(`cut off, and back: round trip ${there.roundTrip?.toFixed(1)} ms`);

assert.equal(ada.shown.corrected, 0, 'who keeps to the rules is not corrected');
assert.deepEqual([ada.shown.problems, bob.shown.problems.length], [[], 1]);
await Promise.all([ada.leave(), bob.leave()]);
console.log('arena page: works');
process.exit(0);
