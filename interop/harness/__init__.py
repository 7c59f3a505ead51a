"""Runs third-party clients against a Sinete instance and reports the results. Uses only the standard library."""
