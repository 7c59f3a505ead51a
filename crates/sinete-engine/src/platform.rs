//! Building blocks of all capabilities: signing keys, instance key, e-mail and SMS delivery, idempotency,
//! pagination, background tasks.

pub mod background;
pub mod clock_check;
pub mod dev_mailbox;
pub mod email;
pub mod heartbeat;
pub mod idempotency;
pub mod instance_key;
pub(crate) mod interaction;
pub(crate) mod jwks_uri_cache;
pub(crate) mod outbound_owner;
pub mod outbox;
pub mod pagination;
pub mod signing_keys;
