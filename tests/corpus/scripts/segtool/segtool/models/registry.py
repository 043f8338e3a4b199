_REGISTRY = {}


def register(name):
    def wrap(cls):
        _REGISTRY[name] = cls
        return cls
    return wrap


def build_model(name, **kwargs):
    if name not in _REGISTRY:
        raise ValueError(f"unknown architecture {name}; known: {sorted(_REGISTRY)}")
    return _REGISTRY[name](**kwargs)
