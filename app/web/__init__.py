"""Pages, fragments and streams: the only room that knows HTTP and HTML."""
