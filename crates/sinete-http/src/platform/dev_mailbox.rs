//! `/dev/mail`: the mailbox of a development instance.

pub(crate) mod handlers;
pub(crate) mod routes;
