// What `starbus client-code` writes, against a scripted gate and the golden vectors; and what a
// client does whose server has another schema.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { module, ofRepository } from './dist.mjs';
import { Gate } from './gate.mjs';
import { enter, news, scene, sight } from './sight.mjs';

const { BadBytes, Client, Replica, Schema, Space, SpaceView, bytesOfHex, hexOf } =
  await module('index.js');
const { decodeNames, differences, namesRequest } = await module('names.js');
const { Agreement } = await module('agreement.js');
const { typeOfShape } = await module('names.js');
const limits = await module('limits.js');
const vectors = JSON.parse(
  readFileSync(ofRepository('tests/clients/vectors/values.json'), 'utf8'),
);
const folder = process.env.STARBUS_CLIENT_STUBS;
const written = folder ? await import(pathToFileURL(`${folder}/program.js`).href) : undefined;
const only = { skip: folder ? false : 'run-tests compiles the written code' };
const answers = Object.fromEntries(vectors.answers.map(({ method, hex }) => [method, hex]));

/** A client that is connected to a scripted gate without sockets. */
async function play(t, schema, names, prepare = () => {}) {
  const gate = new Gate();
  if (names !== undefined) gate.names = bytesOfHex(names);
  const client = new Client({
    gates: ['test://gate'],
    credentials: () => ({ method: 'password', account: 'ann', proof: 'secret' }),
    schema,
    transports: {
      test: (to, told) => {
        const later = (run) => queueMicrotask(() => !closed && run());
        let closed = false;
        const far = gate.connect(
          (bytes) => later(() => told.frame(bytes)),
          () => later(() => told.lost('')),
        );
        later(() => told.opened());
        return { send: (bytes) => later(() => far.frame(bytes)), close: () => (closed = true) };
      },
    },
  });
  const events = { names: [], errors: [], calls: [] };
  client.on('names', (found) => events.names.push(found));
  client.on('error', (error) => events.errors.push(error.code ?? String(error)));
  client.on('call', (call) => events.calls.push(call));
  prepare(client);
  t.after(() => client.close());
  await client.connect();
  await settled();
  return { gate, client, events };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));
const later = (from) => vectors.later.slice(from).map(({ hex }) => bytesOfHex(hex));
const shown = ({ kind, what, name }) => `${kind} ${what} ${name.replace(/^.*::/, '')}`;

test('typed calls are asked and answered, and calls of the server are heard', only, async (t) => {
  let plays;
  const { gate, events } = await play(t, written.schema, vectors.names.same, (client) => {
    plays = written.program(client);
  });
  assert.equal(gate.namesAsked, 1);
  assert.deepEqual(events.names, [[]]);
  gate.holdReplies = true;
  const run = plays.run();
  for (const method of ['shop.buy', 'shop.haggle', 'shop.leave']) {
    await settled();
    const { u, body } = gate.begun.at(-1);
    const asked = vectors.calls.find((one) => one.method === method);
    assert.equal(hexOf(body), asked.hex, method);
    gate.reply(u, bytesOfHex(answers[method === 'shop.buy' ? 'first' : method] ?? vectors.answers[0].hex));
  }
  assert.deepEqual(await run, [-3, 1, 'replied']);
  for (const { hex } of vectors.heard) gate.packet('call', bytesOfHex(hex));
  await settled();
  const [said, all] = plays.told;
  assert.deepEqual(said, ['ann', 'hello']);
  assert.deepEqual(all.slice(0, 5), [2, 'x', 1, 'x', true]);
  assert.deepEqual(all.slice(5, 10), [['a', 'b'], [1, 2, 3], 1n, 5n, -1500n]);
  assert.equal(hexOf(all[12]), 'ff');
});

test('typed properties follow, and are watched', only, async (t) => {
  let plays;
  const { gate } = await play(t, written.schema, vectors.names.same, (client) => {
    plays = written.program(client);
  });
  assert.equal(plays.hero.state, undefined);
  gate.full({ properties: bytesOfHex(vectors.steps[0].hex) });
  for (const { kind, hex } of vectors.steps.slice(1)) {
    if (kind === 'snapshot') gate.full({ properties: bytesOfHex(hex) });
    else gate.packet('news', bytesOfHex(hex));
  }
  await settled();
  assert.equal(plays.hero.state.items.get(1001n).count, 77);
  assert.equal(written.goldOf(plays.hero.state), 105n + 77n + 2n);
  assert.deepEqual(plays.told[0], ['gold', 100n]);
  assert.deepEqual(plays.told.at(-1), ['items', 2]);
});

test('a question for names, and its answers, are those of the server', () => {
  assert.equal(hexOf(namesRequest(new Schema(vectors.schema).hashes)), vectors.names.request);
  const { hash, same, methods } = decodeNames(bytesOfHex(vectors.names.same));
  assert.deepEqual([hash, same, methods], [new Schema(vectors.schema).hash, true, []]);
  assert.equal(decodeNames(bytesOfHex(vectors.answers[3].hex)), undefined);
  const names = decodeNames(bytesOfHex(vectors.names.later));
  assert.deepEqual(differences(new Schema(vectors.schema), names).map(shown), kDifferences);
  // Of two schemas: what the server has nothing of may be another one's.
  const { client_hash: hash1, ...more } = vectors.schema;
  const two = new Schema({ ...more, client_hashes: [hash1, '0000000000000009'] });
  const without = { ...names, methods: names.methods.filter(({ side }) => side === 'heard') };
  const missing = differences(two, without).filter(({ what }) => what === 'asked');
  assert.deepEqual(missing, []);
});
const kDifferences = [
  'changed asked shop.buy',
  'missing asked shop.leave',
  'added asked shop.sell',
  'changed heard hero_client.said',
  'missing property Hero.at',
  'added property Hero.mana',
  'missing property Hero.marks',
  'added property Hero.mates',
  'changed property Hero.nick',
  'added property Hero.orders',
  'added property Hero.pets',
  'missing property Hero.places',
  'missing property Hero.prices',
  'missing property Hero.route',
  'added property Hero.trail',
  'missing property Hero@others.at',
  'added property Hero@others.mates',
  'missing property Hero@others.mood',
  'changed property Hero@others.nick',
  'added property Pet.called',
  'added property Pet.seen',
  'added property Pet@others.called',
  'added property Pet@others.seen',
];

test('a client of another schema is told what differs, and goes on with the rest', async (t) => {
  const { gate, client, events } = await play(t, new Schema(vectors.schema), vectors.names.later);
  assert.deepEqual(events.names.map((found) => found.map(shown)), [kDifferences]);
  const refused = { fate: 'not_begun', why: 'differs' };
  assert.deepEqual(await client.ask('shop.buy', [1n, 'x']), refused);
  assert.deepEqual(await client.ask('shop.leave'), refused);
  assert.equal(gate.begun.length, 0); // nothing of it was said
  const haggled = client.ask('shop.haggle', [{ item: 5n, notes: ['a'], _3: null }]);
  await settled();
  assert.equal(gate.begun.length, 1);
  await haggled;
  assert.deepEqual(events.errors.splice(0), ['truncated']); // the gate's answer is no Order
});

test('properties of another schema wait for the names, and known fields are shown', async (t) => {
  const { gate, client, events } = await play(t, new Schema(vectors.schema), vectors.names.later);
  const changes = [];
  client.on('changed', (all) => changes.push(...all.map(({ path }) => path.join('/'))));
  const [start, ...news] = later(0);
  gate.full({ properties: start });
  for (const each of news) gate.packet('news', each); // before the names are there
  await settled();
  assert.deepEqual(events.errors, []);
  const last = vectors.later.at(-1);
  assert.equal(client.properties.gold, BigInt(last.gold));
  assert.equal(client.properties.stats.strength, last.strength);
  assert.equal(client.properties.items.size, last.items);
  assert.equal(client.properties.nick, ''); // of another type there
  assert.deepEqual(client.properties.prices, new Map()); // not there
  const names = ['at', 'gold', 'items', 'marks', 'nick', 'places', 'prices', 'route', 'stats'];
  assert.deepEqual(Object.keys(client.properties).sort(), names);
  assert.deepEqual([...new Set(changes)].sort(), ['', 'gold', 'items/1002', 'stats/strength']);
});

test('each change of another schema is read on its own', () => {
  const replica = new Replica(new Schema(vectors.schema));
  const [start, ...news] = later(0);
  assert.throws(() => replica.applySnapshot(start), { code: 'schema_mismatch' });
  replica.learn(decodeNames(bytesOfHex(vectors.names.later)));
  replica.applySnapshot(start);
  news.forEach((bytes, at) => {
    replica.applyDelta(bytes);
    const { gold, strength, items } = vectors.later[at + 1];
    const { state } = replica;
    assert.deepEqual(
      [state.gold, state.stats.strength, state.items.size],
      [BigInt(gold), strength, items],
    );
  });
});

/** A body of sight in which a later hero enters; the second one has its changes. */
const inSight = vectors.later_seen.map(({ hex }, at) => {
  const bytes = bytesOfHex(hex);
  return at === 0 ? sight(scene(1), enter(1, 7n, 'hero', { properties: bytes })) : sight(news(1, bytes));
});

test('what others see of another schema waits for the names', async (t) => {
  const { gate, client, events } = await play(t, new Schema(vectors.schema), undefined, (client) => {
    client.space = new Space(client);
  });
  const told = [];
  client.space.on('changed', ({ changes }) => told.push(changes.map(({ path }) => path.join('/'))));
  gate.names = bytesOfHex(vectors.names.later);
  gate.full({});
  for (const body of inSight) gate.packet('sight', body); // before the names are there
  await settled();
  await settled();
  assert.deepEqual([events.errors, told], [[], [['', 'stats/strength', 'items/1001']]]);
  const seen = client.space.at(1);
  const last = vectors.later_seen.at(-1);
  assert.equal(seen.properties.stats.strength, last.strength);
  assert.equal(seen.properties.items.size, last.items);
  assert.deepEqual([seen.properties.nick, seen.properties.mood], ['', 0]); // not there
  // One that comes later is read at once.
  gate.packet('sight', sight(enter(2, 8n, 'hero', { properties: bytesOfHex(vectors.later_seen[0].hex) })));
  await settled();
  assert.equal(client.space.at(2).properties.stats.strength, 3);
  client.space.end();
});

test('what others see stays hidden of a server that says no names', () => {
  const view = new SpaceView({ schema: new Schema(vectors.schema) });
  view.restart(true);
  for (const body of inSight) view.take(body, 0);
  assert.equal(view.at(1).properties, undefined);
  view.learn(undefined);
  view.take(inSight[1], 0);
  assert.equal(view.at(1).properties, undefined);
});

test('what others see that only C++ can read is not shown, and the rest goes on', () => {
  const view = new SpaceView({ schema: new Schema(vectors.schema) });
  const errors = [];
  view.on('error', (error) => errors.push(error.code));
  view.restart(true);
  for (const body of inSight) view.take(body, 0);
  const names = decodeNames(bytesOfHex(vectors.names.later));
  const others = names.classes.find(({ name }) => name.endsWith('Hero@others'));
  others.fields.find(({ name }) => name === 'mates').shape = '?';
  view.learn(names);
  assert.deepEqual([errors, view.size], [['schema_mismatch'], 1]);
  view.take(inSight[1], 0);
  assert.equal(view.at(1).properties, undefined);
});

test('what waits for the names in a space is bounded', () => {
  const view = new SpaceView({ schema: new Schema(vectors.schema) });
  view.restart(true);
  view.take(inSight[0], 0);
  const large = sight(news(1, new Uint8Array(limits.kPacketBytes)));
  view.take(large, 0);
  assert.throws(() => view.take(large, 0), { code: 'too_large' });
  view.restart(true);
  assert.equal(view.size, 0);
});

test('what is seen is typed', only, () => {
  const view = new SpaceView({ schema: written.schema });
  const properties = bytesOfHex(vectors.seen.at(-2).hex);
  view.take(sight(scene(1), enter(1, 7n, 'hero', { properties }), enter(2, 8n, 'tree')), 0);
  const { nick, mood } = vectors.seen.at(-2).state;
  assert.deepEqual([...view.seen].map(written.moodOf), [`${nick} ${mood} 1`, 'a tree']);
});

test('what waits for names is bounded', () => {
  const agreement = new Agreement(undefined);
  assert.equal(agreement.request, undefined);
  assert.ok(agreement.hold(new Uint8Array(limits.kHeldBytes)));
  assert.equal(agreement.keep(Uint8Array.of(1)), false);
  assert.deepEqual([agreement.holds, agreement.release()], [false, []]);
});

test('a server that says no names is asked as ever', async (t) => {
  const { gate, client, events } = await play(t, new Schema(vectors.schema));
  assert.equal(gate.namesAsked, 1);
  assert.deepEqual([events.names, events.errors], [[], []]);
  gate.full({ properties: later(0)[0] });
  await settled();
  assert.deepEqual(events.errors, ['schema_mismatch']);
  assert.equal(client.properties, undefined);
  void client.ask('shop.leave');
  await settled();
  assert.equal(gate.begun.length, 1);
});

test('a schema without names asks for none', async (t) => {
  const { client_hash: ignored, ...older } = vectors.schema;
  const { gate } = await play(t, new Schema(older));
  assert.equal(gate.namesAsked, 0);
});

test('names that are cut or damaged give names or a typed error', () => {
  const bytes = bytesOfHex(vectors.names.later);
  const schema = new Schema(vectors.schema);
  const attempt = (other) => {
    try {
      const names = decodeNames(other);
      if (names === undefined) return;
      differences(schema, names);
      const replica = new Replica(schema);
      replica.learn(names);
      replica.applySnapshot(later(0)[0]);
    } catch (error) {
      assert.ok(error instanceof BadBytes, error.stack);
    }
  };
  for (let size = 0; size < bytes.length; size++) {
    assert.throws(() => decodeNames(bytes.subarray(0, size)), BadBytes);
  }
  assert.throws(() => decodeNames(Uint8Array.of(...bytes, 0)), { code: 'trailing' });
  for (let at = 0; at < bytes.length; at++) {
    for (const value of [0, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x20]) {
      const other = bytes.slice();
      other[at] = value;
      attempt(other);
    }
  }
});

test('shapes are read, and what has none is refused', () => {
  assert.deepEqual(typeOfShape('msl(vo8)'), {
    map: ['string', { list: { tuple: ['u64', { optional: 'f64' }] } }],
  });
  assert.deepEqual(typeOfShape('a3:|14)'), { array: { variant: ['u8', 'f32'] }, size: 3 });
  assert.deepEqual(typeOfShape('bv{a::B}'), { bag: ['u64', { properties: 'a::B' }] });
  assert.throws(() => typeOfShape('?'), { code: 'schema_mismatch' });
  for (const bad of ['', 'l', 'm1', '(v', 'a9', '{x', `a${limits.kMaxElements + 1}:v`, 'l'.repeat(99)]) {
    assert.throws(() => typeOfShape(bad), BadBytes, bad);
  }
});
