"""Connects clients of other people to a running Sinete and says what came of it. Uses nothing but the standard library."""
