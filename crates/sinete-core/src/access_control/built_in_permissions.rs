//! The built-in permissions, by name. Code that requires a permission names it here, so that a misspelled one does not
//! compile.

/// See the organization.
pub const READ_ORGANIZATION: &str = "organization:read";
/// Change the organization's settings.
pub const UPDATE_ORGANIZATION: &str = "organization:update";
/// Delete the organization, which an admin may not do.
pub const DELETE_ORGANIZATION: &str = "organization:delete";
/// See the members.
pub const READ_MEMBERS: &str = "members:read";
/// Invite, change and remove members.
pub const MANAGE_MEMBERS: &str = "members:manage";
/// See the roles.
pub const READ_ROLES: &str = "roles:read";
/// Create and change roles.
pub const MANAGE_ROLES: &str = "roles:manage";
/// See the applications.
pub const READ_CLIENTS: &str = "clients:read";
/// Add applications.
pub const CREATE_CLIENTS: &str = "clients:create";
/// Change and remove applications.
pub const MANAGE_CLIENTS: &str = "clients:manage";
/// Manage agents and stop them.
pub const MANAGE_AGENTS: &str = "agents:manage";
/// See the APIs.
pub const READ_APIS: &str = "apis:read";
/// Add and change APIs.
pub const MANAGE_APIS: &str = "apis:manage";
/// Add and remove relationships at APIs.
pub const RELATE_APIS: &str = "apis:relate";
/// Issue and revoke API keys.
pub const MANAGE_API_KEYS: &str = "api_keys:manage";
/// Read the audit log.
pub const READ_AUDIT: &str = "audit:read";
/// Manage webhooks.
pub const MANAGE_WEBHOOKS: &str = "webhooks:manage";
/// Manage single sign-on.
pub const MANAGE_SSO: &str = "sso:manage";
/// Manage domains.
pub const MANAGE_DOMAINS: &str = "domains:manage";
/// Provision members from a directory.
pub const PROVISION_SCIM: &str = "scim:provision";
/// See the instance.
pub const READ_INSTANCE: &str = "instance:read";
/// Operate the instance.
pub const OPERATE_INSTANCE: &str = "instance:operate";
/// Add and remove relationships at the instance's APIs.
pub const RELATE_INSTANCE: &str = "instance:relate";
/// Find, disable and restore accounts.
pub const MANAGE_ACCOUNTS: &str = "accounts:manage";
/// Verify applications.
pub const VERIFY_CLIENTS: &str = "clients:verify";
/// Rotate signing keys.
pub const ROTATE_KEYS: &str = "keys:rotate";
/// Create organizations.
pub const CREATE_ORGANIZATIONS: &str = "organizations:create";
/// Act in an organization without being a member. Granted only by an assignment, never by a role.
pub const ADMINISTER_ORGANIZATIONS: &str = "organizations:administer";
/// Act as another user. Granted only by an assignment, never by a role.
pub const IMPERSONATE_ACCOUNTS: &str = "accounts:impersonate";
