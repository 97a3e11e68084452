// A room that sends each message back to its sender: node server.cjs PORT. Prints "ready".
// (CommonJS: the module form of ws-transport 0.16 does not find its ws.)
const { createServer } = require("node:http");
const { Room, Server, matchMaker } = require("@colyseus/core");
const { WebSocketTransport } = require("@colyseus/ws-transport");

class Echo extends Room {
  autoDispose = false;
  maxClients = 100000;
  onCreate() {
    this.setPatchRate(null); // no state: no patches
    this.onMessage("m", (client, body) => client.send("m", body));
  }
}

const server = new Server({
  greet: false,
  gracefullyShutdown: false,
  transport: new WebSocketTransport({ server: createServer(), perMessageDeflate: false }),
});
server.define("echo", Echo);
server
  .listen(Number(process.argv[2]), "127.0.0.1")
  .then(() => matchMaker.createRoom("echo", {}))
  .then(() => console.log("ready"));
