"""A module for each kind of page."""
