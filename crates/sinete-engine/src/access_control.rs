//! Who may do what: callers, permissions, administrative scope.

pub mod admin_scope;
pub mod caller;
pub mod instance_admin;
pub mod organization_access;
