//! What the service does, told over HTTP, on both engines.

mod abuse;
mod account;
mod alerts;
mod authorize;
mod bootstrap;
mod branding;
mod client_libraries;
mod credentials;
mod delivery;
mod discovery;
mod faults;
mod flows;
mod fuzz;
mod health;
mod impersonation;
mod import;
mod keys;
mod letters;
mod manage;
mod personal_data;
mod registration;
mod screens;
mod security_log;
mod token;
mod tokens_in_use;
mod webhooks;
