"""JSON Schemas (2020-12) of what goes over the wire; data files, published as they are."""
