"""Settings: three sources in order, wrong ones refused by name, secrets hidden in the listing."""

import pytest

from service.config import NAMES, SPECS, BadSettings, Settings, port_ranges


def test_every_setting_has_a_help_text():
    assert all(SPECS[name].metadata["help"].endswith(".") for name in NAMES)


def test_defaults_file_and_environment_in_this_order(tmp_path):
    file = tmp_path / "arbiter.toml"
    file.write_text('lease_ms = 5000\nport = 9000\nbot_networks = ["10.0.0.0/8"]\n')
    settings = Settings.load({"ARBITER_PORT": "9001", "HOME": "/root"}, file)
    assert (settings.port, settings.lease_ms, settings.threads) == (9001, 5000, 50)
    assert settings.bot_networks == ("10.0.0.0/8",)
    assert settings.origin["port"] == "ARBITER_PORT"
    assert settings.origin["lease_ms"] == f"{file}: lease_ms"
    assert settings.origin["threads"] == "default"


def test_the_file_can_be_named_in_the_environment(tmp_path):
    file = tmp_path / "arbiter.toml"
    file.write_text("signup = 'closed'\n")
    assert Settings.load({"ARBITER_CONFIG": str(file)}).signup == "closed"


@pytest.mark.parametrize(
    ("variable", "text", "expected"),
    [
        ("ARBITER_LEASE_MS", "soon", "whole number"),
        ("ARBITER_LEASE_MS", "-1", "whole number"),
        ("ARBITER_LEASE_MS", "499", "from 500"),
        ("ARBITER_PORT", "70000", "to 65535"),
        ("ARBITER_SIGNUP", "maybe", "one of open, invite, closed"),
        ("ARBITER_BOT_NETWORKS", "10.0.0.0/8,nonsense", "nonsense"),
        ("ARBITER_BOT_PORTS", "80,9-1", "9-1"),
        ("ARBITER_REDIS_URL", "somewhere", "URL"),
        ("ARBITER_RATE_READS", "many", "many"),
        ("ARBITER_LEASEMS", "8000", "is no setting"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(variable, text, expected):
    with pytest.raises(BadSettings) as caught:
        Settings.load({variable: text})
    [(name, what)] = caught.value.problems
    assert name == variable
    assert expected in what


def test_all_wrong_settings_are_named_at_once(tmp_path):
    file = tmp_path / "arbiter.toml"
    file.write_text("lease = 1\nport = 'x'\n")
    with pytest.raises(BadSettings) as caught:
        Settings.load({"ARBITER_THREADS": "0"}, file)
    assert {name for name, _ in caught.value.problems} == {
        f"{file}: lease",
        f"{file}: port",
        "ARBITER_THREADS",
    }


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(BadSettings, match="cannot be read"):
        Settings.load({}, tmp_path / "missing.toml")


def test_the_listing_hides_passwords_and_tokens():
    settings = Settings.load(
        {"ARBITER_REDIS_URL": "redis://me:hush@db:6379/0", "ARBITER_METRICS_TOKEN": "hush"}
    )
    shown = {name: value for name, value, _, _ in settings.listing()}
    assert "hush" not in str(shown)
    assert shown["redis_url"] == "redis://me:(hidden)@db:6379/0"


def test_threads_leave_room_beside_streams_and_polls():
    settings = Settings(max_streams=10, max_polls=5, api_threads=7)
    assert settings.server_threads == 22


def test_port_ranges():
    assert port_ranges(("80", "1024-65535")) == ((80, 80), (1024, 65535))
