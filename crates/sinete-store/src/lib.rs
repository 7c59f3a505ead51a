//! The database: one SQL text, two engines, atomic verbs.
