"""How the demo model types: where fragments are cut, and how long it waits between them.

The figures are those of a real provider as recorded: gaps with a median of 11 ms and a 99th
percentile of 84 ms, and about one turn in 300 that stalls for over a second; fragments of 1 to 12
characters, cut wherever a tokenizer cuts them and not where a parser would like it.
"""

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random

MEDIAN_GAP_S = 0.011
P99_GAP_S = 0.084
TURNS_PER_STALL = 300
STALL_S = (1.0, 2.5)
LONGEST_FRAGMENT = 12

_SIGMA = math.log(P99_GAP_S / MEDIAN_GAP_S) / 2.3263478740408408
"""Of a log-normal distribution: the divisor is the 99th percentile of the standard normal one."""

_AWKWARD = re.compile(
    r"""\\u[dD][89abAB][0-9a-fA-F]{2}(?=\\u)"""  # between the halves of a surrogate pair
    r"""|\\u[0-9a-fA-F]{2}"""  # within a \u escape
    r"""|\\(?=.)"""  # between a backslash and what it escapes
    r"""|"(?=:)"""  # between a key and its colon
    r"""|\d(?=[\d.])"""  # within a number
)


def gaps(random: Random) -> Iterator[float]:
    """Seconds before each fragment of one turn, without end."""
    stall_at = random.randrange(40) if random.random() < 1 / TURNS_PER_STALL else -1
    place = 0
    while True:
        if place == stall_at:
            yield random.uniform(*STALL_S)
        else:
            yield random.lognormvariate(math.log(MEDIAN_GAP_S), _SIGMA)
        place += 1


def awkward_places(text: str) -> frozenset[int]:
    """Offsets at which a cut is hard on a reader of JSON that hopes for whole tokens."""
    return frozenset(found.end() for found in _AWKWARD.finditer(text))


def fragments(text: str, random: Random, count: int | None = None) -> list[str]:
    """``text`` in pieces of 1 to 12 characters, exactly ``count`` of them where given.

    Raises ``ValueError`` for a count that the text cannot be cut into.
    """
    places = awkward_places(text)
    cuts = _walk(text, random, places)
    if count is not None:
        cuts = _to_count(cuts, count, random, places)
    return [text[start:end] for start, end in pairwise(cuts)]


def _walk(text: str, random: Random, places: frozenset[int]) -> list[int]:
    """Cuts, with both ends, every step short enough; awkward places are taken when in reach."""
    cuts = [0]
    while cuts[-1] < len(text):
        here = cuts[-1]
        end = min(here + 1 + min(int(random.expovariate(1 / 4)), LONGEST_FRAGMENT - 1), len(text))
        reached = [place for place in range(here + 1, end + 1) if place in places]
        cuts.append(random.choice(reached) if reached else end)
    return cuts


def _to_count(cuts: list[int], count: int, random: Random, places: frozenset[int]) -> list[int]:
    if not -(-cuts[-1] // LONGEST_FRAGMENT) <= count <= cuts[-1]:
        raise ValueError(f"{cuts[-1]} characters cannot be cut into {count} fragments")
    while len(cuts) - 1 < count:
        longest = max(range(len(cuts) - 1), key=lambda at: cuts[at + 1] - cuts[at])
        cuts.insert(longest + 1, random.randrange(cuts[longest] + 1, cuts[longest + 1]))
    while len(cuts) - 1 > count:
        # The plain cuts go first; where that leaves no two that fit together, any goes.
        mergeable = [
            at for at in range(1, len(cuts) - 1) if cuts[at + 1] - cuts[at - 1] <= LONGEST_FRAGMENT
        ]
        if not mergeable:
            raise ValueError(f"no way to cut {cuts[-1]} characters into {count} fragments")
        plain = [at for at in mergeable if cuts[at] not in places]
        del cuts[random.choice(plain or mergeable)]
    return cuts
