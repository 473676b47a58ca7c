"""What may be shown of a call. No I/O."""
