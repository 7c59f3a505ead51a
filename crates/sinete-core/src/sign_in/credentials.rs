//! The rules of each credential, as far as they are rules.

pub mod breached_password;
pub mod enrollment;
pub mod password;
