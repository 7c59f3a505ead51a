//! `/account/access`: what keeps access to an account when its sessions end.

pub(crate) mod handlers;
