"""What goes in and out of the API, as marshmallow schemas: a module per resource."""
