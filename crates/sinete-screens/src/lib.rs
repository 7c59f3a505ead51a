//! The hosted screens: a view and a frame in, a page out.
//!
//! Nothing here knows HTTP, the engine or a database, and no page decides anything: each form names the
//! action it asks for, and what comes of it is the flow engine's business. Every text is escaped by the
//! template engine, no page carries an inline script or an inline style, and links are paths below the
//! configured base address. Whatever a page does works without JavaScript, passkeys excepted.

pub mod assets;
pub mod brand;
pub mod colour;
pub mod language;
pub mod moment;
pub mod words;

#[cfg(test)]
mod contrast;

pub mod form;
pub mod page;
pub mod to_provider;
pub mod trouble;
pub mod way;

pub mod access;
pub mod authorization_error;
pub mod choose_organization;
pub mod confirm;
pub mod consent;
pub mod console;
pub mod dev_mail;
pub mod enrol_totp;
pub mod enter_code;
pub mod landing;
pub mod my_account;
pub mod not_found;
pub mod notice;
pub mod offer_passkey;
pub mod onward;
pub mod recovery_codes;
pub mod reset_password;
pub mod second_factor;
pub mod server_error;
pub mod set_password;
pub mod sign_in;
pub mod sign_in_by_phone;
pub mod sign_up;
pub mod step_up;
pub mod unavailable;
pub mod user_code;

#[cfg(feature = "specimens")]
pub mod specimens;
