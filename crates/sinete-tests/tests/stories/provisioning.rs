//! Directories that provision: in the shapes that Okta and Entra ID really send, and in those that nobody should.

mod bounds;
mod bulk;
mod claiming;
mod groups;
mod lists;
mod tenants;
mod users;
