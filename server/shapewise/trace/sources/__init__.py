"""The texts of a trace: compiled once, found by name, and what an import of them gives."""
