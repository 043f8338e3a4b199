"""As much of IPython as a recorded notebook needs."""


def display(*objects):
    pass


def HTML(text):
    return text
