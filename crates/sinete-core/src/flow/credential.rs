//! The rules of each credential, as far as they are rules.

pub mod breached;
pub mod enrolling;
pub mod password;
pub mod single_sign_on;
