//! What the service says about itself, and that all of it is so.

mod documents;
mod never_built;
mod resources;
mod walk;
