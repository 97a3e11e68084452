#!/usr/bin/env python3
"""Makes movement.json beside it, from the rules of docs/guide/movement.md and none of the code.

The clients in every language, and the server's own movement, are tested with it: moves that are
made again after corrections, places that are shown between two, offsets, and clocks. Run it after
a change of the rules, and look at what changes: tests/clients/vectors/make_movement.py
"""
import json
import math
import pathlib
import random
import struct

PENDING = 96
SNAPSHOTS = 32
EXTRAPOLATION = 250
WORD = 1 << 32


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def since(later, earlier):
    return (later - earlier + WORD // 2) % WORD - WORD // 2


def place(x=0.0, y=0.0, z=0.0):
    return [f32(x), f32(y), f32(z)]


# --- moves that are made again: a step adds the input to the place -------------------------------


def stepped(at, step):
    return [f32(a + b) for a, b in zip(at, step)]


class Replay:
    def __init__(self, epoch, number, at):
        self.epoch, self.number, self.at, self.pending, self.ms = epoch, number, at, [], None

    def move(self, step, ms):
        if len(self.pending) == PENDING:
            self.pending = []
        self.at = stepped(self.at, step)
        self.pending.append(((self.number + 1) % WORD, step))
        return self.report(ms)

    def report(self, ms):
        self.number = (self.number + 1) % WORD
        if self.ms is not None and since(ms, self.ms) <= 0:
            ms = (self.ms + 1) % WORD
        self.ms = ms
        return {"epoch": self.epoch, "number": self.number, "client_ms": ms}

    def forget(self, number):
        self.pending = [one for one in self.pending if since(one[0], number) > 0]

    def ack(self, epoch, number):
        first = self.pending[0][0] if self.pending else None
        if epoch != self.epoch or first is None:
            return
        if since(number, first) >= 0 and since(number, self.number) <= 0:
            self.forget(number)

    def correct(self, epoch, number, teleport, at):
        if since(epoch, self.epoch) <= 0:
            return False
        self.forget(number)
        if teleport:
            self.pending = []
        for _, step in self.pending:
            at = stepped(at, step)
        self.at, self.epoch = at, epoch
        if since(number, self.number) > 0:
            self.number = number
        return True


def replay(name, rand, start, number, length, acks, reports=0):
    epoch = rand.choice([1, 7, WORD - 2])
    one = Replay(epoch, number, start)
    ms = rand.choice([0, WORD - 400])
    steps = []
    for _ in range(length):
        what = rand.random()
        if what < 0.7:
            step = place(rand.uniform(-0.3, 0.3), rand.uniform(-0.3, 0.3), rand.uniform(-0.1, 0.1))
            ms = (ms + rand.choice([0, 7, 16, 16, 17, 33])) % WORD
            row = {"do": "move", "input": step, "ms": ms, "report": one.move(step, ms)}
        elif what < 0.7 + reports:
            row = {"do": "report", "ms": ms, "report": one.report(ms)}
        elif what < 0.7 + reports + acks:
            of = (one.epoch + rand.choice([0, 0, 0, 1])) % WORD
            to = (one.number - rand.choice([0, 2, 5, 30, -3])) % WORD
            one.ack(of, to)
            row = {"do": "ack", "epoch": of, "number": to}
        elif what < 0.97 and acks:
            of = (one.epoch + rand.choice([1, 1, 2, 0, -1])) % WORD
            to = (one.number - rand.choice([0, 3, 8, 20, -50])) % WORD
            at = place(*(rand.uniform(-500, 500) for _ in range(3)))
            teleport = rand.random() < 0.3
            row = {"do": "correct", "epoch": of, "number": to, "teleport": teleport, "at": at}
            row["taken"] = one.correct(of, to, teleport, at)
        else:
            continue
        row["state"], row["pending"] = one.at, len(one.pending)
        steps.append(row)
    return {"name": name, "epoch": epoch, "number": number, "at": start, "steps": steps}


# --- places that are shown ------------------------------------------------------------------------


class Snapshots:
    def __init__(self, snap, longest):
        self.all, self.snap, self.longest = [], snap, longest

    def add(self, move):
        if self.all:
            passed = since(move["at"], self.all[-1]["at"])
            if passed < 0:
                return
            if passed == 0:
                self.all.pop()
        self.all = (self.all + [move])[-SNAPSHOTS:]

    def jumps(self, a, b):
        way = math.dist(a["position"], b["position"])
        return a["teleports"] % 2 != b["teleports"] % 2 or way > self.snap

    def step(self, a, b):
        return min(since(b["at"], a["at"]), self.longest)

    def speed(self, a, b):
        seconds = self.step(a, b) / 1000
        return [f32((q - p) / seconds) for p, q in zip(a["position"], b["position"])]

    def show(self, time):
        def after(move):
            whole = math.floor(time)
            return since(whole % WORD, move["at"]) + (time - whole)

        newest = self.all[-1]
        late = after(newest)
        if late >= 0:
            speed = newest["velocity"]
            if speed == [0, 0, 0] and len(self.all) > 1 and not self.jumps(self.all[-2], newest):
                speed = self.speed(self.all[-2], newest)
            part = min(late, EXTRAPOLATION) / 1000
            at = [f32(p + v * part) for p, v in zip(newest["position"], speed)]
            return at, [0, 0, 0] if late > EXTRAPOLATION else speed, newest["heading"]
        for a, b in zip(self.all[-2::-1], self.all[:0:-1]):
            if after(a) < 0:
                continue
            left, step = -after(b), self.step(a, b)
            if self.jumps(a, b) or left >= step:
                return a["position"], [0, 0, 0], a["heading"]
            part = 1 - left / step
            at = [f32(p + (q - p) * part) for p, q in zip(a["position"], b["position"])]
            turn = math.remainder(b["heading"] - a["heading"], 2 * math.pi)
            heading = f32(math.remainder(a["heading"] + turn * part, 2 * math.pi))
            return at, self.speed(a, b), heading
        return self.all[0]["position"], [0, 0, 0], self.all[0]["heading"]


def snapshots(name, rand, begin, gaps, snap=8, longest=400):
    one = Snapshots(snap, longest)
    at, time, odd, steps = place(10, 20, 3), begin, 0, []
    for _ in range(30):
        time = (time + rand.choice(gaps)) % WORD
        if rand.random() < 0.08:
            odd = 1 - odd
        far = 12 if rand.random() < 0.05 else 0.6
        at = [f32(v + rand.uniform(-far, far)) for v in at]
        moving = rand.random() < 0.2
        speed = place(*(rand.uniform(-7, 7) for _ in range(3))) if moving else [0, 0, 0]
        late = rand.choice([0, 0, 0, 0, -250])
        move = {"at": (time + late) % WORD, "position": at, "velocity": speed, "teleports": odd}
        move["heading"] = f32(rand.uniform(-math.pi, math.pi))
        one.add(move)
        steps.append({"add": move})
        for _ in range(3):
            # A time without wraps, as a clock gives it.
            when = time + WORD * rand.choice([0, 1]) - rand.choice([0, 40, 90.5, 130.25, 900, -80, -700])
            if when < 0:
                continue
            place_, speed_, heading = one.show(when)
            shown = {"position": place_, "velocity": speed_, "heading": heading}
            steps.append({"show": when, "shown": shown})
    return {"name": name, "snap": snap, "longest_step": longest, "steps": steps}


# --- offsets and clocks ---------------------------------------------------------------------------


def offsets(rand):
    most, snap, half = f32(2.56), f32(3.84), 50
    offset, steps = [0, 0, 0], []
    for _ in range(80):
        if rand.random() < 0.5:
            a = place(*(rand.uniform(-2, 2) for _ in range(3)))
            b = place(*(rand.uniform(-2, 2) for _ in range(3)))
            if math.dist(a, b) > snap:
                offset = [0, 0, 0]
            else:
                offset = [f32(o + f32(p - q)) for o, p, q in zip(offset, a, b)]
                length = math.hypot(*offset)
                if length > most:
                    offset = [f32(o * f32(most / length)) for o in offset]
            steps.append({"from": a, "to": b, "offset": offset})
        else:
            ms = rand.choice([4, 16, 33, 50, 100])
            part = f32(2 ** f32(-ms / half))
            offset = [f32(o * part) for o in offset]
            steps.append({"pass": ms, "offset": offset})
    return steps


def clock(name, rand, remote, pace):
    local, ahead, last, heard, wide, steps = 5000, None, None, remote, remote, []
    for _ in range(60):
        gap = rand.choice([0, 100, 100, 100, 2500])
        local += gap
        remote = (remote + int(gap * pace)) % WORD
        came = local + rand.randrange(0, 90)
        time = wide + since(remote, heard) if ahead is not None else remote
        left = ahead - 0.001 * max(came - last, 0) if ahead is not None else None
        ahead = time - came if left is None else max(left, time - came)
        if last is None or time > wide:
            wide, heard = time, remote
        last = came if last is None else max(last, came)
        look = came + rand.randrange(0, 200)
        steps.append({"remote": remote, "local": came, "look": look})
        steps[-1]["at"] = look + ahead - 0.001 * max(look - last, 0)
    return {"name": name, "steps": steps}


def main():
    rand = random.Random(20)
    made = {
        "replays": [
            replay("acks and corrections", rand, place(1, 2, 3), 10, 120, 0.12),
            replay("numbers wrap", rand, place(-4000.5, 7, 0), WORD - 30, 90, 0.12),
            replay("never acked", rand, place(), 0, 150, 0),
            replay("reports without a move", rand, place(), 100, 60, 0.12, 0.1),
        ],
        "snapshots": [
            snapshots("ten ticks a second", rand, 1000, [100]),
            snapshots("irregular, over a wrap", rand, WORD - 2000, [50, 100, 150, 1200]),
            snapshots("twice of the same time", rand, 70000, [0, 100], 3, 150),
        ],
        "offsets": offsets(rand),
        "clocks": [
            clock("even", rand, 1000, 1),
            clock("slower, over a wrap", rand, WORD - 1500, 0.9995),
        ],
    }
    rows = json.dumps(made, separators=(",", ":")).replace('{"name"', '\n{"name"')
    for row in ('{"do"', '{"add"', '{"show"', '{"from"', '{"pass"', '{"remote"'):
        rows = rows.replace(row, "\n " + row)
    pathlib.Path(__file__).with_name("movement.json").write_text(rows + "\n")


main()
