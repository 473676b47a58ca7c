"""Tables of figures: ``python -m tests.bench [name ...]``. Not run by the tests."""
