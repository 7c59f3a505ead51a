//! Rules for each kind of credential.

pub mod breached_password;
pub mod enrollment;
pub mod password;
