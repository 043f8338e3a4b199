from .sac import SACAgent
