//! What the service says about itself, and that all of it is so.

mod advertised;
mod documents;
mod protected_resources;
mod unsupported;
