//! Outbound connections: HTTP, DNS, SMTP and SMS, the archive of the security log, and lookup
//! files.

pub mod archive_folder;
pub mod breached_password_file;
pub mod breached_password_service;
pub mod dns;
pub mod geoip_file;
pub mod http_client;
pub mod limiter;
pub mod message_carriers;
mod public_address;
pub mod s3;
pub mod sms;
pub mod smtp;
