"""The way to inputs that work: what a refusal asks for, and what of it need not be."""
