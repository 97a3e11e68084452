// Finds the ways of a file with the jump points of the package pathfinding: node run.cjs FILE. The file has a line with
// the side of a map, a line for each row, of . and #, and a line "X Y TO_X TO_Y" for each way. Prints the processor time
// of the main thread, in us by way, and the mean length of a way. The copies of the grid, which each search spoils, are
// not timed.
const fs = require('fs');
const { DiagonalMovement, Grid, Heuristic, JumpPointFinder, Util } = require('pathfinding');

const lines = fs.readFileSync(process.argv[2], 'utf8').split('\n');
const side = Number(lines[0]);
const rows = lines.slice(1, 1 + side).map(line => [...line].map(sign => (sign === '#' ? 1 : 0)));
const ways = lines.slice(1 + side).filter(line => line !== '').map(line => line.split(' ').map(Number));
const grid = new Grid(rows);
const finder = new JumpPointFinder({
  diagonalMovement: DiagonalMovement.OnlyWhenNoObstacles,
  heuristic: Heuristic.octile,
});
const now = () => Number(fs.readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]);
let spent = 0;
let length = 0;
// The first round, of a few, lets the code be compiled.
for (const measured of [false, true]) {
  for (const [x, y, toX, toY] of measured ? ways : ways.slice(0, 5)) {
    const copy = grid.clone();
    const begin = now();
    const path = finder.findPath(x, y, toX, toY, copy);
    if (!measured) continue;
    spent += now() - begin;
    if (path.length === 0) throw new Error('a way that must be found is not');
    length += Util.pathLength(path);
  }
}
console.log(`${spent / 1e3 / ways.length} ${length / ways.length}`);
