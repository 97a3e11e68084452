// Clients of the room at a steady rate: node load.js PORT CLIENTS RATE BYTES (< 256). The protocol of
// Colyseus 0.16 over plain WebSockets: the SDK would cost the load more, and the room the same.
// Prints "ready" when all have joined. A line on standard input, "go SECONDS", begins a run, which
// prints {"sent": n, "received": n, "seconds": s, "p50": ns, "p99": ns}.
import { createInterface } from "node:readline";
import WebSocket from "ws";

const [port, clients, rate, bytes] = process.argv.slice(2).map(Number);
const JOIN_ROOM = 10;
const ROOM_DATA = 13;
const base = `127.0.0.1:${port}`;
const body = "x".repeat(bytes);
// The type of the message and its body: strings of MessagePack of one byte, and of up to 255.
const head = Buffer.from([ROOM_DATA, 0xa1, "m".charCodeAt(0), 0xd9, bytes]);
const message = Buffer.concat([head, Buffer.from(body)]);

let received = 0;
let times = [];
const waiting = []; // of each client: when its messages were due, oldest first

async function join() {
  const reply = await fetch(`http://${base}/matchmake/join/echo`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const seat = await reply.json();
  if (seat.error) throw new Error(seat.error);
  const { room, sessionId } = seat;
  const socket = new WebSocket(`ws://${base}/${room.processId}/${room.roomId}?sessionId=${sessionId}`);
  socket.binaryType = "nodebuffer";
  const due = [];
  await new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("closed")));
    socket.on("message", (data) => {
      if (data[0] === JOIN_ROOM) {
        socket.send(Buffer.from([JOIN_ROOM]));
        resolve();
      } else if (data[0] === ROOM_DATA) {
        ++received;
        const when = due.shift();
        if (when !== undefined) times.push(performance.now() - when);
      }
    });
  });
  waiting.push(due);
  return socket;
}

const sockets = [];
for (let i = 0; i < clients; i += 20) {
  const group = Array.from({ length: Math.min(20, clients - i) }, join);
  sockets.push(...(await Promise.all(group)));
}
console.log("ready");

function quantile(sorted, part) {
  return sorted.length === 0 ? 0 : sorted[Math.floor((sorted.length - 1) * part)];
}

async function run(seconds) {
  received = 0;
  times = [];
  const total = Math.floor(clients * rate * seconds);
  const begin = performance.now();
  const gap = 1000 / (clients * rate);
  for (let sent = 0; sent < total; ) {
    const now = performance.now();
    for (; sent < total && begin + sent * gap <= now; ++sent) {
      waiting[sent % clients].push(begin + sent * gap);
      sockets[sent % clients].send(message);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  const passed = (performance.now() - begin) / 1000;
  for (let i = 0; i < 500 && received < total; ++i) await new Promise((r) => setTimeout(r, 10));
  times.sort((a, b) => a - b);
  console.log(
    JSON.stringify({
      sent: total,
      received,
      seconds: passed,
      p50: quantile(times, 0.5) * 1e6,
      p99: quantile(times, 0.99) * 1e6,
    }),
  );
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, seconds] = line.split(" ");
  if (word === "go") await run(Number(seconds));
  else break;
}
process.exit(0);
