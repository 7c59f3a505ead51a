//! Access control: authenticated callers, permissions and administrative scope.

pub mod admin_scope;
pub mod caller;
pub mod instance_admin;
pub mod organization_access;
