"""Complete bots to begin from; `arbiter bot new` copies one."""
