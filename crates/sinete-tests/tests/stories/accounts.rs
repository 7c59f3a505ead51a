//! The account API and the account page.

pub(in crate::stories) mod account_api;
pub(in crate::stories) mod account_page_data;
pub(in crate::stories) mod personal_data;
pub(in crate::stories) mod picture;
