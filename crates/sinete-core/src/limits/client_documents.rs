//! Limits of client ids and of Client ID Metadata Documents.

use crate::time::Lifetime;

/// Maximum characters in a chosen client id.
pub const CLIENT_ID_CHARACTERS_MAX: usize = 100;
/// Maximum bytes in a client id that is the URL of a metadata document.
pub const CLIENT_DOCUMENT_URL_BYTES_MAX: usize = 512;
/// Maximum bytes in a client metadata document.
pub const CLIENT_DOCUMENT_BYTES_MAX: usize = 20 * 1024;
/// Minimum time for which a document is used, whatever its headers state.
pub const CLIENT_DOCUMENT_AGE_MIN: Lifetime = Lifetime::from_minutes(1);
/// How long a document is used without caching headers.
pub const CLIENT_DOCUMENT_AGE_DEFAULT: Lifetime = Lifetime::from_minutes(10);
/// Maximum time for which a document is used.
pub const CLIENT_DOCUMENT_AGE_MAX: Lifetime = Lifetime::from_hours(24);
/// How long a document that could not be used is not fetched again.
pub const CLIENT_DOCUMENT_RETRY_AFTER: Lifetime = Lifetime::from_minutes(1);
/// Maximum hosts in an allow-list.
pub const CLIENT_DOCUMENT_HOSTS_MAX: usize = 100;
/// Maximum documents that one node caches.
pub const CLIENT_DOCUMENTS_CACHED_MAX: usize = 1_000;
/// Maximum fetches in a minute that one network address can cause.
pub const CLIENT_DOCUMENT_FETCHES_PER_ADDRESS_MAX: u32 = 30;
/// Maximum fetches in a minute from one host.
pub const CLIENT_DOCUMENT_FETCHES_PER_HOST_MAX: u32 = 60;
