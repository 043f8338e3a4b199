"""The files around the one that is traced: where an import leads, found without importing anything."""
