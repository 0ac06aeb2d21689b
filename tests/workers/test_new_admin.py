"""The first administrator is made on the server."""

from click.testing import CliRunner

from service.store import Store
from workers.cli import main


def test_a_new_admin_gets_a_key_that_works(redis_url, monkeypatch):
    monkeypatch.setenv("ARBITER_REDIS_URL", redis_url)
    made = CliRunner().invoke(main, ["new-admin", "Root"])
    assert made.exit_code == 0, made.output
    store = Store.connect(redis_url)
    key, owner = store.keys.authenticate(made.stdout.strip())
    store.close()
    assert (owner.name, str(owner.role), "admin" in key.scopes) == ("Root", "admin", True)
    again = CliRunner().invoke(main, ["new-admin", "root"])
    assert again.exit_code != 0
    assert "there is an owner" in again.output
