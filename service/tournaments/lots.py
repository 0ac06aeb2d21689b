"""The draw that numbers the entrants."""

from collections.abc import Sequence

from engines.chance import Stream


def draw(entrants: int, seed: bytes | None) -> Sequence[int]:
    """The entrant behind each lot, by lot number; without a seed the order of entry.

    The chance spec's shuffle with the label "lots", so that anyone who has the seed can repeat the draw.
    """
    if seed is None:
        return range(entrants)
    return Stream(seed, b"lots").shuffled(range(entrants))[0]
