//! Rate limits, outbound requests, faults and fuzzing.

pub(in crate::stories) mod api_concurrency;
pub(crate) mod api_conventions;
pub(in crate::stories) mod api_explorer;
pub(in crate::stories) mod database_faults;
pub(in crate::stories) mod email_templates;
pub(in crate::stories) mod fuzz;
pub(in crate::stories) mod health;
pub(in crate::stories) mod idempotency;
pub(in crate::stories) mod message_delivery;
pub(in crate::stories) mod openapi;
pub(in crate::stories) mod openapi_generators;
pub(in crate::stories) mod outbound_concurrency;
pub(crate) mod rate_limits;
pub(in crate::stories) mod signing_keys;
pub(in crate::stories) mod transaction_pooling;
