"""The language server: one thin file per request of the editor."""
