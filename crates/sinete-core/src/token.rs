//! What our tokens say.

pub mod access;
pub mod actor;
pub mod claim;
pub mod confirmation;
pub mod id_token;
pub mod jti;
pub mod key_proof;
pub mod userinfo;
