//! Every length, count and lifetime, in one place, named with its unit.

use crate::time::Lifetime;

/// Most characters in the resource or the action of a permission.
pub const PERMISSION_WORD_CHARACTERS_MAX: usize = 64;
/// Most scopes one request may ask for.
pub const SCOPES_MAX: usize = 64;
/// Most bytes in one scope parameter.
pub const SCOPE_BYTES_MAX: usize = 4 * 1024;
/// Most characters in the name of a role.
pub const ROLE_NAME_CHARACTERS_MAX: usize = 64;
/// Most permissions one role may hold.
pub const ROLE_PERMISSIONS_MAX: usize = 500;
/// Most characters in the name of an organization.
pub const ORGANIZATION_NAME_CHARACTERS_MAX: usize = 100;
/// Least contrast of an accent colour with white text, in tenths (WCAG 2.2 AA).
pub const ACCENT_COLOUR_CONTRAST_MIN_TENTHS: u32 = 45;
/// Most characters in a text that people read, such as what a permission allows.
pub const DISPLAY_TEXT_CHARACTERS_MAX: usize = 200;
/// Most bytes in the identifier of an API.
pub const API_IDENTIFIER_BYTES_MAX: usize = 2 * 1024;
/// Most permissions one API may define.
pub const API_PERMISSIONS_MAX: usize = 200;
/// Most types of details one API may define.
pub const API_DETAIL_TYPES_MAX: usize = 20;
/// Most bytes in the JSON Schema of a type of details.
pub const API_DETAIL_SCHEMA_BYTES_MAX: usize = 16 * 1024;
/// Most characters in a client id chosen in a file.
pub const CLIENT_ID_CHARACTERS_MAX: usize = 100;
/// Most bytes of a user agent that we keep.
pub const USER_AGENT_BYTES_MAX: usize = 512;

/// Most bytes in a request's header block.
pub const HEADER_BYTES_MAX: usize = 16 * 1024;
/// Most headers in a request.
pub const HEADERS_MAX: usize = 100;
/// Most bytes in a request's target.
pub const URI_BYTES_MAX: usize = 8 * 1024;
/// Most bytes in a form body.
pub const FORM_BYTES_MAX: usize = 64 * 1024;
/// Most parameters in a form or query.
pub const FORM_PARAMETERS_MAX: usize = 100;
/// Most bytes in a JSON body.
pub const JSON_BYTES_MAX: usize = 64 * 1024;
/// Deepest nesting of a JSON body.
pub const JSON_DEPTH_MAX: usize = 32;

/// How long a TLS handshake may take.
pub const TLS_HANDSHAKE_MAX: Lifetime = Lifetime::from_seconds(10);
/// How long a request's headers may take to arrive.
pub const HEADER_ARRIVAL_MAX: Lifetime = Lifetime::from_seconds(10);
/// How long a request's body may take to arrive.
pub const BODY_ARRIVAL_MAX: Lifetime = Lifetime::from_seconds(15);
/// How long an answer may take to make.
pub const ANSWER_MAX: Lifetime = Lifetime::from_seconds(10);
/// How long an idle connection is kept.
pub const KEEP_ALIVE_MAX: Lifetime = Lifetime::from_seconds(60);
/// How long a stopping server waits for the requests it has begun.
pub const DRAIN_MAX: Lifetime = Lifetime::from_seconds(30);
/// Most requests one HTTP/2 connection may have open.
pub const HTTP2_STREAMS_MAX: u32 = 100;

/// How long others may keep our published keys before asking again.
pub const KEYS_CACHE_LIFETIME: Lifetime = Lifetime::from_minutes(5);
/// How often every node reads the signing keys again.
pub const KEYS_REFRESH_INTERVAL: Lifetime = Lifetime::from_seconds(30);
/// The longest life any token of ours can be given.
pub const TOKEN_LIFETIME_MAX: Lifetime = Lifetime::from_minutes(60);
/// The shortest life an API may give its tokens.
pub const TOKEN_LIFETIME_MIN: Lifetime = Lifetime::from_minutes(1);
/// How far another party's clock may be from ours.
pub const CLOCK_TOLERANCE: Lifetime = Lifetime::from_seconds(10);
/// How far a node's clock may be from the database's before the node is not ready.
pub const CLOCK_OFFSET_MAX: Lifetime = Lifetime::from_seconds(2);
/// Fewest bits in an RSA key we sign with.
pub const RSA_BITS_MIN: usize = 2048;

/// How long the link that makes the first operator works.
pub const BOOTSTRAP_LIFETIME: Lifetime = Lifetime::from_minutes(15);
/// How long an authorization code works.
pub const CODE_LIFETIME: Lifetime = Lifetime::from_seconds(60);
/// How long a session lives without being used.
pub const SESSION_IDLE_MAX: Lifetime = Lifetime::from_days(7);
/// How long a session lives at all.
pub const SESSION_AGE_MAX: Lifetime = Lifetime::from_days(30);
