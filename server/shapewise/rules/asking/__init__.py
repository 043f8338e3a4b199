"""What several rules ask of a file, beside the queries to the log."""
