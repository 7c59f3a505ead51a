//! Pages that belong to no capability: landing page, API explorer, errors, development mailbox.

pub mod api_explorer;
pub mod dev_mailbox;
pub mod landing;
pub mod not_found;
pub mod server_error;
pub mod unavailable;
