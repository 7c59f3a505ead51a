//! `/account/contacts`: e-mail addresses and phone numbers.

pub(crate) mod handlers;
