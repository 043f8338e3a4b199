"""The runs put together, in the words of the code."""
