//! What every capability stands on: keys, delivery, outbound requests, idempotency, rate limits.

pub mod dev_mailbox;
pub mod landing;
pub mod not_found;
pub mod server_error;
pub mod unavailable;
