"""Sizes as rows of numbers, one a run (a world, a call, made-up inputs), and the words that the code has for them."""
