//! `/account/contacts`: e-mail addresses and telephone numbers.

pub(crate) mod handlers;
