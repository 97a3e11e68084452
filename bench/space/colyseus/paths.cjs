// The ways of tools/bots/paths.hpp, bench/space/start.hpp and tools/bots/walker.cpp, for the room.
function mixed(word) {
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}

function chanceOf(seed, bot, draw) {
  return mixed((mixed((mixed((seed + 1) | 0) ^ bot) | 0) + draw) | 0) / 4294967296;
}

function startOf(walk, bot) {
  const place = (draw) =>
    walk.margin + (walk.side - 2 * walk.margin) * chanceOf(walk.paths + 1, bot, draw);
  return { x: place(0), y: place(1) };
}

const ARRIVED = 0.2; // m

class Walker {
  constructor(walk, bot) {
    this.walk = walk;
    this.bot = bot;
    this.draws = 0;
    this.middle = startOf(walk, bot);
    this.goal = this.middle;
    this.x = this.middle.x;
    this.y = this.middle.y;
    this.heading = 0; // a full turn is 256
  }
  chance() {
    return chanceOf(this.walk.paths, this.bot, this.draws++);
  }
  // One move, of a tenth of a second.
  step() {
    if (Math.hypot(this.goal.x - this.x, this.goal.y - this.y) < ARRIVED) {
      const angle = 2 * Math.PI * this.chance();
      const away = this.walk.range * Math.sqrt(this.chance());
      this.goal = {
        x: this.middle.x + away * Math.cos(angle),
        y: this.middle.y + away * Math.sin(angle),
      };
    }
    const way = Math.hypot(this.goal.x - this.x, this.goal.y - this.y);
    if (way <= 0) return;
    const part = Math.min(1, this.walk.speed / 10 / way);
    const angle = Math.atan2(this.goal.y - this.y, this.goal.x - this.x);
    this.x += (this.goal.x - this.x) * part;
    this.y += (this.goal.y - this.y) * part;
    this.heading = Math.round((angle * 128) / Math.PI) & 255;
  }
}

exports.chanceOf = chanceOf;
exports.startOf = startOf;
exports.Walker = Walker;
