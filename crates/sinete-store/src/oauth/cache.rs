//! Caches of the token endpoints. Each says what it holds, what confirms it and what drops it.

pub mod api_catalog;
