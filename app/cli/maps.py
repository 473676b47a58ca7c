"""``formwork check`` and ``formwork map draft``: field maps for people who write them."""
