"""Plots that nobody sees."""


class Anything:
    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __iter__(self):
        return iter((self, self))


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything()
