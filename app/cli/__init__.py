"""The command line: ``formwork``, also ``python -m app``."""
