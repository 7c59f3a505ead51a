//! What the engine asks of the world outside. The program brings the real things; tests bring their own.

use sinete_core::id::MessageId;
use sinete_core::platform::outbound::OutboundTarget;
use sinete_core::sign_in::credentials::breached_password::PasswordFingerprint;
use sinete_core::sign_in::impossible_travel::GeoPoint;
use sinete_core::time::Timestamp;
use std::net::IpAddr;
use std::pin::Pin;

/// Knows what time it is.
pub trait Clock: Send + Sync {
    /// The time, now.
    fn now(&self) -> Timestamp;

    /// Whether it goes like any other clock. One that is set by hand, as in a test, says nothing about the machine.
    fn is_comparable(&self) -> bool {
        true
    }
}

/// Reaches addresses that others named. Whoever brings it sees to it that they lead nowhere they should not.
pub trait OutboundHttp: Send + Sync {
    /// What an address answers to being read: the body, if it answered 200 and nothing else.
    fn get<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<u8>, OutboundError>> + Send + 'a>>;

    /// What an address answers to a form, which is given as it is sent.
    fn post_form<'a>(
        &'a self,
        target: &'a OutboundTarget<'a>,
        form: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<OutboundResponse, OutboundError>> + Send + 'a>>;

    /// The status with which an address takes what is posted to it. What else it says is not read. A web that only
    /// reads posts nothing.
    fn post<'a>(
        &'a self,
        _posted: &'a OutboundPost<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<u16, OutboundError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(OutboundError::new("nothing is posted here"))))
    }
}

/// JSON to be posted to an address that others named.
#[derive(Clone, Debug)]
pub struct OutboundPost<'a> {
    /// Where to, what for and on whose behalf.
    pub target: OutboundTarget<'a>,
    /// What it is accompanied by, in lower case.
    pub headers: &'a [(&'static str, String)],
    /// The JSON.
    pub body: &'a [u8],
}

/// What an address answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboundResponse {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
}

/// An address was not reached, or its answer is nothing we read. It reads the same whatever the reason, so that
/// nobody learns about our network by naming addresses in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the address could not be read")]
pub struct OutboundError {
    reason: String,
    kind: UnreachableKind,
}

/// What was not reached about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnreachableKind {
    /// Nothing was sent: whoever it would have been sent for has as many requests under way as they may.
    Busy,
    /// It was sent, and nothing came back in time.
    NoAnswer,
    /// Something came back that is not read, or it was never to be sent.
    Unusable,
}

impl OutboundError {
    /// Why, for the log.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: UnreachableKind::Unusable }
    }

    /// Nothing was sent, for want of a place. It may be sent in a moment.
    pub fn busy(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: UnreachableKind::Busy }
    }

    /// The host did not answer.
    pub fn no_answer(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), kind: UnreachableKind::NoAnswer }
    }

    /// Whether nothing was sent, for want of a place.
    pub fn is_busy(&self) -> bool {
        self.kind == UnreachableKind::Busy
    }

    /// Whether the host did not answer.
    pub fn is_no_answer(&self) -> bool {
        self.kind == UnreachableKind::NoAnswer
    }

    /// Why, for the log.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// A web on which nothing is reached: for commands beside a server, and for tests that fetch nothing.
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

/// Looks up records of the DNS.
pub trait DnsResolver: Send + Sync {
    /// The texts that are published under a name, each record's put together; none where there are none.
    fn texts<'a>(
        &'a self,
        name: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<String>, OutboundError>> + Send + 'a>>;
}

/// A DNS that never answers: for commands beside a server, and for tests that look nothing up.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDnsResolver;

impl DnsResolver for NoDnsResolver {
    fn texts<'a>(
        &'a self,
        _: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<String>, OutboundError>> + Send + 'a>> {
        Box::pin(std::future::ready(Err(OutboundError::new("nothing is looked up here"))))
    }
}

/// Knows where network addresses are, roughly.
pub trait GeoIpLookup: Send + Sync {
    /// Where this one is, if that is known.
    fn locate(&self, address: IpAddr) -> Option<GeoLocation>;
}

/// Somewhere on earth.
#[derive(Clone, Debug, PartialEq)]
pub struct GeoLocation {
    /// As people call it, such as `Recife, Brazil`.
    pub label: String,
    /// Where exactly, as far as that is known.
    pub point: Option<GeoPoint>,
}

/// Knows of no place.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGeoIp;

impl GeoIpLookup for NoGeoIp {
    fn locate(&self, _: IpAddr) -> Option<GeoLocation> {
        None
    }
}

/// Knows passwords that were breached somewhere.
pub trait BreachedPasswords: Send + Sync {
    /// Whether one with this fingerprint is among them.
    fn contains<'a>(
        &'a self,
        fingerprint: &'a PasswordFingerprint,
    ) -> Pin<Box<dyn Future<Output = Result<bool, BreachedLookupError>> + Send + 'a>>;
}

/// A list of breached passwords could not be searched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the list of breached passwords could not be searched: {0}")]
pub struct BreachedLookupError(pub String);

/// What becomes of handing a message over. `Ok` means that somebody else is responsible for it now.
pub type SendFuture<'a> = Pin<Box<dyn Future<Output = Result<(), SendError>> + Send + 'a>>;

/// Sends mail.
pub trait EmailSender: Send + Sync {
    /// Hands a message over for delivery. Its id is the same at every attempt, so that a receiver can tell a
    /// repetition.
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingEmail) -> SendFuture<'a>;
}

/// Sends short messages to telephones.
pub trait SmsSender: Send + Sync {
    /// Hands a short message over for delivery. Its id is the same at every attempt.
    fn send<'a>(&'a self, id: MessageId, message: &'a OutgoingSms) -> SendFuture<'a>;
}

/// A message to one person.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OutgoingEmail {
    /// The address it goes to.
    pub to: String,
    /// What it is about.
    pub subject: String,
    /// What it says, as plain text.
    pub text: String,
    /// The same, as a page.
    #[serde(default)]
    pub html: String,
}

/// A short message to one telephone.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OutgoingSms {
    /// The number it goes to, with its country's code (E.164).
    pub to: String,
    /// What it says.
    pub text: String,
}

impl std::fmt::Debug for OutgoingEmail {
    /// Neither who it goes to nor what it says: it may hold a link that signs somebody in.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Message(…)")
    }
}

impl std::fmt::Debug for OutgoingSms {
    /// Neither who it goes to nor what it says: it may hold digits that sign somebody in.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("ShortMessage(…)")
    }
}

/// A message was not taken. The reasons are ours to read: they name neither the person nor what was said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It may be taken later.
    #[error("not taken: {0}")]
    Temporary(String),
    /// It will never be taken.
    #[error("refused: {0}")]
    Permanent(String),
}
