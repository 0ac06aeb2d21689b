"""Proofs by harm: what is done to a service, and what must be so afterwards. Tests cite them by row.

row  what is done                                                 by
1    turns on an idle machine are timed                           clock
2    many matches at once beside a busy machine                   clock
3    the referee is stopped in mid-turn                           clock
4    workers are killed, again and again                          workers
5    Redis is killed under load                                   store_kill, redis_away
6    the end of the append-only file is cut off                   store_aof
7    every message comes five times                               workers, store_duplicates
8    a worker is frozen beyond its lease and woken                workers, store_zombies
9    URLs and names that lead to this machine                     tests/workers/bot_client/test_address.py
10   hostile bots                                                 bots
11   the wall clock is set                                        clock
12   requests made from the API's description                     api
13   the API beside a model                                       api
14   Idempotency-Keys race                                        api, store_idempotency
15   matches are replayed                                         replays
16   Redis is paused, away, full                                  redis_away, store_away
17   the broker is emptied                                        workers
18   ten minutes of load                                          soak
19   the coordinator is killed in every round                     coordinator
20   safeguards are taken out                                     teeth

Beside these, tests/service/store/test_model.py has the store against a plain model (-m long: 1 000 runs).
"""
