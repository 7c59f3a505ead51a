//! The HTTP envelope: one table of routes, limits and headers.
