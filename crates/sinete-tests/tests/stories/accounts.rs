//! A person's account over real HTTP.

pub(in crate::stories) mod account_api;
pub(in crate::stories) mod personal_data;
