"""Teeth: each safeguard, taken out of the Lua, makes the test that is there for it fail (row 20)."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from service.store import Store, scripts
from tests.service.store import test_accounts, test_matches, test_schedule, test_tournaments, test_voiding
from tests.service.store.make import a_bot, workers_there

# Script, what is taken out of its text, what stands there instead, and the test that must notice.
BITES: list[tuple[str, str, str, Callable[..., None]]] = [
    (
        "append",
        "if fenced(KEYS[1], KEYS[4], ARGV[2], ARGV[3]) then return 'fenced' end",
        "",
        test_matches.test_a_match_goes_on_where_its_events_end,
    ),
    (
        "append",
        "(redis.call('GET', epoch) or '') .. ':' .. (token or '') ~= want_epoch",
        "string.match(want_epoch, ':(.*)') ~= token",
        test_matches.test_another_epoch_fences,
    ),
    (
        "append",
        "(redis.call('GET', epoch) or '') .. ':' .. (token or '') ~= want_epoch",
        "redis.call('GET', epoch) ~= string.match(want_epoch, '[^:]*')",
        test_matches.test_a_claim_that_a_power_loss_has_undone_stays_undone,
    ),
    ("append", "if next_id ~= first then", "if false then", test_matches.test_an_append_is_applied_once),
    (
        "append",
        "if first < since then return false end",
        "",
        test_matches.test_a_match_goes_on_where_its_events_end,
    ),
    (
        "append",
        "if entry[2][2] ~= events[i] then return false end",
        "",
        test_matches.test_an_append_is_applied_once,
    ),
    (
        "append",
        "redis.call('ZADD', KEYS[3], now + found[3], id)",
        "",
        test_matches.test_renewing_keeps_a_lease_and_appending_too,
    ),
    (
        "finish",
        "if fenced(match, KEYS[5], plan.epoch, plan.fence) then",
        "if false then",
        test_matches.test_finishing_does_everything_once,
    ),
    (
        "finish",
        "if generation ~= plan.generation then return {'generation', generation} end",
        "",
        test_voiding.test_a_void_leaves_no_trace_in_the_ratings,
    ),
    (
        "finish",
        "redis.call('SADD', KEYS[4], plan.id)",
        "redis.call('XTRIM', KEYS[2], 'MAXLEN', 1)",
        test_matches.test_finishing_does_everything_once,
    ),
    (
        "claim",
        "if lease_end > now and lease_end <= now + tonumber(term or '0') then",
        "if false then",
        test_matches.test_a_match_is_claimed_by_one,
    ),
    (
        "claim",
        " and lease_end <= now + tonumber(term or '0')",
        "",
        test_matches.test_a_lease_far_ahead_has_run_out,
    ),
    (
        "claim",
        "if state ~= 'queued' and state ~= 'running' then return {state == 'held' and 'held' or 'over'} end",
        "",
        test_matches.test_what_is_over_is_not_claimed,
    ),
    (
        "claim",
        "if failures >= tonumber(ARGV[6]) then",
        "if false then",
        test_matches.test_a_match_that_kills_its_workers_is_held,
    ),
    (
        "renew",
        "if not fenced(KEYS[i], KEYS[2], epoch, fence) then",
        "if true then",
        test_matches.test_a_match_goes_on_where_its_events_end,
    ),
    (
        "give_up",
        "if how == 'hold' or failures >= tonumber(ARGV[6]) then",
        "if how == 'hold' then",
        test_matches.test_failures_in_a_row_hold_a_match,
    ),
    (
        "match_create",
        "if before then return before end",
        "",
        test_matches.test_a_request_that_comes_again_gets_its_matches,
    ),
    (
        "match_create",
        "match.pairing and redis.call('HGET', KEYS[tournament.games], match.pairing)",
        "nil",
        test_tournaments.test_a_pairing_has_one_match,
    ),
    (
        "match_create",
        "if state ~= 'running' then return {'wrong-state', state or 'gone'} end",
        "",
        test_tournaments.test_a_paused_tournament_starts_nothing_at_once,
    ),
    (
        "schedule_ready",
        "for _, bot in ipairs(bots) do if room(bot) <= 0 then return bot end end",
        "",
        test_schedule.test_a_bot_is_never_overrun,
    ),
    (
        "schedule_ready",
        "redis.call('SISMEMBER', STOPPED, name) == 1 and 0 or math.huge",
        "math.huge",
        test_tournaments.test_a_paused_tournament_starts_nothing_at_once,
    ),
    (
        "schedule_ready",
        "math.min(tonumber(ARGV[3]), free)",
        "tonumber(ARGV[3])",
        test_schedule.test_no_more_hints_than_places,
    ),
    (
        "schedule_release",
        "    wake_all(bots)\n",
        "",
        test_schedule.test_a_bot_is_never_overrun,
    ),
    (
        "schedule_add",
        "last[share] = last[share] + count",
        "last[share] = redis.call('HLEN', WAITING) + 1",
        test_schedule.test_shares_take_turns_however_much_one_asks_for,
    ),
    (
        "void",
        "if last_id ~= plan.folded then return {'behind', last_id} end",
        "",
        test_voiding.test_a_fold_that_is_behind_is_not_swapped_in,
    ),
    (
        "finish",
        "sha256_link(chain, digest)",
        "digest",
        test_voiding.test_the_ledger_is_a_chain,
    ),
    (
        "finish",
        "found = current and redis.call('HGET', rating, 'v:' .. current) or '1500000'",
        "found = '1500000'",
        test_matches.test_a_new_version_has_a_line_of_its_own,
    ),
    (
        "finish",
        "if redis.call('HGET', KEYS[to.games], to.pairing) ~= plan.id then return end",
        "",
        test_voiding.test_a_late_result_of_a_replaced_match_does_not_count,
    ),
    (
        "create",
        "if holder then return {'taken', unique.problem} end",
        "",
        test_accounts.test_bot_names_are_unique_for_an_owner,
    ),
    (
        "create",
        "if redis.call('ZCARD', KEYS[bound.key]) >= bound.limit then return {'taken', bound.problem} end",
        "",
        test_accounts.test_bots_are_bounded,
    ),
    (
        "create",
        "tonumber(found[1]) <= 0 then return false end",
        "false then return false end",
        test_accounts.test_an_invitation_is_used_up,
    ),
    (
        "create",
        "  if before then return before end\n",
        "",
        test_accounts.test_an_invitation_is_used_up,
    ),
    (
        "entry",
        "if again then return again[1] end",
        "",
        test_tournaments.test_an_entry_that_comes_again_is_one,
    ),
    (
        "entry",
        "  if KEYS[3] then once_keep(KEYS[3], ARGV[6], ARGV[3], ARGV[7]) end",
        "",
        test_tournaments.test_an_entry_that_comes_again_is_one,
    ),
    (
        "update",
        "if plan.revision and tonumber(redis.call('HGET', KEYS[1], 'revision') or '0') ~= plan.revision then",
        "if false then",
        test_accounts.test_a_change_names_the_revision_it_has_seen,
    ),
    (
        "update",
        "if not fits then return answer('wrong-state') end",
        "",
        test_accounts.test_states_change_from_the_expected_one_only,
    ),
    (
        "quota_take",
        "if new > 0 and open + new > tonumber(ARGV[1]) then return open end",
        "",
        test_matches.test_open_matches_are_bounded,
    ),
    (
        "begin_check",
        "then return 'address' end",
        "then return 'ok' end",
        test_accounts.test_an_unverified_address_gets_three_requests_of_an_owner_a_day,
    ),
]


@contextmanager
def without(name: str, old: str, new: str) -> Iterator[None]:
    """The script `name` with one safeguard taken out."""
    text = scripts.source(name)
    assert text.count(old) == 1, f"{name}.lua does not have, just once: {old}"
    cut = scripts.Script.of(text.replace(old, new))
    with pytest.MonkeyPatch.context() as patch:
        whole = scripts.script
        patch.setattr("service.store.connection.script", lambda n: cut if n == name else whole(n))
        yield


def arguments(test: Callable[..., None], store: Store) -> dict:
    """What the test's fixtures would give it."""
    given: dict = {"store": store, "there": store}
    if "there" in inspect.signature(test).parameters:
        workers_there(store)
    wanted = inspect.signature(test).parameters
    if "pair" in wanted:
        given["pair"] = store.bots.create(a_bot("a")), store.bots.create(a_bot("b", owner="o_2"))
    if "crowd" in wanted:
        given["crowd"] = [store.bots.create(a_bot(f"bot {i}", owner=f"o_{i}")) for i in range(4)]
    return {name: given[name] for name in wanted}


@pytest.mark.parametrize("bite", BITES, ids=[f"{name}: {old[:50]}" for name, old, _, _ in BITES])
def test_every_safeguard_is_missed(bite, redis_server):
    name, old, new, test = bite
    store = Store.connect(redis_server.url)
    with without(name, old, new):
        given = arguments(test, store)
        with pytest.raises(BaseException) as noticed:
            test(**given)
    assert noticed.type is not KeyboardInterrupt
