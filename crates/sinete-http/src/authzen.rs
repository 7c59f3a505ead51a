//! Fine-grained authorization: the AuthZEN API and the management of relationships.

pub(crate) mod evaluation;
pub(crate) mod relationships;
pub(crate) mod search;
