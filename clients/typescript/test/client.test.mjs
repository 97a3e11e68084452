// The whole client over real sockets, with a scripted gate.
import assert from 'node:assert/strict';
import * as net from 'node:net';
import * as tls from 'node:tls';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import * as zlib from 'node:zlib';
import { module, ofRepository } from './dist.mjs';
import { Gate } from './gate.mjs';

const client = await module('node.js');
const { BadBytes, Client, Schema, SessionEnded, bytesOfText, methodId } = client;
const { nodeTransports, webSockets } = client;
const { FrameSplitter, framed } = await module('stream.js');

const schema = new Schema({
  hash: '00000000000000ff',
  rpc: {
    classes: [
      {
        name: 'player',
        methods: [
          { name: 'buy', id: '00000001', signature: '00000002', arguments: ['i64'], answer: 'u8' },
        ],
      },
    ],
  },
  properties: [],
  structs: {},
});
const credentials = () => ({ method: 'password', account: 'ann', proof: 'secret' });

const run = (name, of) => test(name, { timeout: 20_000 }, of);

/** A gate on a port of its own, until the test has ended; `change` is done to each frame it says. */
async function listen(t, gate, server = net.createServer(), change = (frame) => frame) {
  const sockets = new Set();
  const event = server instanceof tls.Server ? 'secureConnection' : 'connection';
  server.on(event, (socket) => {
    sockets.add(socket);
    const splitter = new FrameSplitter();
    const conn = gate.connect((bytes) => socket.write(framed(change(bytes))), () => socket.end());
    socket.on('data', (chunk) => splitter.push(chunk, (frame) => conn.frame(frame)));
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      conn.lost();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => sockets.forEach((socket) => socket.destroy());
  t.after(() => (server.close(), cut()));
  return { port: server.address().port, cut };
}
const heard = (client, name, fits = () => true) =>
  new Promise((resolve) => {
    const off = client.on(name, (value) => fits(value) && (off(), resolve(value)));
  });
/** A client that leaves when the test has ended. */
function clientOf(t, gates, more = {}) {
  const transports = nodeTransports(more);
  const client = new Client({ gates, credentials, schema, transports, program: 'test', ...more });
  t.after(() => client.close());
  return client;
}

run('a client plays over TCP, through losses, and leaves', async (t) => {
  const gate = new Gate();
  const server = await listen(t, gate);
  const client = clientOf(t, [`tcp://127.0.0.1:${server.port}`]);
  const called = [];
  client.on('call', ({ method }) => called.push(method));
  await client.connect();
  assert.equal(client.subject, 'player/7');
  assert.deepEqual(await client.ask('player.buy', [5n]), { fate: 'replied', value: 1 });
  for (let i = 1; i <= 2; i++) {
    gate.call(i);
    server.cut();
    await heard(client, 'state', (state) => state === 'away');
    const outcome = client.ask('player.buy', [BigInt(i)]);
    assert.deepEqual(await outcome, { fate: 'replied', value: i + 1 });
  }
  assert.deepEqual(called, [1, 2]);
  assert.equal(gate.logins, 1);
  assert.ok(Math.abs(client.gateTime - gate.now()) < 1000);
  await client.close();
  assert.deepEqual(await client.ask('player.buy', [5n]), { fate: 'not_begun', why: 'ended' });
  await assert.rejects(client.connect(), { name: 'SessionEnded', reason: 'left' });
});

run('packets that come deflated are shown in their order', async (t) => {
  const deflated = (frame) => {
    if (frame[0] !== 68) return frame;
    const at = 3; // behind c and the kind, while c is below 128
    return Uint8Array.of(196, frame[1], frame[2], ...zlib.deflateRawSync(frame.subarray(at)));
  };
  const later = async (bytes, most) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    return client.nodeInflate(bytes, most);
  };
  for (const inflate of [client.nodeInflate, later]) {
    const gate = new Gate();
    const server = await listen(t, gate, net.createServer(), deflated);
    const player = clientOf(t, [`tcp://127.0.0.1:${server.port}`], { inflate });
    const called = [];
    player.on('call', ({ method }) => called.push(method));
    await player.connect();
    for (let i = 1; i <= 20; ++i) gate.call(i);
    assert.deepEqual(await player.ask('player.buy', [5n]), { fate: 'replied', value: 1 });
    assert.deepEqual(called, [...Array(20).keys()].map((i) => i + 1));
    await player.close();
  }
});

run('a dead gate is replaced by the next one', async (t) => {
  const gate = new Gate();
  const server = await listen(t, gate);
  const dead = net.createServer();
  await new Promise((resolve) => dead.listen(0, '127.0.0.1', resolve));
  const { port } = dead.address();
  dead.close();
  const client = clientOf(t, [`tcp://127.0.0.1:${port}`, `tcp://127.0.0.1:${server.port}`]);
  client.on('lost', ({ gate: address, text }) => {
    assert.equal(address, `tcp://127.0.0.1:${port}`);
    assert.match(text, /ECONNREFUSED/);
  });
  await client.connect();
  await client.close();
});

run('TLS 1.3 with a certificate that is trusted, and none without', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'starbus-client-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const make = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1';
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', [...make.split(' '), '-keyout', key, '-out', cert, ...name], {
    stdio: 'ignore',
  });
  const ca = readFileSync(cert, 'utf8');
  const gate = new Gate();
  const server = await listen(t, gate, tls.createServer({ key: readFileSync(key), cert: ca }));
  rmSync(folder, { recursive: true });
  const address = `tls://localhost:${server.port}`;
  const client = clientOf(t, [address], { ca });
  await client.connect();
  // A redirection that would take the encryption away is not followed.
  gate.record.conn.say({ type: 'goTo', address: `tcp://127.0.0.1:${server.port}` });
  await heard(client, 'state', (state) => state === 'playing');
  gate.record.conn.say({ type: 'goTo', address: `localhost:${server.port}` });
  await heard(client, 'state', (state) => state === 'playing');
  assert.equal(gate.logins, 1);
  await client.close();
  const other = clientOf(t, [address]);
  const lost = heard(other, 'lost');
  const failed = assert.rejects(other.connect(), SessionEnded);
  assert.match((await lost).text, /self.signed/);
  await other.close();
  await failed;
});

run('what handlers throw is an error event and ends nothing', async (t) => {
  const gate = new Gate();
  const server = await listen(t, gate);
  const client = clientOf(t, [`tcp://127.0.0.1:${server.port}`]);
  const errors = [];
  client.on('error', (error) => errors.push(String(error)));
  client.on('call', () => {
    throw new Error('of a handler');
  });
  const shown = new Promise((resolve) => {
    client.handle('avatar.show', ['u8', 'string'], (number, text) => resolve([number, text]));
  });
  await client.connect();
  gate.call(1);
  gate.call(methodId('avatar.show'), 9); // too short
  gate.call(methodId('avatar.show'), 9, 2, ...bytesOfText('hi'));
  assert.deepEqual(await shown, [9, 'hi']);
  assert.equal(errors.length, 2);
  assert.match(errors[0], /of a handler/);
  assert.match(errors[1], /truncated/);
  await client.close();
});

run('wrong arguments and unknown methods are found before anything is said', async (t) => {
  const client = clientOf(t, ['tcp://127.0.0.1:1']);
  await assert.rejects(client.ask('player.buy', ['x']), BadBytes);
  await assert.rejects(client.ask('player.sell', []), /no method player.sell/);
  await assert.rejects(client.askBytes(new Uint8Array(65_537)), { code: 'too_large' });
  assert.throws(() => clientOf(t, ['wrong://x']), /no transport/);
  assert.throws(() => clientOf(t, []), /no gates/);
  const fate = await client.ask('player.buy', [1n]);
  assert.deepEqual(fate, { fate: 'not_begun', why: 'no_subject' });
});

run('a player who gives up at the form, and a form that fails, end it', async (t) => {
  for (const form of [async () => undefined, async () => Promise.reject(new Error('no form'))]) {
    const client = clientOf(t, ['tcp://127.0.0.1:1'], { credentials: form });
    client.on('error', () => {});
    await assert.rejects(client.connect(), { reason: 'left' });
  }
});

run('properties follow, and what does not fit is asked for as a whole', async (t) => {
  const vectors = JSON.parse(
    readFileSync(ofRepository('tests/clients/vectors/values.json'), 'utf8'),
  );
  const [start, gold, , later] = vectors.steps.map(({ hex }) => Buffer.from(hex, 'hex'));
  const gate = new Gate();
  const server = await listen(t, gate);
  const client = clientOf(t, [`tcp://127.0.0.1:${server.port}`], {
    schema: new Schema(vectors.schema),
  });
  const errors = [];
  client.on('error', (error) => errors.push(error.code ?? String(error)));
  await client.connect();
  assert.equal(client.properties, undefined); // the subject has none
  gate.full({ properties: start });
  await heard(client, 'changed');
  assert.equal(client.properties.gold, 100n);
  gate.packet('news', gold);
  const [{ path }] = await heard(client, 'changed');
  assert.deepEqual(path, ['gold']);
  assert.equal(client.properties.gold, 105n);
  const subject = heard(client, 'subject');
  gate.packet('news', later); // one is missing before it
  await subject;
  assert.equal(errors[0], 'gap');
  assert.equal(gate.logins, 1);
  assert.equal(client.state, 'playing');
  const other = Buffer.from(start);
  other[2] ^= 1; // of a class that the schema does not have
  const raw = heard(client, 'subject');
  gate.full({ properties: other });
  assert.deepEqual(Buffer.from((await raw).properties), other);
  assert.equal(client.properties, undefined);
  const news = heard(client, 'news');
  gate.packet('news', gold);
  assert.deepEqual(Buffer.from(await news), gold);
  assert.equal(errors.at(-1), 'schema_mismatch');
});

/** What a browser's WebSocket does, over the scripted gate. */
function socketClass(gate) {
  return class {
    readyState = 0;
    constructor(address) {
      if (!address.startsWith('ws')) throw new SyntaxError('not an address');
      const later = (run) => setImmediate(() => this.readyState < 2 && run());
      this.conn = gate.connect(
        (bytes) => later(() => this.onmessage({ data: bytes.slice().buffer })),
        () => later(() => ((this.readyState = 3), this.onclose({}))),
      );
      gate.sockets = [...(gate.sockets ?? []), this];
      later(() => ((this.readyState = 1), this.onopen({})));
    }
    send(bytes) {
      this.conn.frame(bytes);
    }
    close() {
      this.readyState = 3;
      this.conn.lost();
    }
  };
}

run('a client plays over WebSocket, and a text is malformed', async (t) => {
  const gate = new Gate();
  const transports = webSockets(socketClass(gate));
  const client = clientOf(t, ['wss://game.example/play'], { transports });
  client.on('error', () => {});
  await client.connect();
  assert.deepEqual(await client.ask('player.buy', [5n]), { fate: 'replied', value: 1 });
  gate.sockets[0].onmessage({ data: 'a text' });
  await heard(client, 'state', (state) => state === 'playing');
  assert.equal(gate.sockets.length, 2);
  gate.sockets[0].onmessage({ data: 'of a former connection' });
  assert.equal(client.state, 'playing');
  await client.close();
});

run('without a WebSocket, and with an address that is none, a connection is lost', async (t) => {
  const lost = (transport, address) =>
    new Promise((resolve) => transport(address, { opened() {}, frame() {}, lost: resolve }));
  const { tcp, tls: secure } = nodeTransports();
  assert.match(await lost(webSockets(socketClass(new Gate())).ws, 'http://x'), /not an address/);
  assert.equal(await lost(tcp, 'tcp://nothing'), 'not an address');
  assert.equal(await lost(secure, 'tls://host:70000'), 'not an address');
  if (globalThis.WebSocket === undefined) {
    assert.match(await lost(webSockets().wss, 'wss://host/'), /no WebSocket/);
  }
});
