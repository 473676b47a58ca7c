"""The developer view: pages, streams and files of its own, for developers alone."""
