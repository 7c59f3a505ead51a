//! `/healthz` and `/readyz`.

pub(crate) mod handlers;
