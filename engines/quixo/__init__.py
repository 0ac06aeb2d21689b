"""Quixo for two players and for two teams of two (rules Q1–Q17)."""
