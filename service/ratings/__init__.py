"""Ratings by maximum likelihood: what online Elo estimates, with intervals and whatever the order.

`fit.fit` turns results into `Pool`s; `sprt.Sprt` tests one version against another. Pure functions over
numpy.
"""
