"""Pages, fragments and streams. The only room that knows HTTP and HTML."""
