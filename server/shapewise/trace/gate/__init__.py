"""The gate: what the interpreted program calls, reads, computes and holds goes through here, and torch is asked."""
