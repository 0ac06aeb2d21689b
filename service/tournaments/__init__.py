"""Tournaments as pure functions: schedules, standings and the life of a tournament. No I/O, no clock.

Entrants are numbered from 0 in the order of entry. A format turns their number, the options, a seed and the
results so far into a `Schedule`, an indexable sequence of games; `formats.FORMATS` names the formats.
"""
