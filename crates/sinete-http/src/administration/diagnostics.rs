//! The checks of `sinete doctor`, for operators.

pub(crate) mod handlers;
