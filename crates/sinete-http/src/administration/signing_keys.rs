//! `/manage/keys`: signing keys and their rotation.

pub(crate) mod handlers;
