"""The schema's history, run by ``app.records.migrate`` alone."""
