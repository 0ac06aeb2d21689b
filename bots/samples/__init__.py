"""Bots to play against and to learn from, each in one file."""
