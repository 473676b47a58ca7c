"""One file per dialect: a provider's wire to the vocabulary of calls, and history back to the wire."""
