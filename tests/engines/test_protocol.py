"""The wire protocol: strict reading, ownership, Standard Webhooks signatures."""

import base64

import pytest

from engines.protocol import (
    MalformedReply,
    MoveReply,
    canonical,
    check_signature,
    check_verify_answer,
    parse_move,
    parse_nonce,
    secret_bytes,
    sign,
    verify_answer,
)

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef01234567").decode()
OTHER = "whsec_" + base64.b64encode(b"another secret of 24 byt").decode()

GOOD = [
    (b'{"move": "c1N"}', MoveReply("c1N")),
    (b'{"move": 3}', MoveReply(3)),
    (b'{"resign": true}', MoveReply(None)),
    (b'{"resign": false, "move": 0}', MoveReply(0)),
    (b'{"move": 1, "comment": "hm", "more": [{}]}', MoveReply(1, "hm")),
    (b'{"move": "\\ud800"}', MoveReply("?")),
    (b'{"move": 1, "comment": "\\ud83d"}', MoveReply(1, "?")),
]


@pytest.mark.parametrize(("body", "reply"), GOOD)
def test_a_good_reply(body, reply):
    assert parse_move(body) == reply


def test_a_comment_is_cut_at_200_code_points():
    reply = parse_move(('{"move": 0, "comment": "' + "é" * 300 + '"}').encode())
    assert reply.comment == "é" * 200


MALFORMED = [
    (b"", "not JSON"),
    (b"c1N", "not JSON"),
    (b"<html>", "begins '<html>'"),
    (b"\xef\xbb\xbf{}", "byte-order mark"),
    (b"\xff{}", "not UTF-8"),
    (b"[1]", "an array"),
    (b"null", "null"),
    (b"{}", "no `move`"),
    (b'{"move": null}', "`move` is null"),
    (b'{"move": true}', "a boolean"),
    (b'{"move": 1.5}', "a number"),
    (b'{"move": ["c1N"]}', "an array"),
    (b'{"move": 1, "move": 2}', "twice"),
    (b'{"move": 1, "x": {"a": 1, "a": 1}}', "twice"),
    (b'{"move": NaN}', "NaN"),
    (b'{"move": 1, "x": -Infinity}', "Infinity"),
    (b'{"move": ' + b"9" * 10_000 + b"}", "10000 digits"),
    (b'{"x":' + b"[" * 10_000 + b"]" * 10_000 + b"}", "too deep"),
    (b'{"move": 1, "comment": 5}', "`comment` is a number"),
    (b'{"resign": "yes"}', "`resign` is a string"),
]


@pytest.mark.parametrize(("body", "words"), MALFORMED)
def test_a_malformed_reply_is_told_what_came(body, words):
    with pytest.raises(MalformedReply, match=words):
        parse_move(body)


@pytest.mark.parametrize("nonce", ["", "0", "00ff", "a" * 64])
def test_nonces(nonce):
    assert parse_nonce(b'{"nonce": "%s"}' % nonce.encode()) == nonce


@pytest.mark.parametrize("nonce", [b'"0x1"', b'"A"', b"5", b'"' + b"a" * 65 + b'"', b'"ab\\n"'])
def test_bad_nonces(nonce):
    with pytest.raises(MalformedReply, match="hex"):
        parse_nonce(b'{"nonce": ' + nonce + b"}")


def test_no_nonce_is_the_empty_one():
    assert parse_nonce(b"{}") == ""


def test_ownership_is_an_hmac_and_an_echo_does_not_pass():
    challenge = "ab" * 32
    answer = verify_answer(SECRET, challenge)
    check_verify_answer(SECRET, challenge, b'{"answer": "%s"}' % answer.encode())
    for wrong in (challenge, verify_answer(OTHER, challenge), answer.upper(), "", "\\ud800"):
        with pytest.raises(MalformedReply, match="another secret"):
            check_verify_answer(SECRET, challenge, b'{"answer": "%s"}' % wrong.encode())
    with pytest.raises(MalformedReply, match="no `answer`"):
        check_verify_answer(SECRET, challenge, b"{}")


def test_a_signature_holds_for_its_body_secret_and_time_only():
    headers = sign([OTHER, SECRET], "m:1:1", 1000, b"body")
    assert check_signature(SECRET, headers, b"body", 1000)
    assert check_signature(OTHER, headers, b"body", 1300)
    assert not check_signature(SECRET, headers, b"Body", 1000)
    assert not check_signature(SECRET, headers, b"body", 1301)
    assert not check_signature(SECRET, headers, b"body", 699)
    assert not check_signature(SECRET, {**headers, "webhook-id": "m:1:2"}, b"body", 1000)
    assert not check_signature(SECRET, {**headers, "webhook-timestamp": "1e3"}, b"body", 1000)
    assert not check_signature(SECRET, {}, b"body", 1000)


@pytest.mark.parametrize("secret", ["", "abc", "whsec_*"])
def test_a_secret_that_is_none(secret):
    with pytest.raises(ValueError, match="whsec_"):
        secret_bytes(secret)


def test_canonical_json_is_one_spelling():
    assert canonical({"b": [1, True, None], "a": "é"}) == '{"a":"é","b":[1,true,null]}'.encode()
