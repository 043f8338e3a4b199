"""Edits of a text that leave alone what they do not mean: made for expressions, calls and statements, and applied."""
