"""The REST API: a module per resource; each view validates, calls the store, returns."""
