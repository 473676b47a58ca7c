"""What a call is, and what may run. Standard library only, no I/O."""
