"""shapewise: what every tensor of a PyTorch file is, shown while it is written.

Kept free of imports: the tracer loads this package under the user's interpreter, where only the
standard library and torch are promised.
"""

__version__ = "0.1.0"
