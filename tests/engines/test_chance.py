"""The chance spec (engines/chance.py): vectors, and the same written again from its words alone."""

import hashlib
import hmac
from collections import Counter
from itertools import islice, permutations

import pytest

from engines.chance import Stream, commitment, match_seed

SECRET = bytes(range(32))
SEED = bytes.fromhex("4c5ab9dff302c1d99a2b189d1ad1798e505866dc8d077f81b7ba128c52a5d282")


def test_commitment_vector():
    assert commitment(SECRET) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_seed_vector():
    assert match_seed(SECRET, ["", "0a"]) == SEED


@pytest.mark.parametrize(
    "nonces", [[], [""], ["0a"], ["0a", ""], ["0a", "0b"], ["0b", "0a"], ["f" * 64, "f" * 64]]
)
def test_seed_is_the_hash_of_secret_and_nonces(nonces):
    assert match_seed(SECRET, nonces) == hashlib.sha256(SECRET + "".join(nonces).encode()).digest()


def words(seed, label):
    """The stream's words, from its description."""
    number = 0
    while True:
        digest = hmac.new(seed, label + number.to_bytes(8, "big"), hashlib.sha256).digest()
        yield int.from_bytes(digest[:8], "big")
        number += 1


def test_word_vectors():
    assert list(islice(words(SEED, b"deck"), 2)) == [0xB0635F2EC9892ADF, 0x83E91BDF6E3B1BAC]
    assert Stream(SEED).below(1 << 64)[0] == 0xB0635F2EC9892ADF


@pytest.mark.parametrize(("label", "n", "value"), [(b"deck", 45, 44), (b"first", 4, 0), (b"deck", 1, 0)])
def test_integer_vectors(label, n, value):
    assert Stream(SEED, label).below(n) == (value, Stream(SEED, label, 1))


def test_a_word_that_would_be_unfair_is_refused():
    """Below 2⁶³ + 1 nearly every second word is refused: the vector takes the third word."""
    n = (1 << 63) + 1
    limit = (1 << 64) - (1 << 64) % n
    value, stream = Stream(SEED).below(n)
    refused = [word >= limit for word in islice(words(SEED, b"deck"), 3)]
    assert refused == [True, True, False]
    assert (value, stream.counter) == (3197826112374635232, 3)


def test_shuffle_vector():
    order, stream = Stream(SEED).shuffled("abcdefgh")
    assert "".join(order) == "cdebfagh"
    assert stream == Stream(SEED, b"deck", 7)


def test_a_deck_shuffled_twice_goes_on_in_the_stream():
    """S5: the second shuffle takes the words after the first one's."""
    first, stream = Stream(SEED).shuffled(range(45))
    assert first[:10] == (9, 19, 29, 0, 24, 20, 32, 43, 36, 3)
    second, stream = stream.shuffled(range(5))
    assert second == (3, 4, 0, 2, 1)
    assert stream.counter == 48


@pytest.mark.parametrize("size", [0, 1, 2, 45, 300])
def test_shuffle_from_its_description(size):
    drawn = words(SEED, b"again")
    items = list(range(size))
    for i in range(size - 1, 0, -1):
        word = next(w for w in drawn if w < 2**64 - 2**64 % (i + 1))
        j = word % (i + 1)
        items[i], items[j] = items[j], items[i]
    assert list(Stream(SEED, b"again").shuffled(range(size))[0]) == items


def test_every_order_is_as_likely():
    """24 orders of 4 items in 12 000 shuffles: chi-square below 49.7, which chance exceeds once in 1 000."""
    stream = Stream(SEED, b"orders")
    seen = Counter()
    for _ in range(12_000):
        order, stream = stream.shuffled("abcd")
        seen[order] += 1
    expected = 12_000 / 24
    assert sum((seen[order] - expected) ** 2 / expected for order in permutations("abcd")) < 49.7


def test_streams_are_apart():
    seeds = (SEED, SECRET)
    firsts = {Stream(seed, label).below(1 << 64)[0] for seed in seeds for label in (b"deck", b"first", b"")}
    assert len(firsts) == 6
