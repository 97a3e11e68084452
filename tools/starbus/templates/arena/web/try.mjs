// Plays what the page plays, without a browser: node web/try.mjs RUN [SIGNAL]. RUN is the folder of scripts/up. Two
// heroes come in at the gates of two hosts, see each other walk, talk, and meet again behind a portal. SIGNAL (TERM,
// KILL) then ends the node of the field that they are in, and both play on at the other one.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as after } from 'node:timers/promises';
import { promisify } from 'node:util';
import { checkPage, load, network, waiting } from './try-kit.mjs';

const kFrame = 33; // ms

const [run, signal] = process.argv.slice(2);
assert(run, 'usage: node web/try.mjs RUN [TERM|KILL]');
const built = await load(run);
await checkPage(built);
const near = (a, b, within) => Math.hypot(a.x - b.x, a.y - b.y) <= within;

/** Somebody who plays, by the gate with that number. */
class Player {
  shown = { states: [], problems: [], said: [], corrections: 0 };

  constructor(account, gate, colour) {
    this.account = account;
    const { wake, until } = waiting(this.shown);
    const { shown } = this;
    let logins = 0;
    const screen = {
      status: (text) => shown.states.push(text),
      problem: (text) => shown.problems.push(text),
      login: async (why) => {
        assert.equal(logins++, 0, `${account} was refused: ${why}`);
        return { method: 'create', account, password: 'correct horse', colour };
      },
      said: (who, text) => shown.said.push(`${who}: ${text}`),
      ended: (reason, text) => (shown.ended = `${reason} ${text}`),
    };
    const settings = { gates: [built.settings.gates[gate]] };
    this.net = network(built.webSockets);
    this.game = new built.Game(settings, built.schema, screen, { transports: this.net.transports });
    this.game.space.on('corrected', ({ teleport }) => (shown.corrections += teleport ? 0 : 1));
    this.until = (what, is) => until(`${account}: ${what}`, is);
    this.timer = setInterval(() => (this.game.frame(performance.now()), wake()), kFrame);
  }
  get at() {
    return this.game.space.own?.position;
  }
  /** Is in a field of this type, and its hero knows where. */
  isIn(type) {
    const { hero, ground } = this.game;
    return ground !== undefined && this.at !== undefined && hero?.space.startsWith(`${type}-`);
  }
  sees(other) {
    return [...this.game.space.seen].find(({ properties }) => properties?.name === other.account);
  }
  async leave() {
    clearInterval(this.timer);
    await this.game.close();
  }
}

const name = `try-${process.pid}`;
const ada = new Player(`${name}-ada`, 0, 0xd33682);
const bob = new Player(`${name}-bob`, 1, 0x2aa198);
const both = [ada, bob];
await Promise.all(both.map((each) => each.game.start()));
await Promise.all(both.map((each) => each.until('it is in the meadow', () => each.isIn('meadow'))));
const { space, node } = ada.game.hero;
console.log(`ada by gate a and bob by gate b are in ${space}, on ${node}`);

const seen = await bob.until('bob sees ada', () => bob.sees(ada));
await bob.until('in her colour', () => seen.properties.colour === 0xd33682);
await ada.until('ada sees bob', () => ada.sees(bob));
await ada.until('and a sheep', () => [...ada.game.space.seen].some(({ className }) => className === 'sheep'));
const from = { ...ada.at };
ada.game.walkTo({ x: from.x + 6, y: from.y });
await bob.until('bob sees her walk', () => !near(seen.move.position, from, 4));
await bob.until('she is shown where she is', () => near(seen.at(bob.game.space.shownTime()).position, ada.at, 0.5));
assert.equal(await ada.game.say('hello'), true);
await bob.until('bob hears her', ({ said }) => said.includes(`${ada.account}: hello`));
console.log(`bob sees her walk to ${ada.at.x.toFixed(1)} ${ada.at.y.toFixed(1)}, and hears "hello"`);

const [px, py] = ada.game.ground.portals[0];
for (const each of both) each.game.walkTo({ x: px, y: py });
await Promise.all(both.map((each) => each.until('it is in the forest', () => each.isIn('forest'))));
await Promise.all([
  ada.until('ada sees bob there', () => ada.sees(bob)),
  bob.until('bob sees ada there', () => bob.sees(ada)),
]);
const there = bob.game.hero;
assert.deepEqual(both.map(({ shown }) => shown.corrections), [0, 0], 'who keeps to the rules is not corrected');
console.log(`through the portal: both are in ${there.space}, on ${there.node}`);

/** Its hero is in the database as it is: a node that is killed takes what has changed since. */
async function saved({ account, game }) {
  const env = { ...process.env, STARBUS_BUSD: `unix://${run}/a.sock` };
  for (let tries = 0; tries < 100; tries++) {
    const { stdout } = await promisify(execFile)('bustop', ['entity', `player/${account}.1`, '--json'], { env });
    const { unsaved, saving, properties } = JSON.parse(stdout);
    if (!unsaved && !saving && properties.space === game.hero.space) return;
    await after(100);
  }
  assert.fail(`${account} is not saved`);
}
if (signal !== undefined) {
  await Promise.all(both.map(saved));
  const host = there.node.split('.')[0];
  process.kill(Number(await readFile(`${run}/game-${host}.pid`, 'utf8')), `SIG${signal}`);
  const gone = there.node;
  // The hero's properties say where it is before the scene comes, which forgets where it was told to walk.
  const before = new Map(both.map((each) => [each, each.game.space.scene]));
  const elsewhere = (each) => {
    const { hero, space } = each.game;
    return space.scene !== before.get(each) && hero !== undefined && hero.node !== '' && hero.node !== gone;
  };
  await Promise.all(
    both.map((each) => each.until('it plays on at the other host', () => elsewhere(each) && each.isIn('forest'))),
  );
  await ada.until('ada sees bob again', () => ada.sees(bob));
  const start = { ...ada.at };
  ada.game.walkTo({ x: start.x + 3, y: start.y });
  await bob.until('bob sees her walk', () => bob.sees(ada) && !near(bob.sees(ada).move.position, start, 2));
  console.log(`game-${host} was ended by SIG${signal}: both play on in ${ada.game.hero.space}, on ${ada.game.hero.node}`);
} else {
  assert.deepEqual(both.flatMap(({ shown }) => shown.problems), []);
}
await Promise.all(both.map((each) => each.leave()));
console.log('try-page: works');
process.exit(0);
