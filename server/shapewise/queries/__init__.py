"""Questions to one log. Pure functions of frozen data: no torch, no editor."""
