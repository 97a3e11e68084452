// Plays what the page plays, without a browser: node web/try.mjs RUN [SIGNAL]. RUN is the folder of
// scripts/up. Registers, plays, is cut off, comes back, and checks what it sees at each step. SIGNAL (TERM,
// KILL) ends its gate, so that it goes on at the other one.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { checkPage, load, network, waiting } from './try-kit.mjs';

const [run, signal] = process.argv.slice(2);
assert(run, 'usage: node web/try.mjs RUN [TERM|KILL]');
const built = await load(run);
const { Game, settings, schema } = built;
await checkPage(built);

// --- a player ---

/** A screen that keeps what it is shown, and wakes those who wait for something on it. */
function makeScreen(login) {
  const shown = { problems: [], heard: [], states: [], players: 0, ended: undefined };
  const { wake, until } = waiting(shown);
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
  return { screen, shown, until };
}
const account = `try-${process.pid}`;
const password = 'correct horse';
const enter = (login, options = {}) => {
  const seen = makeScreen(login);
  const net = network(built.webSockets);
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
