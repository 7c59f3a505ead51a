//! Every length, count and lifetime, in one place, named with its unit.

mod authzen;
mod cache;
mod ciba;
mod cleanup;
mod client_authentication;
mod identity_providers;
mod messages;
mod outbound;
mod scim;

pub use authzen::*;
pub use cache::*;
pub use ciba::*;
pub use cleanup::*;
pub use client_authentication::*;
pub use identity_providers::*;
pub use messages::*;
pub use outbound::*;
pub use scim::*;

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
pub const ACCENT_COLOR_CONTRAST_MIN_TENTHS: u32 = 45;
/// Least contrast of black text on the background an organization chooses, in tenths.
pub const BACKGROUND_COLOR_CONTRAST_MIN_TENTHS: u32 = 120;
/// Most bytes in the logo of an organization: as a text it fits a JSON body.
pub const LOGO_BYTES_MAX: usize = 40 * 1024;
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
/// Most redirect addresses one client may register.
pub const REDIRECT_URIS_MAX: usize = 20;
/// Most contacts one client may register.
pub const CLIENT_CONTACTS_MAX: usize = 10;
/// Most levels of assurance one client may ask for by default.
pub const CLIENT_ACR_VALUES_MAX: usize = 10;
/// Most texts in other languages one client may register.
pub const CLIENT_LOCALIZED_MAX: usize = 20;
/// Most bytes in the keys one client may register.
pub const CLIENT_JWKS_BYTES_MAX: usize = 16 * 1024;
/// Longest name by which a client's certificate is known.
pub const CERTIFICATE_NAME_BYTES_MAX: usize = 1024;
/// Most certificates that come with a client's own to vouch for it.
pub const CERTIFICATE_CHAIN_MAX: usize = 8;
/// Most bytes in the state or nonce of a request.
pub const STATE_BYTES_MAX: usize = 1024;
/// Most bytes in a hint about whom or which organization a request is for.
pub const HINT_BYTES_MAX: usize = 512;
/// Most bytes in the details of one request (RFC 9396).
pub const AUTHORIZATION_DETAILS_BYTES_MAX: usize = 16 * 1024;
/// Most details in one request.
pub const AUTHORIZATION_DETAILS_MAX: usize = 20;
/// Most bytes of one authorization request that are stored, names and values together: twice what its details may take,
/// less what nothing else of it needs.
pub const AUTHORIZATION_REQUEST_BYTES_MAX: usize = 24 * 1024;
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
pub const FORM_PARAMETERS_MAX: usize = 110;
/// Most bytes in a JSON body.
pub const JSON_BYTES_MAX: usize = 64 * 1024;
/// Deepest nesting of a JSON body.
pub const JSON_DEPTH_MAX: usize = 32;

/// Most addresses whose pace one node remembers.
pub const RATE_LIMITED_ADDRESSES_MAX: usize = 65_536;

/// How many items of a list are shown at once unless it is said otherwise.
pub const PAGE_ITEMS_DEFAULT: u32 = 50;
/// Most items of a list that are shown at once.
pub const PAGE_ITEMS_MAX: u32 = 200;
/// Most characters in what members are looked for by.
pub const MEMBER_SEARCH_CHARACTERS_MAX: usize = 256;
/// Most words in it.
pub const MEMBER_SEARCH_WORDS_MAX: usize = 8;
/// Most words that a member is found by.
pub const MEMBER_INDEX_WORDS_MAX: usize = 32;
/// Most bytes of such a word, as words are compared; what is longer is found by its beginning.
pub const MEMBER_INDEX_WORD_BYTES_MAX: usize = 254;
/// Most words that one search walks along before it answers with what it has: as many as take a fraction of a second, because
/// those who look for members, whosever they are, wait for one another.
pub const MEMBER_SEARCH_SCANNED_MAX: u32 = 5_000;
/// How often a search on the console goes on by itself before a person is asked whether it shall.
pub const MEMBER_SEARCH_ROUNDS_MAX: u32 = 4;
/// Of how many members words are written at most before it is asked whether the program shall stop.
pub const MEMBER_INDEX_BATCH_MAX: usize = 100_000;
/// After how long somebody may look for members again who came before all of them could be found: as often as every node
/// writes the words that are due.
pub const MEMBER_INDEX_RETRY_AFTER: Lifetime = Lifetime::from_minutes(1);
/// Most characters in what says where a list goes on.
pub const CURSOR_CHARACTERS_MAX: usize = 512;
/// Most characters in the key under which a request may be repeated.
pub const IDEMPOTENCY_KEY_CHARACTERS_MAX: usize = 255;
/// How long a request may be repeated under its key.
pub const IDEMPOTENCY_LIFETIME: Lifetime = Lifetime::from_hours(24);

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
/// How long a client that was answered before it had sent everything may go on sending.
pub const LINGER_MAX: Lifetime = Lifetime::from_seconds(15);
/// How long such a client may be silent.
pub const LINGER_SILENCE_MAX: Lifetime = Lifetime::from_seconds(2);
/// How much it may send meanwhile, in bytes; it is thrown away.
pub const LINGER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// How long a stopping server waits for the requests it has begun.
pub const DRAIN_MAX: Lifetime = Lifetime::from_seconds(30);
/// Most requests one HTTP/2 connection may have open.
pub const HTTP2_STREAMS_MAX: u32 = 100;
/// Most connections the public listener keeps open at once.
pub const CONNECTIONS_MAX: usize = 16_384;
/// Most connections that are told at once that there is no room; more are just closed.
pub const CONNECTIONS_REJECTED_MAX: usize = 64;
/// Most connections the admin listener keeps open at once.
pub const ADMIN_CONNECTIONS_MAX: usize = 64;
/// Most requests being answered at once, beyond which a new one is turned away.
pub const REQUESTS_IN_PROGRESS_MAX: usize = 1_024;
/// How long whoever was turned away should wait before asking again.
pub const RETRY_AFTER: Lifetime = Lifetime::from_seconds(1);
/// Most bytes in a header that says which way a request came.
pub const FORWARDED_BYTES_MAX: usize = 1_024;
/// Most addresses in such a header.
pub const FORWARDED_HOPS_MAX: usize = 20;
/// How often the files of a TLS certificate are looked at.
pub const CERTIFICATE_CHECK_INTERVAL: Lifetime = Lifetime::from_seconds(5);

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
/// Most bits in an RSA key: each doubling makes signing about six times slower.
pub const RSA_BITS_MAX: usize = 4096;
/// Most bytes in a signed token we look at.
pub const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// Most keys of one client that are looked at.
pub const CLIENT_JWKS_KEYS_MAX: usize = 20;
/// How long the keys a client publishes are used without looking for newer ones.
pub const CLIENT_JWKS_FRESH: Lifetime = Lifetime::from_minutes(10);
/// How long they are used while their address does not answer.
pub const CLIENT_JWKS_AGE_MAX: Lifetime = Lifetime::from_hours(24);
/// How long is waited before that address is asked again.
pub const CLIENT_JWKS_RETRY_AFTER: Lifetime = Lifetime::from_minutes(1);

/// How long the link that makes the first operator works.
pub const BOOTSTRAP_LIFETIME: Lifetime = Lifetime::from_minutes(15);
/// How long an authorization code works.
pub const AUTHORIZATION_CODE_LIFETIME: Lifetime = Lifetime::from_seconds(60);
/// Fewest characters in a password unless it is said otherwise.
pub const PASSWORD_CHARACTERS_MIN: usize = 15;
/// Fewest characters that can be said.
pub const PASSWORD_CHARACTERS_MIN_ALLOWED: usize = 8;
/// Most characters in a password.
pub const PASSWORD_CHARACTERS_MAX: usize = 128;
/// Most bytes in a password.
pub const PASSWORD_BYTES_MAX: usize = 512;
/// Most bytes in the id by which another program knows somebody who is brought over.
pub const IMPORTED_ID_BYTES_MAX: usize = 255;
/// Most bytes that describe one person who is brought over.
pub const IMPORTED_PERSON_BYTES_MAX: usize = 64 * 1024;
/// How many people are brought over at a time.
pub const IMPORT_CONCURRENT_MAX: usize = 64;
/// How often something may be proven wrongly before there is a wait.
pub const LOCKOUT_FREE_FAILURES: i64 = 5;
/// The first wait; each further failure doubles it.
pub const LOCKOUT_WAIT: Lifetime = Lifetime::from_seconds(1);
/// The longest wait.
pub const LOCKOUT_WAIT_MAX: Lifetime = Lifetime::from_minutes(15);
/// How often in a row something may be proven wrongly before it counts no more.
pub const LOCKOUT_FAILURES_MAX: i64 = 100;
/// How many digits are sent by mail.
pub const EMAIL_CODE_DIGITS: u32 = 8;
/// How long digits that were sent by mail work.
pub const EMAIL_CODE_LIFETIME: Lifetime = Lifetime::from_minutes(10);
/// How often digits that were sent may be typed wrongly.
pub const ONE_TIME_CODE_ATTEMPTS_MAX: u32 = 5;
/// How long an old address can be brought back.
pub const PREVIOUS_EMAIL_LIFETIME: Lifetime = Lifetime::from_days(7);
/// Digits in a code by telephone.
pub const SMS_CODE_DIGITS: u32 = 6;
/// How long a code by telephone works.
pub const SMS_CODE_LIFETIME: Lifetime = Lifetime::from_minutes(5);
/// How long a message that only tells something is tried to be sent.
pub const NOTICE_LIFETIME: Lifetime = Lifetime::from_days(2);
/// How long a pass through the flow engine may take.
pub const FLOW_LIFETIME: Lifetime = Lifetime::from_minutes(30);
/// How long the handle of a pushed request can be brought to the authorization endpoint.
pub const PAR_LIFETIME: Lifetime = Lifetime::from_seconds(90);
/// How many characters a code has that a device shows and a person types.
pub const USER_CODE_CHARACTERS: usize = 8;
/// How long a device waits for somebody's answer at most.
pub const DEVICE_AUTHORIZATION_LIFETIME: Lifetime = Lifetime::from_minutes(10);
/// How long a device waits between two questions whether somebody answered.
pub const DEVICE_POLL_INTERVAL: Lifetime = Lifetime::from_seconds(5);
/// How much longer it waits each time it asked too soon.
pub const DEVICE_POLL_SLOW_DOWN: Lifetime = Lifetime::from_seconds(5);
/// How long it waits at most.
pub const DEVICE_POLL_INTERVAL_MAX: Lifetime = Lifetime::from_seconds(60);
/// How many codes of devices one network may type wrongly within an hour.
pub const USER_CODE_FAILURES_HOURLY_MAX: i64 = 100;
/// How long a grant lives that does not end with its session.
pub const GRANT_LIFETIME_MAX: Lifetime = Lifetime::from_days(90);
/// How long such a grant lives where an agent holds it.
pub const AGENT_GRANT_LIFETIME_MAX: Lifetime = Lifetime::from_days(30);
/// How long an access token works unless its API says otherwise.
pub const ACCESS_TOKEN_LIFETIME: Lifetime = Lifetime::from_minutes(10);
/// How long an ID token is good for.
pub const ID_TOKEN_LIFETIME: Lifetime = Lifetime::from_minutes(10);
/// How long a refresh token works without being used.
pub const REFRESH_TOKEN_IDLE_MAX: Lifetime = Lifetime::from_days(7);
/// How long a line of refresh tokens lives at all.
pub const REFRESH_TOKEN_AGE_MAX: Lifetime = Lifetime::from_days(30);
/// How long it lives at all where the person agreed to access that outlives the session.
pub const REFRESH_TOKEN_OFFLINE_AGE_MAX: Lifetime = Lifetime::from_days(90);
/// How long a session lives without being used.
pub const SESSION_IDLE_MAX: Lifetime = Lifetime::from_days(7);
/// How long a logout token counts.
pub const LOGOUT_TOKEN_LIFETIME: Lifetime = Lifetime::from_minutes(2);
/// The most clients that are told of one session's end.
pub const BACKCHANNEL_LOGOUT_CLIENTS_MAX: u32 = 100;
/// Most clients that are told at the same time for one reason. Whose places they take is decided for each of them.
pub const BACKCHANNEL_LOGOUT_CONCURRENT_MAX: usize = 32;
/// How often in a row a client may not be reached before the rest of what it was to be told is left out.
pub const BACKCHANNEL_LOGOUT_FAILURES_MAX: u32 = 3;
/// How long the node that ended a session has for telling its clients before another one may.
pub const BACKCHANNEL_LOGOUT_CLAIM: Lifetime = Lifetime::from_minutes(1);
/// The same where it ended everybody's.
pub const BACKCHANNEL_LOGOUT_CLAIM_ALL: Lifetime = Lifetime::from_minutes(10);
/// How long is waited after the first failure to tell a client; each further wait is twice as long.
pub const BACKCHANNEL_LOGOUT_RETRY: Lifetime = Lifetime::from_seconds(10);
/// How long is waited at most.
pub const BACKCHANNEL_LOGOUT_RETRY_MAX: Lifetime = Lifetime::from_hours(1);
/// How long it is tried.
pub const BACKCHANNEL_LOGOUT_RETRY_LIFETIME: Lifetime = Lifetime::from_hours(24);
/// Most clients that are told again in one round.
pub const BACKCHANNEL_LOGOUT_BATCH_MAX: u32 = 256;
/// How many sessions are read at once where everybody's ended.
pub const BACKCHANNEL_LOGOUT_SESSIONS_PAGE: u32 = 256;
/// How long a session lives at all.
pub const SESSION_AGE_MAX: Lifetime = Lifetime::from_days(30);
/// Most sessions one account has at once; one more ends the one that was not used for longest.
pub const ACCOUNT_SESSIONS_MAX: usize = 50;
/// How long ago somebody may have signed in who is about to change how they sign in.
pub const FRESH_SIGN_IN_MAX: Lifetime = Lifetime::from_minutes(5);
/// How long a device is recognised by its cookie.
pub const DEVICE_COOKIE_LIFETIME: Lifetime = Lifetime::from_days(365);
/// How often it is written at most that a session or a key is in use.
pub const USE_WRITTEN_EVERY: Lifetime = Lifetime::from_seconds(60);

/// How often events are given their places in the chain of the security log.
pub const LOG_SEALING_INTERVAL: Lifetime = Lifetime::from_seconds(1);
/// Most events that are given their places in one act.
pub const LOG_SEALING_BATCH_MAX: u32 = 500;
/// How far back a sealer looks for events each time it runs. An event commits within a moment of being made.
pub const LOG_SEALING_LOOKBACK: Lifetime = Lifetime::from_seconds(1);
/// How far back a sealer looks every now and then, for events that were held up for some seconds.
pub const LOG_SEALING_LONG_LOOKBACK: Lifetime = Lifetime::from_seconds(12);
/// How often a sealer glances back.
pub const LOG_SEALING_LONG_LOOKBACK_INTERVAL: Lifetime = Lifetime::from_seconds(8);
/// How far back a sealer looks for events once in a while; what commits later than this is never sealed.
pub const LOG_SEALING_WINDOW: Lifetime = Lifetime::from_minutes(10);
/// How often a sealer looks that far back.
pub const LOG_SEALING_WINDOW_INTERVAL: Lifetime = Lifetime::from_seconds(60);
/// How often the signed head is written to the ordinary log, at most.
pub const LOG_HEAD_LOG_INTERVAL: Lifetime = Lifetime::from_seconds(60);
/// How many applications, and how many API keys, a person keeps when everything else that acts for them is revoked.
pub const LASTING_ACCESS_RETAINED_MAX: usize = 50;
/// How many applications get an event of their own when their grants are revoked together; one more event counts the others.
/// Nobody can make recovering an account a longer act than this by having given more applications access.
pub const LASTING_ACCESS_EVENTS_MAX: usize = 100;
/// How long a session may rest before it counts for one factor only.
pub const AAL2_IDLE_MAX: Lifetime = Lifetime::from_hours(1);
/// How long after signing in a session counts for more than one factor.
pub const AAL2_AGE_MAX: Lifetime = Lifetime::from_hours(24);
/// How long ago somebody may have proven who they are when they do something sensitive.
pub const SENSITIVE_ACTION_AGE_MAX: Lifetime = Lifetime::from_minutes(5);
/// How long a passkey may take to sign a challenge.
pub const PASSKEY_CHALLENGE_LIFETIME: Lifetime = Lifetime::from_minutes(5);
/// How many credentials of one kind an account keeps.
pub const CREDENTIALS_PER_KIND_MAX: usize = 20;
/// How many addresses and numbers an account keeps.
pub const ACCOUNT_CONTACTS_MAX: usize = 20;
/// How long the name of a credential may be.
pub const CREDENTIAL_NAME_CHARACTERS_MAX: usize = 100;
/// Most clients that may act for one another in one token.
pub const ACTORS_MAX: usize = 5;
/// How long after it was asked for an organization's deletion takes effect.
pub const ORGANIZATION_DELETION_WAIT: Lifetime = Lifetime::from_days(30);
/// How long an API key works unless it is said otherwise.
pub const API_KEY_LIFETIME: Lifetime = Lifetime::from_days(90);
/// How long an API key works at most.
pub const API_KEY_LIFETIME_MAX: Lifetime = Lifetime::from_days(365);
/// How long the link in an alert works by which an owner says that it was somebody else.
pub const REPORT_SIGN_IN_LIFETIME: Lifetime = Lifetime::from_days(7);
/// How long an alert is worth sending.
pub const ALERT_LIFETIME: Lifetime = Lifetime::from_days(1);
/// How long a node that is sending a message keeps others from sending it too.
pub const MESSAGE_CLAIM: Lifetime = Lifetime::from_minutes(1);
/// How long is waited after the first failure to send a message; each further wait is twice as long.
pub const MESSAGE_RETRY: Lifetime = Lifetime::from_seconds(10);
/// How long is waited at most.
pub const MESSAGE_RETRY_MAX: Lifetime = Lifetime::from_minutes(5);
/// How long a client's earlier secrets keep working beside a new one unless it is said otherwise.
pub const CLIENT_SECRET_OVERLAP: Lifetime = Lifetime::from_hours(24);
/// How long they keep working at most.
pub const CLIENT_SECRET_OVERLAP_MAX: Lifetime = Lifetime::from_days(7);
/// Most secrets of one client that work at the same time.
pub const CLIENT_SECRETS_MAX: usize = 10;
/// Most bytes in an e-mail address (RFC 5321 §4.5.3.1.3, without the brackets).
pub const EMAIL_BYTES_MAX: usize = 254;
/// Most bytes before the `@` of an e-mail address (RFC 5321 §4.5.3.1.1).
pub const EMAIL_LOCAL_PART_BYTES_MAX: usize = 64;
/// How long an invitation works unless it is said otherwise.
pub const INVITATION_LIFETIME: Lifetime = Lifetime::from_hours(24);
/// How long an invitation works at most.
pub const INVITATION_LIFETIME_MAX: Lifetime = Lifetime::from_days(7);
/// Most invitations that are sent to one address within a while.
pub const INVITATIONS_PER_ADDRESS_MAX: i64 = 10;
/// How long that while is.
pub const INVITATIONS_PER_ADDRESS_WINDOW: Lifetime = Lifetime::from_hours(24);
/// How long somebody may be assigned to act inside an organization, or as somebody else, at most.
pub const ASSIGNMENT_LIFETIME_MAX: Lifetime = Lifetime::from_days(30);
/// How long a token works with which an operator acts as somebody else, at most.
pub const IMPERSONATION_LIFETIME: Lifetime = Lifetime::from_minutes(5);

/// Most addresses that one organization, or the instance, has told of events.
pub const WEBHOOKS_MAX: u32 = 20;
/// Most bytes in such an address.
pub const WEBHOOK_ADDRESS_BYTES_MAX: usize = 2_048;
/// How long such an address may take to answer, from its name to its status.
pub const WEBHOOK_RESPONSE_MAX: Lifetime = Lifetime::from_seconds(5);
/// How long a node that tells an address something keeps others from telling it too.
pub const WEBHOOK_CLAIM: Lifetime = Lifetime::from_seconds(10);
/// How long is waited after the first failure; each further wait is four times as long.
pub const WEBHOOK_RETRY: Lifetime = Lifetime::from_seconds(5);
/// How long is waited at most.
pub const WEBHOOK_RETRY_MAX: Lifetime = Lifetime::from_hours(1);
/// How long an address may fail before it is paused.
pub const WEBHOOK_PAUSE_AFTER: Lifetime = Lifetime::from_days(3);
/// How long the earlier secret of an address signs beside a new one unless it is said otherwise.
pub const WEBHOOK_SECRET_OVERLAP: Lifetime = Lifetime::from_hours(24);
/// How long it signs at most.
pub const WEBHOOK_SECRET_OVERLAP_MAX: Lifetime = Lifetime::from_days(7);
/// How long it is remembered what became of telling an address something.
pub const WEBHOOK_ATTEMPT_RETENTION: Lifetime = Lifetime::from_days(30);
/// Most owners who are written to when an address is paused.
pub const WEBHOOK_NOTICES_MAX: u32 = 20;
