// Clients that walk in the room of field.cjs: node walk.js PORT CLIENTS WALK, of which WALK is JSON,
// as there, with range, speed (tools/bots/walker.cpp). The protocol of Colyseus 0.16 over plain
// WebSockets, as load.js; some clients decode what they are told, and compare it with where all are.
// Prints "ready" when all have joined and walk. A line on standard input, "go SECONDS", begins a
// run, which prints JSON: bytes in and out per client and second, patches per client and second,
// `wrong` of `checked` places, and the figures of the room.
import { createInterface } from "node:readline";
import WebSocket from "ws";
import { Reflection, decode } from "@colyseus/schema";
import { unpack } from "@colyseus/msgpackr";
import paths from "./paths.cjs";

const [port, clients] = process.argv.slice(2).map(Number);
const walk = JSON.parse(process.argv[4]);
const JOIN_ROOM = 10;
const ROOM_DATA = 13;
const ROOM_STATE = 14;
const ROOM_STATE_PATCH = 15;
const STEP = 100; // ms
const CHECKED = Math.min(10, clients); // clients that decode
const SLACK = 3; // m that a place may be late
const base = `127.0.0.1:${port}`;

let patches = 0;
let figures = () => {};

class Client {
  constructor(bot) {
    this.walker = new paths.Walker(walk, bot);
    this.decodes = bot <= CHECKED;
  }
  async join() {
    const reply = await fetch(`http://${base}/matchmake/join/field`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ bot: this.walker.bot }),
    });
    const seat = await reply.json();
    if (seat.error) throw new Error(seat.error);
    const { room, sessionId } = seat;
    const url = `ws://${base}/${room.processId}/${room.roomId}?sessionId=${sessionId}`;
    this.socket = new WebSocket(url, { perMessageDeflate: false });
    this.socket.binaryType = "nodebuffer";
    await new Promise((resolve, reject) => {
      this.socket.on("error", reject);
      this.socket.on("close", () => reject(new Error("closed")));
      this.socket.on("message", (data) => {
        if (data[0] === JOIN_ROOM) {
          this.begin(data);
          this.socket.send(Buffer.from([JOIN_ROOM]));
          resolve();
        } else {
          this.hear(data);
        }
      });
    });
  }
  begin(data) {
    if (!this.decodes) return;
    const it = { offset: 1 };
    decode.utf8Read(data, it, data[it.offset++]);
    decode.utf8Read(data, it, data[it.offset++]);
    this.decoder = Reflection.decode(data, it);
  }
  hear(data) {
    const it = { offset: 1 };
    if (data[0] === ROOM_DATA) {
      decode.string(data, it);
      figures(unpack(data.subarray(it.offset)));
      return;
    }
    if (data[0] === ROOM_STATE_PATCH) ++patches;
    if (this.decodes && (data[0] === ROOM_STATE || data[0] === ROOM_STATE_PATCH)) {
      this.decoder.decode(data, it);
    }
  }
  step() {
    const { walker } = this;
    walker.step();
    // "m" and an array of two floats and a byte, as MessagePack.
    const message = Buffer.alloc(16);
    message.set([ROOM_DATA, 0xa1, 0x6d, 0x93, 0xca]);
    message.writeFloatBE(walker.x, 5);
    message[9] = 0xca;
    message.writeFloatBE(walker.y, 10);
    message[14] = 0xcc;
    message[15] = walker.heading;
    this.socket.send(message);
  }
  // What it has been told, beside where all are.
  check(result) {
    const known = new Map();
    this.decoder.state.players?.forEach((player) => known.set(player.name, player));
    const limited = walk.view > 0 && known.size >= walk.view;
    for (const { walker } of all) {
      if (walker === this.walker) continue;
      const away = Math.hypot(walker.x - this.walker.x, walker.y - this.walker.y);
      const told = known.get(`b:bot${walker.bot}.1`);
      if (!told) {
        if (away > walk.radius - SLACK || limited) continue;
      } else if (walk.views && away > walk.radius + SLACK) {
        // It should have gone: wrong.
      } else if (Math.hypot(told.x - walker.x, told.y - walker.y) <= SLACK) {
        ++result.checked;
        continue;
      }
      ++result.checked;
      ++result.wrong;
    }
  }
}

const all = Array.from({ length: clients }, (_, i) => new Client(i + 1));
for (let i = 0; i < clients; i += 20) {
  await Promise.all(all.slice(i, i + 20).map((client) => client.join()));
}
console.log("ready");

// Each walks ten times a second, spread evenly over that time. Who is late does not catch up.
let due = performance.now();
let turn = 0;
setInterval(() => {
  const now = performance.now();
  if (now - due > 1000) due = now - 1000;
  for (; due <= now; due += STEP / clients) all[turn++ % clients].step();
}, 4);

function bytes() {
  let read = 0;
  let written = 0;
  for (const { socket } of all) {
    read += socket._socket.bytesRead;
    written += socket._socket.bytesWritten;
  }
  return { read, written };
}

// Of the room; `begin`: it counts afresh.
function ask(begin) {
  const answer = new Promise((resolve) => {
    figures = resolve;
  });
  const name = Buffer.from("figures");
  const head = Buffer.from([ROOM_DATA, 0xa0 + name.length]);
  all[0].socket.send(Buffer.concat([head, name, Buffer.from([begin ? 0xc3 : 0xc2])]));
  return answer;
}

async function run(seconds) {
  await ask(true);
  const before = bytes();
  const begin = performance.now();
  const turns = turn;
  patches = 0;
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const room = await ask(false);
  const after = bytes();
  const passed = (performance.now() - begin) / 1000;
  const result = {
    seconds: passed,
    down: (after.read - before.read) / clients / passed,
    up: (after.written - before.written) / clients / passed,
    patches: patches / clients / passed,
    steps: (turn - turns) / clients / passed,
    wrong: 0,
    checked: 0,
    room,
  };
  for (const client of all.slice(0, CHECKED)) client.check(result);
  console.log(JSON.stringify(result));
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, seconds] = line.split(" ");
  if (word === "go") await run(Number(seconds));
  else break;
}
process.exit(0);
