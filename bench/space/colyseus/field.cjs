// A room in which clients walk and see each other: node field.cjs PORT WALK, of which WALK is JSON:
// paths, side, margin (bench/space/start.hpp), radius, view (the nearest; 0: all), views. Prints
// "ready". With `views` each client has a StateView, into which a grid brings who is within the
// radius, ten times a second; without, each is told the whole state.
// (CommonJS, as server.cjs.)
const { createServer } = require("node:http");
const { Room, Server, matchMaker } = require("@colyseus/core");
const { Encoder, MapSchema, Schema, StateView, defineTypes, type, view } = require("@colyseus/schema");
const { WebSocketTransport } = require("@colyseus/ws-transport");
const { startOf } = require("./paths.cjs");

const walk = JSON.parse(process.argv[3]);
const RATE = 100; // ms
const COUNTED = 20; // patches
const NEARER = 0.9; // a newcomer must be so much nearer to take a place

// As it is, the buffer of all views of a patch grows in the middle of one, with a line of the log.
Encoder.BUFFER_SIZE = 4 * 1024 * 1024;

class Player extends Schema {}
defineTypes(Player, {
  x: "float32",
  y: "float32",
  heading: "uint8",
  name: "string",
  health: "int32",
});

class State extends Schema {
  constructor() {
    super();
    this.players = new MapSchema();
  }
}
type({ map: Player })(State.prototype, "players");
if (walk.views) view()(State.prototype, "players");

// Players by cells of the radius; made again for each patch.
class Grid {
  constructor(players) {
    this.cells = new Map();
    for (const player of players) {
      const key = Grid.key(Math.floor(player.x / walk.radius), Math.floor(player.y / walk.radius));
      const cell = this.cells.get(key);
      if (cell === undefined) this.cells.set(key, [player]);
      else cell.push(player);
    }
  }
  static key(column, row) {
    return column * 65536 + row;
  }
  each(x, y, visit) {
    const column = Math.floor(x / walk.radius);
    const row = Math.floor(y / walk.radius);
    for (let i = column - 1; i <= column + 1; ++i) {
      for (let j = row - 1; j <= row + 1; ++j) {
        const cell = this.cells.get(Grid.key(i, j));
        if (cell !== undefined) for (const player of cell) visit(player);
      }
    }
  }
}

class Field extends Room {
  autoDispose = false;
  maxClients = 100000;
  patchRate = RATE;
  onCreate() {
    this.state = new State();
    this.crowd = []; // by their place; a player knows its own
    this.zero();
    this.onMessage("m", (client, [x, y, heading]) => {
      const { player } = client.userData;
      player.x = x;
      player.y = y;
      player.heading = heading;
      player.moved = true;
    });
    this.onMessage("figures", (client, begin) => {
      client.send("figures", this.figures());
      if (begin) this.zero();
    });
  }
  onJoin(client, options) {
    const player = new Player();
    const start = startOf(walk, options.bot);
    player.x = start.x;
    player.y = start.y;
    player.heading = 0;
    player.name = `b:bot${options.bot}.1`;
    player.health = 100;
    player.place = this.crowd.push(player) - 1;
    player.moved = false;
    this.state.players.set(client.sessionId, player);
    client.userData = { player, seen: new Set() };
    if (walk.views) client.view = new StateView();
  }

  // --- who sees whom ---

  look(client, grid) {
    const { player, seen } = client.userData;
    const now = this.near(player, seen, grid);
    for (const other of seen) {
      if (now.has(other)) continue;
      client.view.remove(other);
    }
    for (const other of now) {
      if (!seen.has(other)) client.view.add(other);
      if (other.moved) ++this.told;
    }
    client.userData.seen = now;
    this.pairs += now.size;
  }
  // Without views nobody has to know who sees whom: each COUNTED-th patch stands for the others.
  count(grid) {
    for (const client of this.clients) {
      if (!client.userData) continue;
      for (const other of this.near(client.userData.player, client.userData.seen, grid)) {
        if (other.moved) this.told += COUNTED;
        this.pairs += COUNTED;
      }
    }
  }
  near(player, seen, grid) {
    const found = new Set();
    const keys = [];
    grid.each(player.x, player.y, (other) => {
      if (other === player) return;
      const dx = other.x - player.x;
      const dy = other.y - player.y;
      const squared = dx * dx + dy * dy;
      if (squared > walk.radius * walk.radius) return;
      found.add(other);
      // The distance in mm and the place in one number, which sorts without a function.
      const counted = Math.sqrt(squared) * (seen.has(other) ? NEARER : 1);
      if (walk.view > 0) keys.push(Math.floor(counted * 1000) * 16384 + other.place);
    });
    if (walk.view === 0 || found.size <= walk.view) return found;
    const sorted = Float64Array.from(keys).sort();
    const nearest = new Set();
    for (let i = 0; i < walk.view; ++i) nearest.add(this.crowd[sorted[i] % 16384]);
    return nearest;
  }

  broadcastPatch() {
    const begin = performance.now();
    if (this.last !== undefined) this.gaps.push(begin - this.last);
    this.last = begin;
    if (walk.views) {
      const grid = new Grid(this.crowd);
      for (const client of this.clients) if (client.userData) this.look(client, grid);
    } else if (this.times.length % COUNTED === 0) {
      this.count(new Grid(this.crowd));
    }
    for (const player of this.crowd) player.moved = false;
    const done = super.broadcastPatch();
    this.times.push(performance.now() - begin);
    return done;
  }

  // --- figures ---

  zero() {
    this.told = 0; // moves of players within sight
    this.pairs = 0;
    this.times = []; // ms of each patch, and between two
    this.gaps = [];
    this.since = performance.now();
    this.last = undefined;
  }
  figures() {
    const sorted = this.times.sort((a, b) => a - b);
    const at = (part) => (sorted.length === 0 ? 0 : sorted[Math.floor((sorted.length - 1) * part)]);
    const patches = sorted.length;
    return {
      seconds: (performance.now() - this.since) / 1000,
      patches,
      told: this.told,
      pairs: patches === 0 ? 0 : this.pairs / patches,
      p50: at(0.5),
      p99: at(0.99),
      late: this.gaps.filter((gap) => gap > 1.5 * RATE).length,
    };
  }
}

const server = new Server({
  greet: false,
  gracefullyShutdown: false,
  transport: new WebSocketTransport({ server: createServer(), perMessageDeflate: false }),
});
server.define("field", Field);
server
  .listen(Number(process.argv[2]), "127.0.0.1")
  .then(() => matchMaker.createRoom("field", {}))
  .then(() => console.log("ready"));
