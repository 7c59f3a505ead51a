//! Benchmarks that compare Sinete with a *baseline* ("floor"): the same HTTP stack, signatures and disk with
//! only the unavoidable work. Results of one machine say little about another; the ratio to a baseline
//! measured in the same minute and the CPU time per request say a lot.
//!
//! These are not tests: a result never fails a build. All runs are bounded in time and use loopback only.

pub mod failed;
pub mod process;
pub mod statistics;
pub mod stopwatch;

pub mod floor;
pub mod load;

pub mod console_instance;
pub mod console_pages;
pub mod machine;
pub mod management_api;
pub mod many_people;
pub mod measure_console;
pub mod measure_flood;
pub mod measure_http;
pub mod measure_postgres;
pub mod measure_size;
pub mod measure_start;
pub mod measure_store;
pub mod measure_tokens;
pub mod postgres_usage;
pub mod reliability;
pub mod report;
pub mod server;
pub mod settings;
pub mod sign_in;
pub mod store_floor;
pub mod store_worker;
pub mod throwaway;
pub mod token_instance;
