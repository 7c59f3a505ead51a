//! Sign-in: the authentication flow API and links in messages.

#[cfg(feature = "screens")]
pub(crate) mod flow_pages;
pub(crate) mod flows;
pub(crate) mod long_lived_access;
pub(crate) mod magic_links;
pub(crate) mod report_sign_in;
