"""The tools an assistant may call: a registry, and one file per shipped tool."""
