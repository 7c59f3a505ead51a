//! Relationships, models and AuthZEN evaluation.

pub mod evaluation;
mod orphaned_relationships;
pub mod relationships;
pub mod search;
