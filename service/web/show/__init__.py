"""What a game looks like, as data: pieces with places, how they move, and a sentence for each event.

The one place that knows what a move does on a board. Templates draw the pieces, scripts slide them about;
neither knows a rule.
"""
