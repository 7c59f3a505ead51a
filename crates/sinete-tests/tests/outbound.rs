//! Outbound HTTP and DNS requests of the server, against real servers on this machine.

mod concurrency;
mod dns;
mod documents;
mod refused_requests;
mod requests;
pub mod scripted_server;
