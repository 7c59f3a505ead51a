//! What bounds asking a person for approval.

use crate::time::Lifetime;

/// How long a request for approval waits unless its client says otherwise.
pub const CIBA_REQUEST_LIFETIME: Lifetime = Lifetime::from_minutes(5);
/// How long it waits at most, whatever its client says.
pub const CIBA_REQUEST_LIFETIME_MAX: Lifetime = Lifetime::from_minutes(10);
/// The shortest time that somebody who is asked for their approval is given.
pub const CIBA_REQUEST_LIFETIME_MIN: Lifetime = Lifetime::from_seconds(30);
/// How long a client waits between two questions whether somebody answered.
pub const CIBA_POLL_INTERVAL: Lifetime = Lifetime::from_seconds(5);
/// Most requests of one client that wait for one person at the same time.
pub const CIBA_REQUESTS_PENDING_MAX: i64 = 3;
/// Most requests of one client to one person within an hour.
pub const CIBA_REQUESTS_HOURLY_MAX: i64 = 5;
/// Most requests to one person within an hour, whoever makes them.
pub const CIBA_REQUESTS_PER_USER_HOURLY_MAX: i64 = 20;
/// Most characters in the message that the person compares.
pub const BINDING_MESSAGE_CHARACTERS_MAX: usize = 140;
/// Most bytes in the token with which a client is told that somebody answered (OpenID CIBA §7.1).
pub const CIBA_NOTIFICATION_TOKEN_BYTES_MAX: usize = 1024;
/// How long a node that tells a client keeps others from telling it too.
pub const CIBA_NOTIFICATION_CLAIM: Lifetime = Lifetime::from_seconds(30);
/// Most clients that one node tells in one round.
pub const CIBA_NOTIFICATION_BATCH_MAX: u32 = 50;
/// How long ago a request object of the profile `fapi2` begins at most, and how long it lasts (FAPI 2.0 Message Signing
/// §5.3.1).
pub const REQUEST_OBJECT_LIFETIME_MAX: Lifetime = Lifetime::from_minutes(60);
/// How long a signed request for approval counts at most (FAPI-CIBA §5.2.2).
pub const CIBA_SIGNED_REQUEST_LIFETIME_MAX: Lifetime = Lifetime::from_hours(1);
