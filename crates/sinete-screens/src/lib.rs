//! The hosted screens: a view and a frame in, a page out.
//!
//! Nothing here knows HTTP, the engine or a database, and no page decides anything: each form names the
//! action it asks for, and what comes of it is the flow engine's business. Every text is escaped by the
//! template engine, no page carries an inline script or an inline style, and links are paths below the
//! configured base address. Whatever a page does works without JavaScript, passkeys excepted.

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
pub mod lasting_access;
pub mod locales;
pub mod notice;
pub mod oauth;
pub mod page;
pub mod platform;
#[cfg(feature = "specimens")]
pub mod previews;
pub mod sign_in;
pub mod sign_in_method;

#[cfg(test)]
mod contrast;
