//! What bounds requests of directories.

use crate::time::Lifetime;

/// Most bytes in the body of a request that provisions.
pub const SCIM_BYTES_MAX: usize = 256 * 1024;
/// Most bytes in the body of many such requests at once.
pub const SCIM_BULK_BYTES_MAX: usize = 1024 * 1024;
/// Most requests at once.
pub const SCIM_BULK_OPERATIONS_MAX: usize = 1_000;
/// How long requests that came at once are worked on before the rest is left for later.
pub const SCIM_BULK_WORK_MAX: Lifetime = Lifetime::from_seconds(8);
/// How often one credential may provision in a minute.
pub const SCIM_REQUESTS_PER_MINUTE_MAX: u32 = 1_000;
/// Most bytes in a filter.
pub const SCIM_FILTER_BYTES_MAX: usize = 4096;
/// Most parentheses and brackets inside each other in a filter.
pub const SCIM_FILTER_DEPTH_MAX: usize = 20;
/// Most conditions in a filter.
pub const SCIM_FILTER_CONDITIONS_MAX: usize = 100;
/// Most changes in a patch.
pub const SCIM_PATCH_OPERATIONS_MAX: usize = 1_000;
/// Most values of an attribute that has many.
pub const SCIM_VALUES_MAX: usize = 20;
/// Most members of a group that are named in one request.
pub const SCIM_MEMBERS_SENT_MAX: usize = 5_000;
/// Most members of a group that one request lets in or out.
pub const SCIM_MEMBERS_CHANGED_MAX: usize = 1_000;
/// How many things a page of a list shows where nobody says how many.
pub const SCIM_PAGE_DEFAULT: u64 = 100;
/// How many things a page of a list shows at most.
pub const SCIM_PAGE_MAX: u64 = 200;
/// How many users are looked through for a condition or an order that no index serves.
pub const SCIM_SCANNED_USERS_MAX: u64 = 10_000;
