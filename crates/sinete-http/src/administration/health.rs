//! The health of the instance, for operators.

pub(crate) mod handlers;
