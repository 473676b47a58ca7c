"""One file per dialect: wire to the vocabulary of calls, and history back to the wire."""
