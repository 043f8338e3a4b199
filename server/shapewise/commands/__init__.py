"""What the command line does, one file per command. Each gives the exit code."""
