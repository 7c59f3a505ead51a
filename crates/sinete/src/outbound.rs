//! What this program sends out into the world by itself.

pub mod carriers;
pub mod places;
mod public_address;
pub mod sms;
pub mod smtp;
pub mod web;
