//! SCIM: the requests that Okta and Entra ID really send, and invalid ones.

mod attributes;
mod bulk;
mod entra_id;
mod groups;
mod limits;
mod lists;
mod membership_claims;
mod okta;
mod tenant_isolation;
mod users;
