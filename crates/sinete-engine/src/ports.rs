//! Ports: what the engine needs from outside. The program provides implementations, and so do tests.

use sinete_core::id::MessageId;
use sinete_core::platform::outbound::OutboundTarget;
use sinete_core::sign_in::credentials::breached_password::PasswordFingerprint;
use sinete_core::sign_in::impossible_travel::GeoPoint;
use sinete_core::time::Timestamp;
use std::net::IpAddr;
use std::pin::Pin;

/// A clock.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// Whether it can be compared with other clocks. A manually set clock, as in tests, cannot.
    fn is_comparable(&self) -> bool {
        true
    }
}

/// An HTTP client for URLs that others supplied. The implementation must prevent requests to internal
/// addresses.
pub trait OutboundHttp: Send + Sync {
    /// Sends a GET request and returns the body of a 200 response.
    fn get<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, OutboundError>> + Send + 'a>>;

    /// Sends a GET request and returns the body of a 200 response of at most this many bytes, with the headers
    /// that say how long it may be cached. The default implementation fetches nothing.
    fn get_document<'a>(
        &'a self,
        _target: &'a OutboundTarget<'a>,
        _bytes_max: usize,
    ) -> Pin<Box<dyn Future<Output = Result<OutboundDocument, OutboundError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(OutboundError::new("nothing is fetched here"))))
    }

    /// Sends a GET request with an access token (RFC 6750 §2.1) and returns the body of a 200 response. The default
    /// implementation fetches nothing.
    fn get_with_token<'a>(
        &'a self,
        _target: &'a OutboundTarget<'a>,
        _access_token: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, OutboundError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(OutboundError::new("nothing is fetched here"))))
    }

    /// Posts an encoded form and returns the response.
    fn post_form<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
        form: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<OutboundResponse, OutboundError>> + Send + 'a>>;

    /// Posts JSON and returns the response status; the body is not read. The default implementation posts
    /// nothing.
    fn post<'a>(
        &'a self,
        _posted: &'a OutboundPost<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<u16, OutboundError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(OutboundError::new("nothing is posted here"))))
    }
}

/// The future of an operation on an archive.
pub type ArchiveFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ArchiveStorageError>> + Send + 'a>>;

/// The place where archived segments of the security log are stored: a folder or an object store. A file is
/// there completely or not at all.
pub trait ArchiveStorage: Send + Sync {
    /// Stores a file durably; an existing one of that name is replaced.
    fn put<'a>(&'a self, name: &'a str, content: &'a [u8]) -> ArchiveFuture<'a, ()>;

    /// Reads a file; `None` if it does not exist.
    fn get<'a>(&'a self, name: &'a str) -> ArchiveFuture<'a, Option<Vec<u8>>>;

    /// Lists the names that start with this, in order.
    fn list<'a>(&'a self, prefix: &'a str) -> ArchiveFuture<'a, Vec<String>>;

    /// Removes a file, if it exists.
    fn remove<'a>(&'a self, name: &'a str) -> ArchiveFuture<'a, ()>;
}

/// An archive could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the archive cannot be read or written: {0}")]
pub struct ArchiveStorageError(pub String);

/// A JSON request to a URL that others supplied.
#[derive(Clone, Debug)]
pub struct OutboundPost<'a> {
    /// The URL, purpose and owner.
    pub target: OutboundTarget<'a>,
    /// The additional headers, in lower case.
    pub headers: &'a [(&'static str, String)],
    /// The JSON.
    pub body: &'a [u8],
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboundResponse {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

/// A fetched document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboundDocument {
    /// The body.
    pub body: Vec<u8>,
    /// The header `Cache-Control`, if there is one.
    pub cache_control: Option<String>,
    /// The header `Age`, if there is one.
    pub age: Option<String>,
}

/// An outbound request failed. Its public text does not depend on the reason, so that URLs cannot be used to
/// probe our network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the address could not be read")]
pub struct OutboundError {
    reason: String,
    kind: OutboundFailureKind,
}

/// The kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutboundFailureKind {
    /// Not sent: the owner has reached its limit of concurrent requests.
    Busy,
    /// Sent, but no response arrived.
    NoResponse,
    /// Sent, but no response arrived in time.
    TimedOut,
    /// Not sent: the name of the host has an address that may not be reached.
    HostNotAllowed,
    /// Not sent: the address may not be reached.
    AddressNotAllowed,
    /// The response is a redirect.
    Redirected,
    /// The response is too large.
    TooLarge,
    /// The status is not 200.
    StatusNotOk,
    /// The response cannot be used, or the request must not be sent.
    Unusable,
}

impl OutboundError {
    /// Creates an error with a reason for the log.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: OutboundFailureKind::Unusable }
    }

    /// Creates an error for a request that was not sent for lack of a slot; it can be retried.
    pub fn busy(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: OutboundFailureKind::Busy }
    }

    /// Creates an error for a host that did not respond.
    pub fn no_answer(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: OutboundFailureKind::NoResponse }
    }

    /// Creates an error of this kind.
    pub fn with_kind(kind: OutboundFailureKind, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind }
    }

    /// The kind, for callers that may reveal it: it discloses something about our network.
    pub const fn kind(&self) -> OutboundFailureKind {
        self.kind
    }

    /// Whether the request was not sent for lack of a slot.
    pub fn is_busy(&self) -> bool {
        self.kind == OutboundFailureKind::Busy
    }

    /// Whether the host did not respond.
    pub fn is_no_answer(&self) -> bool {
        use OutboundFailureKind::{HostNotAllowed, NoResponse, TimedOut};
        matches!(self.kind, NoResponse | TimedOut | HostNotAllowed)
    }

    /// The reason, for the log.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// An HTTP client that reaches nothing, for commands beside a server and for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOutboundHttp;

impl OutboundHttp for NoOutboundHttp {
    fn get<'a>(
        &'a self,
        _: &'a OutboundTarget<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, OutboundError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(OutboundError::new("nothing is fetched here"))))
    }

    fn post_form<'a>(
        &'a self,
        _: &'a OutboundTarget<'a>,
        _: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<OutboundResponse, OutboundError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(OutboundError::new("nothing is sent here"))))
    }
}

/// A DNS resolver.
pub trait DnsResolver: Send + Sync {
    /// The TXT records of a name, each with its strings concatenated; empty if there are none.
    fn lookup_txt<'a>(
        &'a self,
        name: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<String>, OutboundError>> + Send + 'a>>;
}

/// A DNS resolver that never answers, for commands beside a server and for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDnsResolver;

impl DnsResolver for NoDnsResolver {
    fn lookup_txt<'a>(
        &'a self,
        _: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<String>, OutboundError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(OutboundError::new("nothing is looked up here"))))
    }
}

/// A GeoIP lookup.
pub trait GeoIpLookup: Send + Sync {
    /// The approximate location of an address, if known.
    fn locate(&self, address: IpAddr) -> Option<GeoLocation>;
}

/// A location.
#[derive(Clone, Debug, PartialEq)]
pub struct GeoLocation {
    /// The display name, such as `Recife, Brazil`.
    pub label: String,
    /// The coordinates, if known.
    pub point: Option<GeoPoint>,
}

/// A GeoIP lookup without data.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGeoIp;

impl GeoIpLookup for NoGeoIp {
    fn locate(&self, _: IpAddr) -> Option<GeoLocation> {
        None
    }
}

/// A breached password lookup.
pub trait BreachedPasswords: Send + Sync {
    /// Whether a password with this fingerprint was breached.
    fn contains<'a>(
        &'a self,
        fingerprint: &'a PasswordFingerprint,
    ) -> Pin<Box<dyn Future<Output = Result<bool, BreachedLookupError>> + Send + 'a>>;
}

/// A breached password list could not be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the list of breached passwords could not be searched: {0}")]
pub struct BreachedLookupError(pub String);

/// The result of delivering a message. `Ok` means that another system has accepted it.
pub type SendFuture<'a> = Pin<Box<dyn Future<Output = Result<(), SendError>> + Send + 'a>>;

/// An e-mail sender.
pub trait EmailSender: Send + Sync {
    /// Delivers a message. Its id is the same at every attempt, so that a receiver can detect duplicates.
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingEmail) -> SendFuture<'a>;
}

/// An SMS sender.
pub trait SmsSender: Send + Sync {
    /// Delivers an SMS. Its id is the same at every attempt.
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingSms) -> SendFuture<'a>;
}

/// An e-mail to one recipient.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OutgoingEmail {
    /// The recipient's address.
    pub to: String,
    /// The subject.
    pub subject: String,
    /// The plain text.
    pub text: String,
    /// The HTML.
    #[serde(default)]
    pub html: String,
}

/// An SMS to one recipient.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OutgoingSms {
    /// The recipient's number (E.164).
    pub to: String,
    /// The text.
    pub text: String,
}

impl std::fmt::Debug for OutgoingEmail {
    /// Omits recipient and content: it may contain a sign-in link.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Message(…)")
    }
}

impl std::fmt::Debug for OutgoingSms {
    /// Omits recipient and content: it may contain a sign-in code.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("ShortMessage(…)")
    }
}

/// A message was not accepted. The reasons are for our log and contain neither recipient nor content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It may be accepted later.
    #[error("not taken: {0}")]
    Temporary(String),
    /// It will never be accepted.
    #[error("refused: {0}")]
    Permanent(String),
}
