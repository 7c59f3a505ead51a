//! What the service says about itself, and that all of it is so.

mod documents;
mod resources;
mod walk;
