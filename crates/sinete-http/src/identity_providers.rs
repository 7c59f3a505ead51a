//! Identity providers: connections and the callback of an upstream sign-in.

pub(crate) mod callback;
pub(crate) mod connections;
pub(crate) mod setup_links;
