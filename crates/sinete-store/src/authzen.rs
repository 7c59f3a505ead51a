//! Relationships, models and AuthZEN evaluation.

pub mod evaluation;
pub mod model;
pub mod orphaned_relationships;
pub mod relationships;
pub mod search;
