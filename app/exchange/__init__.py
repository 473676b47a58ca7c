"""Runs an exchange: stream, gate, dispatch, next turn, and every way it can end."""
