"""One parser of URLs, and what each form comes to; odd hosts are judged by their address, never as text."""

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.endpoint import BadUrl, Endpoint

GOOD = [
    ("http://bot.example", "http://bot.example/", "bot.example", 80),
    ("HTTPS://Bot.Example:443/Move", "https://bot.example/Move", "bot.example", 443),
    ("http://bot.example:8080/a?b=c&d=%20e", "http://bot.example:8080/a?b=c&d=%20e", "bot.example", 8080),
    ("https://bot.example?x", "https://bot.example/?x", "bot.example", 443),
    ("http://bot.example./", "http://bot.example./", "bot.example.", 80),
    ("http://[2001:DB8::0:1]:81/", "http://[2001:db8::1]:81/", "2001:db8::1", 81),
    ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "::ffff:7f00:1", 80),
    ("http://127.1/", "http://127.1/", "127.1", 80),
    ("http://0x7f.1/", "http://0x7f.1/", "0x7f.1", 80),
    ("http://２１３０７０６４３３/", "http://2130706433/", "2130706433", 80),
    ("http://127。0。0。1/", "http://127.0.0.1/", "127.0.0.1", 80),
    ("http://bücher.example/ä", "http://xn--bcher-kva.example/%C3%A4", "xn--bcher-kva.example", 80),
    ("http://faß.example/", "http://xn--fa-hia.example/", "xn--fa-hia.example", 80),
    ("http://my_bot.example:1/%2e%2e/", "http://my_bot.example:1/%2e%2e/", "my_bot.example", 1),
    ("http://bot.example/a//b/../c;d", "http://bot.example/a//b/../c;d", "bot.example", 80),
    ('http://bot.example/"<{|}>', "http://bot.example/%22%3C%7B%7C%7D%3E", "bot.example", 80),
]


@pytest.mark.parametrize(("url", "normal", "host", "port"), GOOD)
def test_a_url_has_one_normal_form(url, normal, host, port):
    endpoint = Endpoint.parse(url)
    assert (str(endpoint), endpoint.host, endpoint.port) == (normal, host, port)
    assert Endpoint.parse(normal) == endpoint


BAD = [
    ("", "http:// or https:// is expected"),
    ("bot.example/move", "http:// or https:// is expected"),
    ("//bot.example/", "http:// or https:// is expected"),
    ("file:///etc/passwd", "http:// or https:// is expected"),
    ("gopher://127.0.0.1:6379/_SET", "http:// or https:// is expected"),
    ("ftp://bot.example/", "http:// or https:// is expected"),
    ("javascript:alert(1)", "http:// or https:// is expected"),
    ("unix:/var/run/docker.sock", "http:// or https:// is expected"),
    ("http:bot.example", "no host"),
    ("http:///path", "the host '' is neither"),
    ("http://", "the host '' is neither"),
    ("http://:80/", "the host '' is neither"),
    ("http://user@bot.example/", "user name"),
    ("http://user:pw@bot.example/", "user name"),
    ("http://127.0.0.1@bot.example/", "user name"),
    ("http://bot.example:80@127.0.0.1/", "user name"),
    ("http://@bot.example/", "user name"),
    ("http://bot.example/#x", "fragment"),
    ("http://bot.example/#", "fragment"),
    ("http://bot.example#@127.0.0.1/", "fragment"),
    ("http://bot.example:0/", "port is 0"),
    ("http://bot.example:65536/", "port is not a number"),
    ("http://bot.example:-1/", "port is not a number"),
    ("http://bot.example:8o/", "port is not a number"),
    ("http://bot.example: 80/", "blanks"),
    ("http://bot.example /", "blanks"),
    (" http://bot.example/", "blanks"),
    ("http://bot.example/\r\nX: y", "blanks"),
    ("http://bot.example/\n", "blanks"),
    ("http://bot\t.example/", "blanks"),
    ("http://bot.example\\@127.0.0.1/", "blanks"),
    ("http:\\\\127.0.0.1\\", "blanks"),
    ("http://bot.example/\x00", "blanks"),
    ("http://bot.example/\u00a0", "blanks"),
    ("http://bot.example/\ud800", "blanks"),
    ("http://\udfff.example/", "blanks"),
    ("http://%31%32%37.0.0.1/", "neither a domain name"),
    ("http://127.0.0.1%2f@x/", "user name"),
    ("http://bot..example/", "neither a domain name"),
    ("http://.example/", "neither a domain name"),
    ("http://-bot.example/", "neither a domain name"),
    ("http://bot!.example/", "neither a domain name"),
    ("http://bot.example,other/", "neither a domain name"),
    ("http://" + "a" * 64 + ".example/", "neither a domain name"),
    ("http://" + "a." * 127 + "example/", "neither a domain name"),
    ("http://\u2488.example/", ""),
    ("http://[::1/", "cannot be read"),
    ("http://[127.0.0.1]/", ""),
    ("http://[::1%25lo]/", ""),
    ("http://[fe80::1%eth0]/", ""),
    ("http://[v1.x]/", ""),
    ("http://[::1]x/", ""),
    ("http://bot.example/" + "a" * 2048, "at most 2048"),
]


@pytest.mark.parametrize(("url", "says"), BAD)
def test_a_bad_url_is_refused_with_a_sentence(url, says):
    with pytest.raises(BadUrl) as refused:
        Endpoint.parse(url)
    assert says in str(refused.value)


@given(st.one_of(st.text(), st.text(alphabet="htps:/@#?[]%.0x1a-_é。１ ").map(lambda rest: f"http://{rest}")))
@example("http://[")
def test_any_text_is_either_refused_or_has_a_normal_form(text):
    with contextlib.suppress(BadUrl):
        endpoint = Endpoint.parse(text)
        assert Endpoint.parse(str(endpoint)) == endpoint
        assert str(endpoint).isascii()
