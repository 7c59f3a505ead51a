//! SCIM: the requests that Okta and Entra ID really send, and invalid ones.

mod bulk;
mod groups;
mod limits;
mod lists;
mod membership_claims;
mod tenant_isolation;
mod users;
