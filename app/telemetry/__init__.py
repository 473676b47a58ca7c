"""Where traces and metrics go; the only room that knows OpenTelemetry's SDK."""
