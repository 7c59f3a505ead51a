//! What bounds what a node keeps in memory.

use crate::time::Lifetime;

/// Most clients whose description is kept in memory.
pub const CLIENTS_CACHED_MAX: usize = 10_000;
/// Most organizations of which is kept in memory what APIs offer them.
pub const API_OFFERS_CACHED_MAX: usize = 1_000;
/// Most requests of services for tokens of their own of which is kept in memory what was decided.
pub const CLIENT_CREDENTIALS_CACHED_MAX: usize = 5_000;
/// Most codes of which is kept in memory what was read when they were given out, until they are redeemed.
pub const AUTHORIZATION_CODES_CACHED_MAX: usize = 1_000;
/// Most bytes of what the token request for such a code is held against.
pub const CACHED_CODE_BYTES_MAX: usize = 2 * 1024;
/// Most refresh tokens of which is kept in memory what was read for a renewal.
pub const REFRESH_TOKENS_CACHED_MAX: usize = 5_000;
/// How long that is kept, however often they are renewed meanwhile.
pub const REFRESH_TOKEN_CACHE_LIFETIME: Lifetime = Lifetime::from_minutes(60);
/// Most permissions named by the roles of whoever gave such a code or refresh token.
pub const CACHED_PERMISSIONS_MAX: usize = 100;
/// Most access tokens of which is kept in memory that their signature is right.
pub const VERIFIED_JWTS_CACHED_MAX: usize = 5_000;
/// Longest access token of which that is kept.
pub const CACHED_JWT_BYTES_MAX: usize = 2 * 1024;
