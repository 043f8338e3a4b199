"""The file as it is written: every call in it, on which object, in which order, in which loop and mode.

The event log says what happened to tensors where the file runs. Most training code is in functions
that the file itself does not call, or behind data that nobody has. Here the text is walked once: names
are followed through imports, assignments, arguments and attributes, functions and classes of the file
through their calls. Rules about protocols ask this course of events; nothing in it needs torch.
"""
