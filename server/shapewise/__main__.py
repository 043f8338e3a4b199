"""`python -m shapewise`."""

from .cli import main

main()
