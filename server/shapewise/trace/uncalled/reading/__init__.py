"""What the text of a function says of its parameters."""
