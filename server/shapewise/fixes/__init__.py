"""Repairs: how a rule writes an edit, how edits are applied, and whether a fix holds."""
