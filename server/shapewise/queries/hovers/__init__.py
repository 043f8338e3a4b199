"""What a hover tells of an op, one concept a file. Each is asked of one run of one place, and may say nothing."""
