//! What this program sends out into the world by itself.

pub mod breached_file;
pub mod breached_service;
pub mod carriers;
pub mod dns;
pub mod gate;
pub mod places;
mod public_address;
pub mod sms;
pub mod smtp;
pub mod web;
