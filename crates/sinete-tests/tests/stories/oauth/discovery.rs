//! The discovery documents, and that they are true.

mod advertised;
mod documents;
mod protected_resources;
mod unsupported;
