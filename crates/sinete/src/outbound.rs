//! Outbound connections: HTTP, DNS, SMTP and SMS, and lookup files.

pub mod breached_password_file;
pub mod breached_password_service;
pub mod dns;
pub mod geoip_file;
pub mod http_client;
pub mod limiter;
pub mod message_carriers;
mod public_address;
pub mod sms;
pub mod smtp;
