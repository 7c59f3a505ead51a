//! Directories that provision: in the shapes that Okta and Entra ID really send, and in those that nobody should.

mod bulk;
mod groups;
mod limits;
mod lists;
mod membership_claims;
mod tenant_isolation;
mod users;
