"""Failing inputs of the planner: commands that show one of its faults, among others that show none."""

from __future__ import annotations

from random import Random

from bench.triage.planted_program import PlantedProgram

_WORDS = ("a", "an", "the", "road", "goes", "over", "seven", "hills", "before", "evening", "comes")
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _harmless(random: Random) -> str:
    return random.choice(
        (
            "route 0 5\n",
            "notes\n",
            f"roman {random.choice((1, 3, 5, 8, 10, 52, 101))}\n",
            "lines 60 all is well\n",
            f"pack {random.choice(('aab', 'xyzzy', 'ooooh'))}\n",
            f"prime {random.choice((4, 6, 13, 40))}\n",
            "hello\n",
            f"table 1 {random.randint(1, 5)} 1\n",
        )
    )


def _with_noise(random: Random, needed: list[str]) -> str:
    """The commands that are needed in their order, and harmless ones between them."""
    lines: list[str] = []
    for line in needed:
        lines += [_harmless(random) for _ in range(random.randint(0, 2))]
        lines.append(line)
    lines += [_harmless(random) for _ in range(random.randint(0, 2))]
    return "".join(lines)


def _town_too_far(random: Random) -> str:
    near = [f"road {k} {k + 1} {random.randint(1, 9)}\n" for k in range(random.randint(0, 3))]
    return _with_noise(random, [*near, f"road {random.randint(0, 7)} 8 {random.randint(1, 9)}\n"])


def _shorter_way(random: Random) -> str:
    a, b, c, d = random.sample(range(8), 4)
    long, short = random.randint(20, 40), random.randint(1, 5)
    roads = [f"road {a} {b} {long}\n", f"road {a} {c} {short}\n", f"road {c} {b} {short}\n", f"road {b} {d} 3\n"]
    random.shuffle(roads)
    return _with_noise(random, [*roads, f"route {a} {random.choice((b, d))}\n"])


def _no_way_to_go(random: Random) -> str:
    town = random.randint(0, 7)
    roads = [f"road {town} {(town + k) % 8} 4\n" for k in range(1, random.randint(1, 4))]
    return _with_noise(random, [*roads, f"route {town} {town}\n"])


def _too_many_jobs(random: Random) -> str:
    urgencies = random.sample(range(1, 90), random.randint(11, 14))
    return _with_noise(random, [f"put {k} {urgency}\n" for k, urgency in enumerate(urgencies)])


def _wrong_child(random: Random) -> str:
    urgencies = random.sample(range(1, 90), random.randint(4, 6))
    jobs = [f"put {k} {urgency}\n" for k, urgency in enumerate(sorted(urgencies, reverse=random.random() < 0.7))]
    return _with_noise(random, [*jobs, *["take\n"] * len(jobs)])


def _round_the_ring(random: Random) -> str:
    notes = [f"note {random.randint(1, 99)}\n" for _ in range(random.randint(8, 12))]
    return _with_noise(random, [*notes, "notes\n"])


def _wide_table(random: Random) -> str:
    rows, columns = random.choice(((2, 3), (2, 4), (3, 4), (3, 5), (4, 2), (5, 3), (3, 2)))
    return _with_noise(random, [f"table 0 {rows} {columns}\n", "rows 0\n"])


def _turned_table(random: Random) -> str:
    size = random.randint(2, 4)
    after = random.choice(("rows 0\n", "turn 0\n"))
    return _with_noise(random, [f"table 0 {size} {size}\n", "turn 0\n", after])


def _ends_in_nine(random: Random) -> str:
    return _with_noise(random, [f"roman {10 * random.randint(0, 20) + 9}\n"])


def _full_line(random: Random) -> str:
    words = random.choices(_WORDS, k=random.randint(3, 8))
    used = len(words[0])
    for word in words[1 : random.randint(2, len(words))]:
        used += 1 + len(word)
    return _with_noise(random, [f"lines {used - 1} {' '.join(words)}\n"])


def _many_letters(random: Random) -> str:
    text = "".join(random.sample(_LETTERS, random.randint(36, 50)))
    return _with_noise(random, [f"pack {text}\n"])


def _last_looked_at(random: Random) -> str:
    return _with_noise(random, [f"prime {random.choice((3, 11, 19, 31))}\n"])


PLANNER = PlantedProgram(
    "planner",
    (
        _town_too_far,
        _shorter_way,
        _no_way_to_go,
        _too_many_jobs,
        _wrong_child,
        _round_the_ring,
        _wide_table,
        _turned_table,
        _ends_in_nine,
        _full_line,
        _many_letters,
        _last_looked_at,
    ),
)
