//! What our tokens say.

pub mod access;
pub mod actor;
pub mod jti;
