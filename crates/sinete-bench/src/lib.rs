//! Measures Sinete beside a *floor*: the same HTTP stack, signatures and disk with only the work that cannot
//! be avoided. Figures of one machine say little about another; the ratio to a floor measured in the same
//! minute, and the processor time per request, say a lot.
//!
//! Nothing here is a test: a figure never makes a build fail. Everything is bounded in time and stays on
//! loopback.

pub mod failed;
pub mod process;
pub mod statistics;
pub mod stopwatch;

pub mod floor;
pub mod load;

pub mod machine;
pub mod many_people;
pub mod measure_flood;
pub mod measure_http;
pub mod measure_size;
pub mod measure_start;
pub mod measure_store;
pub mod measure_tokens;
pub mod report;
pub mod server;
pub mod settings;
pub mod sign_in;
pub mod store_floor;
pub mod store_worker;
pub mod throwaway;
pub mod token_instance;
