//! `/account/requests`: CIBA and device requests that wait for the account holder.

pub(crate) mod handlers;
