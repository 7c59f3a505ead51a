//! Endpoints of the instance itself: health, metrics, message delivery.

pub(crate) mod dev_mailbox;
pub(crate) mod health;
pub(crate) mod messages;
pub(crate) mod metrics;
