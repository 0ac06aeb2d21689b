"""Every key name of the store. No other module spells one.

Three kinds of hash slot, each named by a tag, so that one script's keys are always in one slot:
`{accounts}` (owners, keys, bots), `{capacity}` (who plays how much, workers, delayed work) and one `{ladder}`
for each ladder (its matches, events, ledger, ratings, tournaments).
"""

from __future__ import annotations

from service.errors import NotFound
from service.ids import ladder_of
from service.models import LADDERS

OWNERS = "accounts"  # the outbox beside those of the ladders
ACCOUNTS = f"{{{OWNERS}}}"
CAPACITY = "{capacity}"


def tag(ladder: str) -> str:
    """The slot of a ladder."""
    return f"{{{ladder}}}"


def home(subject_id: str) -> str:
    """The ladder of a match or a tournament; raises NotFound for an id that names none."""
    ladder = ladder_of(subject_id)
    if ladder not in LADDERS:
        kind = "tournament" if subject_id.startswith("t_") else "match"
        raise NotFound("not-found", f"there is no {kind} {subject_id!r}")
    return ladder


def _at_home(subject_id: str, noun: str) -> str:
    return f"{tag(home(subject_id))}:{noun}:{subject_id}"


# --- accounts


def owner(owner_id: str) -> str:  # hash: service.models.Owner
    return f"{ACCOUNTS}:owner:{owner_id}"


def owners() -> str:  # sorted set: ids, by text
    return f"{ACCOUNTS}:owners"


def owner_names() -> str:  # hash: folded name -> id
    return f"{ACCOUNTS}:owner-names"


def api_key(key_id: str) -> str:  # hash: service.models.ApiKey
    return f"{ACCOUNTS}:key:{key_id}"


def owner_keys(owner_id: str) -> str:  # sorted set: ids, by text
    return f"{ACCOUNTS}:owner:{owner_id}:keys"


def bot(bot_id: str) -> str:  # hash: service.models.Bot
    return f"{ACCOUNTS}:bot:{bot_id}"


def bots() -> str:  # sorted set: ids, by text
    return f"{ACCOUNTS}:bots"


def owner_bots(owner_id: str) -> str:  # sorted set: ids, by text
    return f"{ACCOUNTS}:owner:{owner_id}:bots"


def owner_bots_in_use(owner_id: str) -> str:  # sorted set: ids of those that are not retired, by text
    return f"{ACCOUNTS}:owner:{owner_id}:bots-in-use"


def owner_bot_names(owner_id: str) -> str:  # hash: folded name -> id
    return f"{ACCOUNTS}:owner:{owner_id}:bot-names"


def verification(bot_id: str) -> str:  # hash: service.models.Verification
    return f"{ACCOUNTS}:verification:{bot_id}"


def checks(bot_id: str) -> str:  # hash: service.store.checks.Course
    return f"{ACCOUNTS}:checks:{bot_id}"


def mail_news(bot_id: str) -> str:  # channel: messages to a bot that polls
    return f"{ACCOUNTS}:mail:{bot_id}"


def verifications() -> str:  # sorted set: bots to be checked -> when that was asked, ms
    return f"{ACCOUNTS}:verifications"


def address_tries(owner: str, digest: str) -> str:  # string: an owner's requests to an address; expires
    return f"{ACCOUNTS}:address-tries:{owner}:{digest}"


def host_tries(host: str, day: int) -> str:  # string: tries of unverified addresses; expires
    return f"{ACCOUNTS}:host-tries:{host}:{day}"


def examination(check_id: str) -> str:  # hash: service.models.Examination and who holds it; expires
    return f"{ACCOUNTS}:examination:{check_id}"


def examination_findings(check_id: str) -> str:  # list: JSON, as they were made; expires
    return f"{ACCOUNTS}:examination:{check_id}:findings"


def last_examination(bot_id: str) -> str:  # string: id; expires
    return f"{ACCOUNTS}:last-examination:{bot_id}"


def examinations() -> str:  # sorted set: those that are not over -> when to tell workers of them, ms
    return f"{ACCOUNTS}:examinations"


def owner_examinations(owner_id: str) -> str:  # set: those that are not over
    return f"{ACCOUNTS}:owner:{owner_id}:examinations"


def examined_today(kind: str, subject: str, day: int) -> str:  # string: how many examinations; expires
    return f"{ACCOUNTS}:examined:{kind}:{subject}:{day}"


def invitation(invitation_id: str) -> str:  # hash: Invitation, token of the last use; expires
    return f"{ACCOUNTS}:invitation:{invitation_id}"


def owner_invitations(owner_id: str) -> str:  # zset: ids, also of those that have expired
    return f"{ACCOUNTS}:owner:{owner_id}:invitations"


def shared_secret(name: str) -> str:  # string: hex, drawn once
    return f"{ACCOUNTS}:secret:{name}"


def bot_turns(bot_id: str) -> str:  # list: "<charged> <connecting>" of the last turns, µs
    return f"{ACCOUNTS}:bot-turns:{bot_id}"


def webhook(webhook_id: str) -> str:  # hash: service.models.Webhook
    return f"{ACCOUNTS}:webhook:{webhook_id}"


def owner_webhooks(owner_id: str) -> str:  # sorted set: ids, by text
    return f"{ACCOUNTS}:owner:{owner_id}:webhooks"


def deliveries(webhook_id: str) -> str:  # list: service.models.Delivery as JSON, the newest first
    return f"{ACCOUNTS}:webhook:{webhook_id}:deliveries"


def hushed(webhook_id: str) -> str:  # string, expires: it has just kept us waiting in vain
    return f"{ACCOUNTS}:webhook:{webhook_id}:hushed"


def delivered(webhook_id: str) -> str:  # sorted set: letter -> when it was delivered, ms
    return f"{ACCOUNTS}:webhook:{webhook_id}:delivered"


def turn_totals() -> str:  # hash: turns, charged_us, fault:<reason>; over all bots, for operators
    return f"{ACCOUNTS}:turn-totals"


def bot_faults(bot_id: str) -> str:  # hash: reason -> how often, and last_seen_at
    return f"{ACCOUNTS}:bot-faults:{bot_id}"


def once(slot: str, owner_id: str, key_digest: str) -> str:  # hash: payload, answer; expires
    return f"{slot}:once:{owner_id}:{key_digest}"


# --- a ladder


def match(match_id: str) -> str:  # hash: doc and what changes
    return _at_home(match_id, "match")


def match_prefix(ladder: str) -> str:
    return f"{tag(ladder)}:match:"


def events(match_id: str) -> str:  # stream: <n>-0 {e: JSON}
    return _at_home(match_id, "events")


def record(match_id: str) -> str:  # string: compressed events of a finished match
    return _at_home(match_id, "record")


def live(subject_id: str) -> str:  # channel: news of a match or a tournament
    return _at_home(subject_id, "live")


def matches(ladder: str) -> str:  # sorted set: ids, by text
    return f"{tag(ladder)}:matches"


def bot_matches(ladder: str, bot_id: str) -> str:  # sorted set: ids, by text
    return f"{tag(ladder)}:bot-matches:{bot_id}"


def queued(ladder: str) -> str:  # sorted set: ids, by text
    return f"{tag(ladder)}:queued"


def leases(ladder: str) -> str:  # sorted set: id -> end of its lease, ms
    return f"{tag(ladder)}:leases"


def held(ladder: str) -> str:  # sorted set: ids, by text
    return f"{tag(ladder)}:held"


def unfolded(ladder: str) -> str:  # set: finished matches whose events are still a stream
    return f"{tag(ladder)}:unfolded"


def epoch(ladder: str) -> str:  # string: changed when the data may have lost something
    return f"{tag(ladder)}:epoch"


def ledger(ladder: str) -> str:  # stream: <n>-0 {e: JSON, h: chain}
    return f"{tag(ladder)}:ledger"


def mailbox(ladder: str, bot_id: str) -> str:  # sorted set: places with a message -> when it was ready, µs
    return f"{tag(ladder)}:mail:{bot_id}"


def mail_place_prefix(ladder: str, bot_id: str) -> str:  # hash: the last message to a seat, and its reply
    return f"{tag(ladder)}:mail:{bot_id}:"


def replies(match_id: str) -> str:  # channel: replies in a match
    return _at_home(match_id, "replies")


def retention(ladder: str) -> str:  # hash: what was deleted up to which match
    return f"{tag(ladder)}:retention"


def generation(ladder: str) -> str:  # string: which generation of folded keys counts
    return f"{tag(ladder)}:generation"


def generations(ladder: str) -> str:  # sorted set: generation -> when it was begun, ms
    return f"{tag(ladder)}:generations"


def last_generation(ladder: str) -> str:  # string: the number given out last
    return f"{tag(ladder)}:last-generation"


def folding(ladder: str) -> str:  # string, expires: finishes wait for a swap
    return f"{tag(ladder)}:folding"


def rating(ladder: str, gen: str, bot_id: str) -> str:  # hash: a line for each version, and the current one
    return f"{tag(ladder)}:g{gen}:rating:{bot_id}"


def table(ladder: str, gen: str) -> str:  # sorted set: bot -> milli-points
    return f"{tag(ladder)}:g{gen}:table"


def history(ladder: str, gen: str, bot_id: str) -> str:  # list: one line a rated match
    return f"{tag(ladder)}:g{gen}:history:{bot_id}"


def fitting(ladder: str) -> str:  # string, expires: somebody is fitting the ladder
    return f"{tag(ladder)}:fitting"


def fit_report(ladder: str) -> str:  # string: JSON of service.store.fits.FitReport
    return f"{tag(ladder)}:fit-report"


def fit_generation(ladder: str) -> str:  # string: which lines and covariances count
    return f"{tag(ladder)}:fit-generation"


def fit_lines(ladder: str, gen: str) -> str:  # hash: "<bot> <version>" -> JSON
    return f"{tag(ladder)}:fit-lines:{gen}"


def fit_covariances(ladder: str, gen: str) -> str:  # string: floats
    return f"{tag(ladder)}:fit-covariances:{gen}"


def outbox(ladder: str) -> str:  # sorted set: id -> due, ms
    return f"{tag(ladder)}:outbox"


def outbox_items(ladder: str) -> str:  # hash: id -> JSON
    return f"{tag(ladder)}:outbox-items"


def outbox_tries(ladder: str) -> str:  # hash: id -> how often it was taken
    return f"{tag(ladder)}:outbox-tries"


def tournament(tournament_id: str) -> str:  # hash: service.models.Tournament
    return _at_home(tournament_id, "tournament")


def tournaments(ladder: str) -> str:  # sorted set: ids, by text
    return f"{tag(ladder)}:tournaments"


def entrants(tournament_id: str) -> str:  # hash: bot -> JSON
    return _at_home(tournament_id, "entrants")


def games(tournament_id: str) -> str:  # hash: pairing -> match
    return _at_home(tournament_id, "games")


def tournament_matches(tournament_id: str) -> str:  # sorted set: ids, by text
    return _at_home(tournament_id, "tournament-matches")


def results(tournament_id: str) -> str:  # string: service.tournaments.results records, by pairing
    return _at_home(tournament_id, "results")


def made(tournament_id: str) -> str:  # bitmap: pairings that have their match
    return _at_home(tournament_id, "made")


def replays(tournament_id: str) -> str:  # set: pairings whose match was voided
    return _at_home(tournament_id, "replays")


def open_games(tournament_id: str) -> str:  # hash: pairing -> match, of those without a result
    return _at_home(tournament_id, "open-games")


def lengths(tournament_id: str) -> str:  # hash: "<entrant>:games" and "<entrant>:ms", how long they took
    return _at_home(tournament_id, "lengths")


def absent(tournament_id: str) -> str:  # hash: entrant -> since when its bot cannot play, ms
    return _at_home(tournament_id, "absent")


def feed(tournament_id: str) -> str:  # stream: what happened in a tournament, capped
    return _at_home(tournament_id, "feed")


# --- capacity


def waiting() -> str:  # hash: match -> its share and bots
    return f"{CAPACITY}:waiting"


def startable() -> str:  # sorted set: match -> turn
    return f"{CAPACITY}:startable"


def reserved() -> str:  # hash: match -> its share and bots
    return f"{CAPACITY}:reserved"


def hinted() -> str:  # sorted set: match -> when a worker was told, ms
    return f"{CAPACITY}:hinted"


def rooms() -> str:  # hash: bot -> how many matches it may play at once
    return f"{CAPACITY}:rooms"


def busy(bot_id: str) -> str:  # set: matches that take one of its places
    return f"{CAPACITY}:busy:{bot_id}"


def visits() -> str:  # hash: examination -> "<bot> <places>"
    return f"{CAPACITY}:visits"


def parked(blocker: str) -> str:  # sorted set: matches that wait for this bot (or share) -> turn
    return f"{CAPACITY}:parked:{blocker}"


def woken() -> str:  # set: bots whose parked matches are to be looked at
    return f"{CAPACITY}:woken"


def shares() -> str:  # hash: owner -> "<share> <its last turn> ..."
    return f"{CAPACITY}:shares"


def stopped() -> str:  # set: shares that may not start, and "*" for all
    return f"{CAPACITY}:stopped"


def dispatch_turn() -> str:  # string: the turn that was served last
    return f"{CAPACITY}:turn"


def contests() -> str:  # hash: bot -> running tournaments that it takes part in
    return f"{CAPACITY}:contests"


def stirred() -> str:  # sorted set: tournament -> when to look at it, ms
    return f"{CAPACITY}:stirred"


def workers() -> str:  # sorted set: worker -> last beat, ms
    return f"{CAPACITY}:workers"


def places() -> str:  # hash: worker -> how many matches it plays at once
    return f"{CAPACITY}:places"


def draining() -> str:  # set: workers that take no more matches
    return f"{CAPACITY}:draining"


def worker_notes() -> str:  # hash: worker -> JSON
    return f"{CAPACITY}:worker-notes"


def desk() -> str:  # hash: when the API last said that it is there, and since when it has been
    return f"{CAPACITY}:desk"


def matchmaking() -> str:  # hash: why and by whom everything was stopped
    return f"{CAPACITY}:matchmaking"


def quota(kind: str, owner_id: str) -> str:  # set: what counts against an owner's quota
    return f"{CAPACITY}:quota:{kind}:{owner_id}"


def quotas() -> str:  # set: "<kind>:<owner>" of all that are not empty
    return f"{CAPACITY}:quotas"


def today(kind: str, subject: str, day: int) -> str:  # set: matches of one UTC day; expires
    return f"{CAPACITY}:today:{kind}:{subject}:{day}"


def due() -> str:  # sorted set: [kind, payload] -> ms
    return f"{CAPACITY}:due"
