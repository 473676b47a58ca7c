"""The event log that viewers follow, resumable by position."""
