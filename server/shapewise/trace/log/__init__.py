"""The event log: live values in the words of the vocabulary."""
