"""The store. The only room that knows SQL."""
