//! What this program sends out into the world by itself.

mod public_address;
pub mod web;
