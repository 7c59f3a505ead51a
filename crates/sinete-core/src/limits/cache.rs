//! Limits of in-memory caches.

use crate::time::Lifetime;

/// Maximum cached clients.
pub const CLIENTS_CACHED_MAX: usize = 10_000;
/// Maximum organizations with a cached API catalog.
pub const API_CATALOGS_CACHED_MAX: usize = 1_000;
/// Maximum cached client credentials requests.
pub const CLIENT_CREDENTIALS_CACHED_MAX: usize = 5_000;
/// Maximum cached authorization codes.
pub const AUTHORIZATION_CODES_CACHED_MAX: usize = 1_000;
/// Maximum bytes of the cached parameters of one authorization code.
pub const CACHED_CODE_BYTES_MAX: usize = 2 * 1024;
/// Maximum cached refresh tokens.
pub const REFRESH_TOKENS_CACHED_MAX: usize = 5_000;
/// Maximum age of a cached refresh token, however often it is rotated.
pub const REFRESH_TOKEN_CACHE_LIFETIME: Lifetime = Lifetime::from_minutes(60);
/// Maximum permissions in the roles of a cached grant's subject; a grant with more is not cached.
pub const CACHED_PERMISSIONS_MAX: usize = 100;
/// Maximum access tokens with a cached signature verification.
pub const VERIFIED_JWTS_CACHED_MAX: usize = 5_000;
/// Maximum length of such an access token, in bytes.
pub const CACHED_JWT_BYTES_MAX: usize = 2 * 1024;
