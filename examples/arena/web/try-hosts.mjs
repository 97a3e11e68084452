// The arena over two hosts, in two browsers and with the operator's view: node try-hosts.mjs RUN. RUN
// is the folder of scripts/up. Two heroes see each other walk. One goes through a portal to the other
// host while both shout numbered lines. The operator kills that host's fields, and both play again
// within five seconds. What else is needed: try-browser.mjs.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { browse, enter, open, picture, problems, until } from './try-browser.mjs';

const [run] = process.argv.slice(2);
assert(run, 'usage: node try-hosts.mjs RUN');
const kBetweenLines = 260; // ms: a hero may say something each 200 ms
const kBack = 5000; // ms
const size = { viewport: { width: 960, height: 640 } }; // what a processor alone can draw quickly
const wide = { viewport: { width: 1360, height: 900 } };
const began = performance.now();
const say = (text) => console.log(`${((performance.now() - began) / 1000).toFixed(1)} s: ${text}`);

/** What a program tells at its admin socket. */
function admin(program, path) {
  const socketPath = `${run}/${program}/admin.sock`;
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, host: 'localhost' }, async (answer) => {
      let text = '';
      for await (const part of answer) text += part;
      resolve(JSON.parse(text));
    });
    asked.on('error', reject);
    asked.end();
  });
}
/** Where the server has this hero: {program, space, x, y}. Undefined: nowhere. */
async function heroAt(account) {
  for (const program of ['arena-a', 'arena-b']) {
    const { spaces = [] } = await admin(program, '/spaces').catch(() => ({}));
    for (const { space } of spaces) {
      const { members = [] } = await admin(program, `/spaces/members?space=${space}`);
      const found = members.find(({ persistent_id }) => persistent_id === `${account}.1`);
      if (found) return { program, space, x: found.at[0], y: found.at[1] };
    }
  }
  return undefined;
}
/** The program of each space: {"meadow-1": "arena-a", ...} */
async function homes() {
  const all = {};
  for (const program of ['arena-a', 'arena-b']) {
    for (const { space } of (await admin(program, '/spaces')).spaces) all[space] = program;
  }
  return all;
}

// --- what runs in a page ---

const own = (tab) => tab.evaluate(() => ({ ...arena.space.own.position }));
/** Where this hero is shown to the other one. */
const shown = (tab, account) =>
  tab.evaluate((name) => {
    const seen = [...arena.space.seen].find(({ properties }) => properties?.name === name);
    return seen && { ...seen.at(arena.space.shownTime()).position };
  }, account);
const sees = (tab, account) =>
  until(
    tab,
    `sees ${account}`,
    (name) => [...arena.space.seen].some(({ properties }) => properties?.name === name),
    account
  );
/** From now on `heard` has all lines that are shown, though the page keeps but the latest ones. */
const listen = (tab) =>
  tab.evaluate(() => {
    globalThis.heard = [];
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const line of addedNodes) heard.push(line.textContent);
      }
    }).observe(document.querySelector('#log'), { childList: true });
  });
/** The numbers that it has heard from this one. */
const numbers = async (tab, account) =>
  (await tab.evaluate(() => heard))
    .filter((line) => line.startsWith(`${account} shouts: line `))
    .map((line) => Number(line.split(' ').at(-1)));

// --- two browsers, and the operator's ---

const browsers = await Promise.all([browse(), browse()]);
const view = (await readFile(`${run}/operator/page`, 'utf8')).trim();
const operator = await open(browsers[0], view, wide);
const names = ['ada', 'bob'].map((name) => `${name}-${process.pid}`);
const [ada, bob] = await Promise.all(browsers.map((browser) => open(browser, undefined, size)));
const tabs = [ada, bob];
await Promise.all(tabs.map((tab, i) => enter(tab, names[i], 'New account')));
await Promise.all(
  tabs.map((tab) =>
    until(tab, 'has a hero in the meadow', () => arena?.space.own && arena.field?.type === 'meadow')
  )
);
await Promise.all([sees(ada, names[1]), sees(bob, names[0]), listen(ada), listen(bob)]);
const [first, second] = await Promise.all(tabs.map(own));
assert(Math.hypot(first.x - second.x, first.y - second.y) > 0.05, 'two heroes begin on two spots');
say('two browsers play, and see each other');

await until(
  operator,
  'two hosts with all programs',
  () =>
    document.querySelectorAll('.host:not(.cut)').length === 2 &&
    document.querySelector('#sum-programs').textContent.match(/^(\d+) of \1$/) &&
    document.querySelectorAll('.space').length >= 3 &&
    Number(document.querySelector('#sum-heroes').textContent) >= 2
);
const home = await homes();
const way = (await ada.evaluate(() => arena.field.portals)).find(
  ({ to }) => home[`${to}-1`] !== home['meadow-1']
);
assert(way, `no portal of the meadow leads to another host: ${JSON.stringify(home)}`);
const there = home[`${way.to}-1`];
say(
  `the operator's view shows them; the meadow is on ${home['meadow-1']}, the ${way.to} on ${there}`
);

const ways = () =>
  until(operator, 'the ways of monsters', () =>
    [...document.querySelectorAll('.space')].some((tile) => Number(tile.dataset.ways) > 0)
  );
await ways();
say("the operator's view shows the ways of monsters");

// Both walk to the portal; Bob stops before it.
const walk = (tab, to) => tab.evaluate((place) => arena.steering.walkTo(place), to);
const before = { x: way.x - 12 * Math.sign(way.x - 100), y: way.y - 12 * Math.sign(way.y - 100) };
await Promise.all([walk(ada, before), walk(bob, before)]);
for (const [tab, other, who] of [
  [ada, bob, names[1]],
  [bob, ada, names[0]],
]) {
  const from = await shown(tab, who);
  await until(
    tab,
    `${who} is seen to walk`,
    ({ name, x, y }) => {
      const seen = [...arena.space.seen].find(({ properties }) => properties?.name === name);
      const at = seen?.at(arena.space.shownTime())?.position;
      return at && Math.hypot(at.x - x, at.y - y) > 8;
    },
    { name: who, ...from }
  );
  const [there, here] = await Promise.all([shown(tab, who), own(other)]);
  const off = Math.hypot(there.x - here.x, there.y - here.y);
  assert(off < 3, `${who} is seen ${off.toFixed(1)} m from where it is`);
}
await picture(ada, 'meadow');
await Promise.all(
  tabs.map((tab) => until(tab, 'stands before the portal', () => arena.steering.goal === undefined))
);
say('each sees the other one walk, less than 3 m from where it is');

// --- through the portal, while both shout ---

let shouting = true;
async function shout(tab) {
  const said = [];
  for (let number = 0; shouting; number++) {
    if (await tab.evaluate((line) => arena.speak(line), `/s line ${number}`)) said.push(number);
    await after(kBetweenLines);
  }
  return said;
}
const shouted = tabs.map(shout);
await after(1000);
const arc = operator.waitForSelector('#arcs path', { state: 'attached' });
await walk(ada, way);
await until(
  ada,
  `is in the ${way.to}`,
  (type) => arena.field?.type === type && arena.space.own,
  way.to
);
await arc;
await picture(operator, 'operator-travel');
await ways(); // still, though some have arrived while they were asked for
await until(
  operator,
  'the operator sees the travel',
  ([name, text]) =>
    [...document.querySelectorAll('#events .travel')].some(
      ({ textContent }) => textContent.includes(name) && textContent.includes(text)
    ),
  [names[0], `(${home['meadow-1']} → ${there})`]
);
await after(1500);
await walk(bob, way);
await until(
  bob,
  `is in the ${way.to}`,
  (type) => arena.field?.type === type && arena.space.own,
  way.to
);
await Promise.all([sees(ada, names[1]), sees(bob, names[0])]);
shouting = false;
const [ofAda, ofBob] = await Promise.all(shouted);
for (const [tab, who, said] of [
  [bob, names[0], ofAda],
  [ada, names[1], ofBob],
  [ada, names[0], ofAda],
]) {
  await until(
    tab,
    `all lines of ${who} are heard`,
    ([name, number]) => heard.includes(`${name} shouts: line ${number}`),
    [who, said.at(-1)]
  );
  assert.deepEqual(await numbers(tab, who), said, `each line of ${who} once and in order`);
}
assert(ofAda.length > 5 && ofBob.length > 10, 'the chat went on');
await picture(ada, way.to);
say(
  `both went through the portal to ${there}; ${ofAda.length} and ${ofBob.length} lines were heard ` +
    'meanwhile, each once and in order'
);

// --- the operator kills the fields of that host ---

await picture(operator, 'operator');
await operator.click(`[data-program=${there}] button.kill`);
await operator.waitForSelector('#ask[open]');
await picture(operator, 'operator-asks');
const killed = performance.now();
await operator.click('#ask button.kill');
const back = await Promise.all(
  tabs.map(async (tab, i) => {
    // In a field of the other host, and heard: what it says goes through the server and back.
    await until(
      tab,
      `${names[i]} plays on elsewhere`,
      (host) =>
        arena.state === 'playing' &&
        arena.figures.node !== '' &&
        arena.figures.node.split('.')[0] !== host &&
        arena.space.own &&
        arena.field,
      there.split('-')[1]
    );
    let from;
    while ((from = await heroAt(names[i])) === undefined) await after(50);
    const to = { x: from.x + (from.x > 100 ? -6 : 6), y: from.y };
    await walk(tab, to);
    while (Math.abs(((await heroAt(names[i])) ?? from).x - from.x) < 1) await after(50);
    return performance.now() - killed;
  })
);
const longest = Math.max(...back);
say(
  `${there} was killed; both walk again after ${back.map((ms) => ms.toFixed(0)).join(' and ')} ms`
);
assert(longest < kBack, `${longest.toFixed(0)} ms until both play again`);
await until(
  operator,
  'the operator sees the death',
  (name) =>
    document.querySelector(`[data-program=${name}].down`) !== null &&
    document.querySelector('#trouble').textContent.includes(`Down: ${name}`) &&
    document.querySelector('#events .killed')?.textContent.includes(name) &&
    document.querySelector('#events .down')?.textContent.includes(name),
  there
);
await picture(operator, 'operator-down');

// --- and starts it again ---

await operator.click(`[data-program=${there}] button.start`);
await until(
  operator,
  'it is up again, and ready',
  (name) =>
    document.querySelector(`[data-program=${name}]:not(.down):not(.silent) .state`)?.textContent ===
    'ready',
  there
);
await until(operator, 'nothing is wrong', () => document.querySelector('#trouble').hidden);
await picture(operator, 'operator-again');
say(`the operator's view shows the travel and the death, and has started ${there} again`);

// --- who has no key sees nothing ---

const stranger = await open(
  browsers[1],
  operator.url().replace(/#.*/, '#0123456789abcdef0123456789abcdef')
);
await until(stranger, 'is refused', () =>
  document.querySelector('#trouble').textContent.includes('the key of another run')
);
assert.equal(await stranger.locator('.program').count(), 0);
const refusals = problems.filter((text) => text.includes('401'));
assert.deepEqual(
  problems.filter((text) => !refusals.includes(text)),
  []
);
await Promise.all(browsers.map((browser) => browser.close()));
say('arena over two hosts in Chromium: works');
process.exit(0);
