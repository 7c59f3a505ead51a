//! The hosted screens: a view and a language in, a page out.
//!
//! Nothing here knows HTTP, the engine or a database. Every text is escaped by the template engine, no
//! page carries a script or an inline style, and links are paths below the configured base address.

pub mod assets;
pub mod language;
pub mod words;

#[cfg(test)]
mod contrast;
mod page;

pub mod landing;
pub mod not_found;
pub mod server_error;
pub mod unavailable;
