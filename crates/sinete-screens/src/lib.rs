//! The hosted screens: functions from a view and a frame to an HTML page.
//!
//! This crate does not know HTTP, the engine or a database, and pages decide nothing: each form names the
//! action it requests, which the flow engine handles. The template engine escapes every text, no page
//! contains an inline script or style, and links are paths below the configured base URL. All pages work
//! without JavaScript, except passkeys.

pub mod accounts;
pub mod assets;
pub mod branding;
pub mod colour;
pub mod confirmation;
pub mod console;
pub mod display_time;
pub mod form;
pub mod form_error;
pub mod language;
pub mod locales;
pub mod long_lived_access;
pub mod notice;
pub mod oauth;
pub mod page;
pub mod platform;
#[cfg(feature = "previews")]
pub mod previews;
pub mod sample_pages;
pub mod setup_link;
pub mod sign_in;
pub mod sign_in_method;

#[cfg(test)]
mod contrast;
