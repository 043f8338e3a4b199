"""The tracer: interprets a file on fake tensors and writes down what happened.

Runs in a process of its own under the user's interpreter and needs only torch, the standard
library and `shapewise.vocabulary` there. Nothing of the user's file is ever executed: its syntax
tree is walked, and only listed functions are called.
"""
