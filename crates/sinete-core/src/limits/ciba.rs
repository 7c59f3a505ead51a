//! Limits of CIBA requests and of request objects.

use crate::time::Lifetime;

/// Default lifetime of a CIBA request.
pub const CIBA_REQUEST_LIFETIME: Lifetime = Lifetime::from_minutes(5);
/// Maximum lifetime that a client can request.
pub const CIBA_REQUEST_LIFETIME_MAX: Lifetime = Lifetime::from_minutes(10);
/// Minimum lifetime.
pub const CIBA_REQUEST_LIFETIME_MIN: Lifetime = Lifetime::from_seconds(30);
/// Initial polling interval of a client.
pub const CIBA_POLL_INTERVAL: Lifetime = Lifetime::from_seconds(5);
/// Maximum pending requests of one client for one user.
pub const CIBA_REQUESTS_PENDING_MAX: i64 = 3;
/// Maximum requests of one client for one user per hour.
pub const CIBA_REQUESTS_HOURLY_MAX: i64 = 5;
/// Maximum requests for one user per hour, from all clients.
pub const CIBA_REQUESTS_PER_USER_HOURLY_MAX: i64 = 20;
/// Maximum characters in the binding message.
pub const BINDING_MESSAGE_CHARACTERS_MAX: usize = 140;
/// Maximum bytes in `client_notification_token` (OpenID CIBA §7.1).
pub const CIBA_NOTIFICATION_TOKEN_BYTES_MAX: usize = 1024;
/// How long a node claims a ping notification.
pub const CIBA_NOTIFICATION_CLAIM: Lifetime = Lifetime::from_seconds(30);
/// Maximum ping notifications of one node in one run.
pub const CIBA_NOTIFICATION_BATCH_MAX: u32 = 50;
/// Maximum age of `nbf` and maximum lifetime of a request object under the profile `fapi2` (FAPI 2.0 Message
/// Signing §5.3.1).
pub const REQUEST_OBJECT_LIFETIME_MAX: Lifetime = Lifetime::from_minutes(60);
/// Maximum lifetime of a signed CIBA request (FAPI-CIBA §5.2.2).
pub const CIBA_SIGNED_REQUEST_LIFETIME_MAX: Lifetime = Lifetime::from_hours(1);
