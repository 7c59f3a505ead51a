//! Impersonation of a member by an operator with an assignment.

pub(crate) mod handlers;
