"""The link to a tournament's records: there once there are some that may be read."""

import pytest

from tests.service.api.test_exports import play_on, started

LINK = "All records (JSON Lines)"


@pytest.mark.parametrize("private", [False, True])
def test_the_host_gets_the_file_that_the_api_gives(service, visitor, ada, private):
    people = [service.somebody() for _ in range(3)]
    contest = started(service, ada, people, private=private)
    visitor.submit("/sign-in", "/sign-in", key=ada.key)
    assert LINK not in visitor.get(f"/tournaments/{contest}").words
    play_on(service, contest)
    assert LINK in visitor.get(f"/tournaments/{contest}").words
    file = visitor.client.get(f"/tournaments/{contest}/records.jsonl")
    assert file.mimetype == "application/jsonl"
    assert file.data == ada.get(f"/v1/tournaments/{contest}/records").data
    assert file.data.count(b"\n") == 3


def test_there_is_no_link_while_names_are_withheld(service, visitor, ada):
    contest = started(service, ada, [service.somebody() for _ in range(3)], pseudonyms=True)
    play_on(service, contest, games=1)
    assert LINK not in visitor.get(f"/tournaments/{contest}").words
