//! End-to-end tests over real HTTP on SQLite and PostgreSQL, with concurrency and fault tests, and the repository
//! checks.
