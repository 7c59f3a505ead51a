//! All limits on lengths, counts and lifetimes, each named with its unit.

mod authzen;
mod cache;
mod ciba;
mod cleanup;
mod client_authentication;
mod client_documents;
mod identity_providers;
mod messages;
mod nodes;
mod outbound;
mod scim;
mod security_log;

pub use authzen::*;
pub use cache::*;
pub use ciba::*;
pub use cleanup::*;
pub use client_authentication::*;
pub use client_documents::*;
pub use identity_providers::*;
pub use messages::*;
pub use nodes::*;
pub use outbound::*;
pub use scim::*;
pub use security_log::*;

use crate::time::Lifetime;

/// Maximum characters in the resource or the action of a permission.
pub const PERMISSION_PART_CHARACTERS_MAX: usize = 64;
/// Maximum scopes in one request.
pub const SCOPES_MAX: usize = 64;
/// Maximum bytes in a `scope` parameter.
pub const SCOPE_BYTES_MAX: usize = 4 * 1024;
/// Maximum characters in the name of a role.
pub const ROLE_NAME_CHARACTERS_MAX: usize = 64;
/// Maximum permissions of one role.
pub const ROLE_PERMISSIONS_MAX: usize = 500;
/// Minimum characters in the slug of an organization.
pub const SLUG_CHARACTERS_MIN: usize = 2;
/// Maximum characters in the slug of an organization: those of a label in the DNS.
pub const SLUG_CHARACTERS_MAX: usize = 63;
/// Maximum characters in the name of an organization.
pub const ORGANIZATION_NAME_CHARACTERS_MAX: usize = 100;
/// Minimum contrast of an accent color with white text, in tenths (WCAG 2.2 AA).
pub const ACCENT_COLOR_CONTRAST_MIN_TENTHS: u32 = 45;
/// Minimum contrast of black text on an organization's background color, in tenths.
pub const BACKGROUND_COLOR_CONTRAST_MIN_TENTHS: u32 = 120;
/// Maximum bytes in an organization's logo: in base64 it fits into a JSON body.
pub const LOGO_BYTES_MAX: usize = 40 * 1024;
/// Maximum bytes in the picture of a user: in base64 it fits into a form.
pub const PICTURE_BYTES_MAX: usize = 40 * 1024;
/// Maximum width and height of the picture of a user, in pixels.
pub const PICTURE_PIXELS_MAX: u32 = 1024;
/// Maximum characters in a display text, such as the description of a permission.
pub const DISPLAY_TEXT_CHARACTERS_MAX: usize = 200;
/// Maximum bytes in the identifier of an API.
pub const API_IDENTIFIER_BYTES_MAX: usize = 2 * 1024;
/// Maximum permissions that one API defines.
pub const API_PERMISSIONS_MAX: usize = 200;
/// Maximum authorization details types that one API defines.
pub const API_DETAIL_TYPES_MAX: usize = 20;
/// Maximum bytes in the JSON Schema of an authorization details type.
pub const API_DETAIL_SCHEMA_BYTES_MAX: usize = 16 * 1024;
/// Maximum redirect URIs of one client.
pub const REDIRECT_URIS_MAX: usize = 20;
/// Maximum contacts of one client.
pub const CLIENT_CONTACTS_MAX: usize = 10;
/// Maximum default ACR values of one client.
pub const CLIENT_ACR_VALUES_MAX: usize = 10;
/// Maximum localized texts of one client.
pub const CLIENT_LOCALIZED_MAX: usize = 20;
/// Maximum bytes in the registered JWKS of one client.
pub const CLIENT_JWKS_BYTES_MAX: usize = 16 * 1024;
/// Maximum bytes in the subject name of a client certificate.
pub const CERTIFICATE_NAME_BYTES_MAX: usize = 1024;
/// Maximum intermediate certificates that a client sends with its own.
pub const CERTIFICATE_CHAIN_MAX: usize = 8;
/// Maximum bytes in `state` or `nonce`.
pub const STATE_BYTES_MAX: usize = 1024;
/// Maximum bytes in a hint, such as `login_hint` or `organization`.
pub const HINT_BYTES_MAX: usize = 512;
/// Maximum bytes in the `authorization_details` of one request (RFC 9396).
pub const AUTHORIZATION_DETAILS_BYTES_MAX: usize = 16 * 1024;
/// Maximum authorization details in one request.
pub const AUTHORIZATION_DETAILS_MAX: usize = 20;
/// Maximum stored bytes of one authorization request, names and values together. It leaves room for
/// `authorization_details` of the maximum size next to all other parameters.
pub const AUTHORIZATION_REQUEST_BYTES_MAX: usize = 24 * 1024;
/// Maximum stored bytes of a user agent.
pub const USER_AGENT_BYTES_MAX: usize = 512;

/// Maximum bytes in a request's header block.
pub const HEADER_BYTES_MAX: usize = 16 * 1024;
/// Maximum headers in a request.
pub const HEADERS_MAX: usize = 100;
/// Maximum bytes in a request target.
pub const URI_BYTES_MAX: usize = 8 * 1024;
/// Maximum bytes in a form body.
pub const FORM_BYTES_MAX: usize = 64 * 1024;
/// Maximum parameters in a form or query.
pub const FORM_PARAMETERS_MAX: usize = 110;
/// Maximum bytes in a JSON body.
pub const JSON_BYTES_MAX: usize = 64 * 1024;
/// Maximum nesting depth of a JSON body.
pub const JSON_DEPTH_MAX: usize = 32;

/// Maximum addresses for which one node tracks rate limits.
pub const RATE_LIMITED_ADDRESSES_MAX: usize = 65_536;

/// Default page size of a list.
pub const PAGE_ITEMS_DEFAULT: u32 = 50;
/// Maximum page size of a list.
pub const PAGE_ITEMS_MAX: u32 = 200;
/// Maximum characters in a member search query.
pub const MEMBER_SEARCH_CHARACTERS_MAX: usize = 256;
/// Maximum words in a member search query.
pub const MEMBER_SEARCH_WORDS_MAX: usize = 8;
/// Maximum index terms of one member.
pub const MEMBER_INDEX_TERMS_MAX: usize = 32;
/// Maximum bytes of a folded index term; a longer one is found by its prefix.
pub const MEMBER_INDEX_TERM_BYTES_MAX: usize = 254;
/// Maximum index terms that one search scans before it returns a partial result. That takes a fraction of a
/// second; more would delay the searches of other organizations.
pub const MEMBER_SEARCH_SCANNED_MAX: u32 = 5_000;
/// Maximum accounts that one search of operators compares before it returns a partial result.
pub const ACCOUNT_SEARCH_SCANNED_MAX: u32 = 5_000;
/// How many times a console search continues automatically before the user must confirm.
pub const MEMBER_SEARCH_ROUNDS_MAX: u32 = 4;
/// Maximum members to index before checking for shutdown.
pub const MEMBER_INDEX_BATCH_MAX: usize = 100_000;
/// `Retry-After` for a search while the index is incomplete: the interval at which every node indexes pending
/// members.
pub const MEMBER_INDEX_RETRY_AFTER: Lifetime = Lifetime::from_minutes(1);
/// Maximum characters in a pagination cursor.
pub const CURSOR_CHARACTERS_MAX: usize = 512;
/// Maximum characters in an idempotency key.
pub const IDEMPOTENCY_KEY_CHARACTERS_MAX: usize = 255;
/// How long a request can be repeated under its idempotency key.
pub const IDEMPOTENCY_LIFETIME: Lifetime = Lifetime::from_hours(24);

/// Maximum time of a TLS handshake.
pub const TLS_HANDSHAKE_MAX: Lifetime = Lifetime::from_seconds(10);
/// Maximum time for a request's headers to arrive.
pub const HEADER_ARRIVAL_MAX: Lifetime = Lifetime::from_seconds(10);
/// Maximum time for a request's body to arrive.
pub const BODY_ARRIVAL_MAX: Lifetime = Lifetime::from_seconds(15);
/// Maximum time to produce a response.
pub const RESPONSE_TIME_MAX: Lifetime = Lifetime::from_seconds(10);
/// How long an idle connection is kept open.
pub const KEEP_ALIVE_MAX: Lifetime = Lifetime::from_seconds(60);
/// How long a client may continue to send after it received an early response.
pub const LINGER_MAX: Lifetime = Lifetime::from_seconds(15);
/// Maximum time without data from such a client.
pub const LINGER_SILENCE_MAX: Lifetime = Lifetime::from_seconds(2);
/// Maximum bytes that such a client may still send; they are discarded.
pub const LINGER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// How long a stopping server waits for requests in progress.
pub const DRAIN_MAX: Lifetime = Lifetime::from_seconds(30);
/// Maximum concurrent streams of one HTTP/2 connection.
pub const HTTP2_STREAMS_MAX: u32 = 100;
/// Maximum open connections of the public listener.
pub const CONNECTIONS_MAX: usize = 16_384;
/// Maximum connections that receive a "server is full" response at once; further ones are just closed.
pub const CONNECTIONS_REJECTED_MAX: usize = 64;
/// Maximum open connections of the admin listener.
pub const ADMIN_CONNECTIONS_MAX: usize = 64;
/// Maximum requests in progress; further ones are rejected.
pub const REQUESTS_IN_PROGRESS_MAX: usize = 1_024;
/// `Retry-After` of a request rejected because of overload.
pub const RETRY_AFTER: Lifetime = Lifetime::from_seconds(1);
/// Maximum bytes in a forwarding header.
pub const FORWARDED_BYTES_MAX: usize = 1_024;
/// Maximum addresses in a forwarding header.
pub const FORWARDED_HOPS_MAX: usize = 20;
/// How often the files of a TLS certificate are checked for changes.
pub const CERTIFICATE_CHECK_INTERVAL: Lifetime = Lifetime::from_seconds(5);

/// How long clients may cache our JWKS.
pub const KEYS_CACHE_LIFETIME: Lifetime = Lifetime::from_minutes(5);
/// How often every node reloads the signing keys.
pub const KEYS_REFRESH_INTERVAL: Lifetime = Lifetime::from_seconds(30);
/// Maximum lifetime of any token.
pub const TOKEN_LIFETIME_MAX: Lifetime = Lifetime::from_minutes(60);
/// Minimum access token lifetime that an API can set.
pub const TOKEN_LIFETIME_MIN: Lifetime = Lifetime::from_minutes(1);
/// Tolerated clock difference to other parties.
pub const CLOCK_TOLERANCE: Lifetime = Lifetime::from_seconds(10);
/// Maximum clock difference to the database before a node is not ready.
pub const CLOCK_OFFSET_MAX: Lifetime = Lifetime::from_seconds(2);
/// Minimum bits of an RSA signing key.
pub const RSA_BITS_MIN: usize = 2048;
/// Maximum bits of an RSA signing key: each doubling makes signing about six times slower.
pub const RSA_BITS_MAX: usize = 4096;
/// Maximum bytes in a signed token that we parse.
pub const TOKEN_BYTES_MAX: usize = 16 * 1024;

/// Maximum keys that are read from a client's JWKS.
pub const CLIENT_JWKS_KEYS_MAX: usize = 20;
/// How long a client's published JWKS is used without refreshing it.
pub const CLIENT_JWKS_FRESH: Lifetime = Lifetime::from_minutes(10);
/// How long it is used while its URL does not respond.
pub const CLIENT_JWKS_AGE_MAX: Lifetime = Lifetime::from_hours(24);
/// Waiting time before that URL is requested again.
pub const CLIENT_JWKS_RETRY_AFTER: Lifetime = Lifetime::from_minutes(1);

/// Lifetime of the link that creates the first operator.
pub const BOOTSTRAP_LIFETIME: Lifetime = Lifetime::from_minutes(15);
/// Lifetime of an authorization code.
pub const AUTHORIZATION_CODE_LIFETIME: Lifetime = Lifetime::from_seconds(60);
/// Default minimum characters in a password.
pub const PASSWORD_CHARACTERS_MIN: usize = 15;
/// Lowest value that the minimum can be set to.
pub const PASSWORD_CHARACTERS_MIN_ALLOWED: usize = 8;
/// Maximum characters in a password.
pub const PASSWORD_CHARACTERS_MAX: usize = 128;
/// Maximum bytes in a password.
pub const PASSWORD_BYTES_MAX: usize = 512;
/// Maximum bytes in the source id of an imported account.
pub const IMPORTED_ID_BYTES_MAX: usize = 255;
/// Maximum bytes of one account in an import file.
pub const IMPORTED_ACCOUNT_BYTES_MAX: usize = 64 * 1024;
/// Number of accounts imported concurrently.
pub const IMPORT_CONCURRENT_MAX: usize = 64;
/// Failed attempts that are allowed before the first waiting time.
pub const LOCKOUT_FREE_FAILURES: i64 = 5;
/// The first waiting time; each further failure doubles it.
pub const LOCKOUT_WAIT: Lifetime = Lifetime::from_seconds(1);
/// Maximum waiting time.
pub const LOCKOUT_WAIT_MAX: Lifetime = Lifetime::from_minutes(15);
/// Consecutive failures after which a credential is disabled.
pub const LOCKOUT_FAILURES_MAX: i64 = 100;
/// Digits of a code sent by e-mail.
pub const EMAIL_CODE_DIGITS: u32 = 8;
/// Lifetime of a code sent by e-mail.
pub const EMAIL_CODE_LIFETIME: Lifetime = Lifetime::from_minutes(10);
/// Maximum attempts to enter a sent code.
pub const ONE_TIME_CODE_ATTEMPTS_MAX: u32 = 5;
/// How long a replaced e-mail address can be restored.
pub const PREVIOUS_EMAIL_LIFETIME: Lifetime = Lifetime::from_days(7);
/// Digits of a code sent by SMS.
pub const SMS_CODE_DIGITS: u32 = 6;
/// Lifetime of a code sent by SMS.
pub const SMS_CODE_LIFETIME: Lifetime = Lifetime::from_minutes(5);
/// How long delivery of a notification is attempted.
pub const NOTICE_LIFETIME: Lifetime = Lifetime::from_days(2);
/// Lifetime of a flow.
pub const FLOW_LIFETIME: Lifetime = Lifetime::from_minutes(30);
/// Lifetime of a pushed authorization request's `request_uri`.
pub const PAR_LIFETIME: Lifetime = Lifetime::from_seconds(90);
/// Characters in a user code.
pub const USER_CODE_CHARACTERS: usize = 8;
/// Lifetime of a device authorization.
pub const DEVICE_AUTHORIZATION_LIFETIME: Lifetime = Lifetime::from_minutes(10);
/// Initial polling interval of a device.
pub const DEVICE_POLL_INTERVAL: Lifetime = Lifetime::from_seconds(5);
/// Increase of the interval after each `slow_down`.
pub const DEVICE_POLL_SLOW_DOWN: Lifetime = Lifetime::from_seconds(5);
/// Maximum polling interval.
pub const DEVICE_POLL_INTERVAL_MAX: Lifetime = Lifetime::from_seconds(60);
/// Invalid user codes that one network may enter per hour.
pub const USER_CODE_FAILURES_HOURLY_MAX: i64 = 100;
/// Lifetime of a grant that does not end with its session.
pub const GRANT_LIFETIME_MAX: Lifetime = Lifetime::from_days(90);
/// Lifetime of such a grant of an agent.
pub const AGENT_GRANT_LIFETIME_MAX: Lifetime = Lifetime::from_days(30);
/// Default lifetime of an access token.
pub const ACCESS_TOKEN_LIFETIME: Lifetime = Lifetime::from_minutes(10);
/// Lifetime of an ID token.
pub const ID_TOKEN_LIFETIME: Lifetime = Lifetime::from_minutes(10);
/// How long a refresh token is valid without being used.
pub const REFRESH_TOKEN_IDLE_MAX: Lifetime = Lifetime::from_days(7);
/// Maximum age of a refresh token family.
pub const REFRESH_TOKEN_AGE_MAX: Lifetime = Lifetime::from_days(30);
/// Maximum age of a refresh token family with `offline_access`.
pub const REFRESH_TOKEN_OFFLINE_AGE_MAX: Lifetime = Lifetime::from_days(90);
/// How long a session is valid without being used.
pub const SESSION_IDLE_MAX: Lifetime = Lifetime::from_days(7);
/// Lifetime of a logout token.
pub const LOGOUT_TOKEN_LIFETIME: Lifetime = Lifetime::from_minutes(2);
/// Maximum clients that are notified of one session's end.
pub const BACKCHANNEL_LOGOUT_CLIENTS_MAX: u32 = 100;
/// Maximum concurrent logout notifications for one cause. Each client needs an outbound slot of its own.
pub const BACKCHANNEL_LOGOUT_CONCURRENT_MAX: usize = 32;
/// Consecutive failures of a client after which its remaining notifications are skipped.
pub const BACKCHANNEL_LOGOUT_FAILURES_MAX: u32 = 3;
/// How long the node that ended a session has to notify its clients before another node may.
pub const BACKCHANNEL_LOGOUT_CLAIM: Lifetime = Lifetime::from_minutes(1);
/// The same after ending all sessions of the instance.
pub const BACKCHANNEL_LOGOUT_CLAIM_ALL: Lifetime = Lifetime::from_minutes(10);
/// Waiting time after the first failed notification; each further one is twice as long.
pub const BACKCHANNEL_LOGOUT_RETRY: Lifetime = Lifetime::from_seconds(10);
/// Maximum waiting time.
pub const BACKCHANNEL_LOGOUT_RETRY_MAX: Lifetime = Lifetime::from_hours(1);
/// How long delivery of a logout token is attempted.
pub const BACKCHANNEL_LOGOUT_RETRY_LIFETIME: Lifetime = Lifetime::from_hours(24);
/// Maximum retried notifications in one run.
pub const BACKCHANNEL_LOGOUT_BATCH_MAX: u32 = 256;
/// Page size for reading sessions when all sessions of the instance end.
pub const BACKCHANNEL_LOGOUT_SESSIONS_PAGE: u32 = 256;
/// Maximum age of a session.
pub const SESSION_AGE_MAX: Lifetime = Lifetime::from_days(30);
/// Maximum sessions of one account; a further one ends the least recently used.
pub const ACCOUNT_SESSIONS_MAX: usize = 50;
/// Maximum age of a sign-in for changing credentials.
pub const FRESH_SIGN_IN_MAX: Lifetime = Lifetime::from_minutes(5);
/// Lifetime of the known-device cookie.
pub const DEVICE_COOKIE_LIFETIME: Lifetime = Lifetime::from_days(365);
/// Minimum interval between updates of the last use of a session or key.
pub const LAST_USE_UPDATE_INTERVAL: Lifetime = Lifetime::from_seconds(60);

/// Maximum applications, and maximum API keys, that a user can keep when all other access is revoked.
pub const LONG_LIVED_ACCESS_RETAINED_MAX: usize = 50;
/// Maximum applications with an event of their own when grants are revoked together; one more event counts
/// the rest. This bounds the transaction of an account recovery, regardless of how many applications have
/// access.
pub const LONG_LIVED_ACCESS_EVENTS_MAX: usize = 100;
/// How long `aal2` lasts without use of the session.
pub const AAL2_IDLE_MAX: Lifetime = Lifetime::from_hours(1);
/// How long each proof counts for `aal2`.
pub const AAL2_AGE_MAX: Lifetime = Lifetime::from_hours(24);
/// Maximum age of a proof for a sensitive action.
pub const SENSITIVE_ACTION_AGE_MAX: Lifetime = Lifetime::from_minutes(5);
/// Lifetime of a passkey challenge.
pub const PASSKEY_CHALLENGE_LIFETIME: Lifetime = Lifetime::from_minutes(5);
/// Maximum credentials of one kind per account.
pub const CREDENTIALS_PER_KIND_MAX: usize = 20;
/// Maximum contacts per account.
pub const ACCOUNT_CONTACTS_MAX: usize = 20;
/// Maximum characters in the name of a credential.
pub const CREDENTIAL_NAME_CHARACTERS_MAX: usize = 100;
/// Maximum actors in the `act` chain of one token.
pub const ACTORS_MAX: usize = 5;
/// Waiting time between the request to delete an organization and its deletion.
pub const ORGANIZATION_DELETION_WAIT: Lifetime = Lifetime::from_days(30);
/// Default lifetime of an API key.
pub const API_KEY_LIFETIME: Lifetime = Lifetime::from_days(90);
/// Maximum lifetime of an API key.
pub const API_KEY_LIFETIME_MAX: Lifetime = Lifetime::from_days(365);
/// Lifetime of the link in a sign-in alert that reports the sign-in.
pub const REPORT_SIGN_IN_LIFETIME: Lifetime = Lifetime::from_days(7);
/// How long delivery of a sign-in alert is attempted.
pub const ALERT_LIFETIME: Lifetime = Lifetime::from_days(1);
/// How long a node claims a message for delivery.
pub const MESSAGE_CLAIM: Lifetime = Lifetime::from_minutes(1);
/// Waiting time after the first failed delivery of a message; each further one is twice as long.
pub const MESSAGE_RETRY: Lifetime = Lifetime::from_seconds(10);
/// Maximum waiting time.
pub const MESSAGE_RETRY_MAX: Lifetime = Lifetime::from_minutes(5);
/// Default overlap in which earlier secrets of a client stay valid next to a new one.
pub const CLIENT_SECRET_OVERLAP: Lifetime = Lifetime::from_hours(24);
/// Maximum overlap.
pub const CLIENT_SECRET_OVERLAP_MAX: Lifetime = Lifetime::from_days(7);
/// Maximum valid secrets of one client.
pub const CLIENT_SECRETS_MAX: usize = 10;
/// Maximum bytes in an e-mail address (RFC 5321 §4.5.3.1.3, without the brackets).
pub const EMAIL_BYTES_MAX: usize = 254;
/// Maximum bytes before the `@` of an e-mail address (RFC 5321 §4.5.3.1.1).
pub const EMAIL_LOCAL_PART_BYTES_MAX: usize = 64;
/// Default lifetime of an invitation.
pub const INVITATION_LIFETIME: Lifetime = Lifetime::from_hours(24);
/// Maximum lifetime of an invitation.
pub const INVITATION_LIFETIME_MAX: Lifetime = Lifetime::from_days(7);
/// Maximum invitations to one address within the window.
pub const INVITATIONS_PER_ADDRESS_MAX: i64 = 10;
/// The length of that window.
pub const INVITATIONS_PER_ADDRESS_WINDOW: Lifetime = Lifetime::from_hours(24);
/// Maximum lines of an invitation list.
pub const INVITATION_LIST_LINES_MAX: usize = 500;
/// Maximum lifetime of an assignment.
pub const ASSIGNMENT_LIFETIME_MAX: Lifetime = Lifetime::from_days(30);
/// Maximum lifetime of an impersonation token.
pub const IMPERSONATION_LIFETIME: Lifetime = Lifetime::from_minutes(5);
/// Maximum active grants that the console reads of a member.
pub const MEMBER_GRANTS_READ_MAX: u32 = 200;

/// Maximum webhooks of one organization or of the instance.
pub const WEBHOOKS_MAX: u32 = 20;
/// Maximum bytes in the URL of a webhook.
pub const WEBHOOK_URL_BYTES_MAX: usize = 2_048;
/// Maximum time of a delivery, from name resolution to the response status.
pub const WEBHOOK_RESPONSE_MAX: Lifetime = Lifetime::from_seconds(5);
/// How long a node claims a webhook for delivery.
pub const WEBHOOK_CLAIM: Lifetime = Lifetime::from_seconds(10);
/// Waiting time after the first failure; each further one is four times as long.
pub const WEBHOOK_RETRY: Lifetime = Lifetime::from_seconds(5);
/// Maximum waiting time.
pub const WEBHOOK_RETRY_MAX: Lifetime = Lifetime::from_hours(1);
/// How long a webhook may fail before it is paused.
pub const WEBHOOK_PAUSE_AFTER: Lifetime = Lifetime::from_days(3);
/// Default overlap in which the earlier secret of a webhook signs next to a new one.
pub const WEBHOOK_SECRET_OVERLAP: Lifetime = Lifetime::from_hours(24);
/// Maximum overlap.
pub const WEBHOOK_SECRET_OVERLAP_MAX: Lifetime = Lifetime::from_days(7);
/// How long delivery attempts are stored.
pub const WEBHOOK_ATTEMPT_RETENTION: Lifetime = Lifetime::from_days(30);
/// Maximum owners who are notified when a webhook is paused.
pub const WEBHOOK_NOTICES_MAX: u32 = 20;
