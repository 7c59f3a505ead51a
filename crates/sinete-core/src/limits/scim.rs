//! Limits of SCIM requests.

use crate::time::Lifetime;

/// Maximum bytes in the body of a SCIM request.
pub const SCIM_BYTES_MAX: usize = 256 * 1024;
/// Maximum bytes in the body of a bulk request.
pub const SCIM_BULK_BYTES_MAX: usize = 1024 * 1024;
/// Maximum operations in a bulk request.
pub const SCIM_BULK_OPERATIONS_MAX: usize = 1_000;
/// Maximum processing time of a bulk request; the remaining operations are left for later.
pub const SCIM_BULK_TIME_MAX: Lifetime = Lifetime::from_seconds(8);
/// Maximum requests per minute with one credential.
pub const SCIM_REQUESTS_PER_MINUTE_MAX: u32 = 1_000;
/// Maximum bytes in a filter.
pub const SCIM_FILTER_BYTES_MAX: usize = 4096;
/// Maximum nesting depth of parentheses and brackets in a filter.
pub const SCIM_FILTER_DEPTH_MAX: usize = 20;
/// Maximum conditions in a filter.
pub const SCIM_FILTER_CONDITIONS_MAX: usize = 100;
/// Maximum operations in a patch.
pub const SCIM_PATCH_OPERATIONS_MAX: usize = 1_000;
/// Maximum values of a multi-valued attribute.
pub const SCIM_VALUES_MAX: usize = 20;
/// Maximum members of a group in one request.
pub const SCIM_MEMBERS_SENT_MAX: usize = 5_000;
/// Maximum members that one request adds to or removes from a group.
pub const SCIM_MEMBERS_CHANGED_MAX: usize = 1_000;
/// Default page size of a list.
pub const SCIM_PAGE_DEFAULT: u64 = 100;
/// Maximum page size of a list.
pub const SCIM_PAGE_MAX: u64 = 200;
/// Maximum users scanned for a filter or sort order without an index.
pub const SCIM_SCANNED_USERS_MAX: u64 = 10_000;
/// Maximum extension schemas that an organization registers.
pub const SCIM_EXTENSION_SCHEMAS_MAX: usize = 8;
/// Maximum bytes in the URN of an extension schema.
pub const SCIM_EXTENSION_SCHEMA_BYTES_MAX: usize = 200;
/// Maximum attributes of a registered extension, and sub-attributes of one of them.
pub const SCIM_EXTENSION_ATTRIBUTES_MAX: usize = 50;
/// Maximum characters in the name of an attribute of a registered extension.
pub const SCIM_ATTRIBUTE_NAME_CHARACTERS_MAX: usize = 100;
/// Maximum ignored attributes that an event lists.
pub const SCIM_IGNORED_ATTRIBUTES_MAX: usize = 20;
/// Maximum failed SCIM requests that are kept of an organization.
pub const SCIM_FAILURES_RETAINED_MAX: u32 = 100;
/// Maximum failed SCIM requests of all organizations that a node keeps in memory until it writes them.
pub const SCIM_FAILURES_BUFFERED_MAX: usize = 1_000;
/// Maximum organizations whose SCIM requests a node keeps in memory until it writes them.
pub const SCIM_ORGANIZATIONS_BUFFERED_MAX: usize = 10_000;
/// How long a node waits before it writes SCIM requests.
pub const SCIM_REQUESTS_WRITE_DELAY: Lifetime = Lifetime::from_seconds(5);
/// Maximum characters that are kept of the path, of the error and of the `externalId` of a SCIM request.
pub const SCIM_REQUEST_TEXT_CHARACTERS_MAX: usize = 300;
/// How long the last SCIM requests are kept.
pub const SCIM_REQUEST_RETENTION: Lifetime = Lifetime::from_days(30);
/// Maximum provisioned users that the console counts.
pub const SCIM_USERS_COUNTED_MAX: u32 = 10_000;
