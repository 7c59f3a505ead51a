//! AuthZEN: relationships, models, evaluation and search.

pub mod evaluation;
mod orphaned_relationships;
pub mod relationships;
pub mod search;
