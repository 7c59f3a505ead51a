//! What there is to say about a route. The table itself is in `router.rs`.

mod operation;
mod rate_limits;

pub use operation::{ApiConvention, ApiOperation, OperationOutcome, OperationTag, QueryParameter};
pub use rate_limits::{RateLimitKind, RouteRateLimits};

use crate::call::RoutedRequest;
use crate::reply::document::StaticDocument;
use crate::reply::{HandlerError, HandlerResult};
use crate::state::HttpState;
use axum::routing::MethodFilter;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// One row of the table.
#[derive(Clone, Copy)]
pub struct RouteEntry {
    /// The method. Where it is GET, HEAD is answered too.
    pub method: RouteMethod,
    /// The path below the base address; `{name}` stands for one segment.
    pub path: &'static str,
    /// Where it is served.
    pub listener: RouteListener,
    /// When it is served.
    pub availability: RouteAvailability,
    /// Who may call it.
    pub caller: CallerKind,
    /// What body it takes.
    pub request_body: RequestBodyKind,
    /// The shape of its refusals.
    pub error_format: ErrorFormat,
    /// Which origins' scripts may read its answers.
    pub cors: CorsPolicy,
    /// What answering it costs.
    pub weight: RouteWeight,
    /// What bounds how often it writes.
    pub rate_limits: RouteRateLimits,
    /// What it does, in one line.
    pub description: &'static str,
    /// What the API description says of it; nothing, where it is no part of the API.
    pub operation: Option<ApiOperation>,
    /// What answers it.
    pub handler: RouteHandler,
}

/// What answers a route: plain function pointers, so that the table is a constant.
#[derive(Clone, Copy)]
pub enum RouteHandler {
    /// Work for this one request.
    Handler(HandlerFn),
    /// A document that is ready and the same for everyone who may call the route.
    Document(DocumentSource),
}

/// Work for one request.
pub type HandlerFn = fn(HttpState, RoutedRequest) -> HandlerFuture;
/// What a handler comes to in the end.
pub type HandlerFuture = Pin<Box<dyn Future<Output = HandlerResult> + Send>>;
/// Where a document is taken from, without waiting for anything.
pub type DocumentSource = fn(&HttpState) -> Result<Arc<StaticDocument>, HandlerError>;

impl RouteHandler {
    /// Begins to answer.
    pub(crate) fn call(self, state: HttpState, call: RoutedRequest) -> HandlerFuture {
        match self {
            Self::Handler(handler) => handler(state, call),
            Self::Document(shelf) => Box::pin(async move { Ok(shelf(&state)?.to_response(call.headers())) }),
        }
    }
}

/// The methods we serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RouteMethod {
    /// Read.
    Get,
    /// Do.
    Post,
    /// Replace.
    Put,
    /// Change.
    Patch,
    /// Remove.
    Delete,
}

/// Where a route is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteListener {
    /// For everyone who can reach us.
    Public,
    /// For those who run us; on loopback unless configured otherwise.
    Admin,
    /// On both.
    Both,
}

/// When a route is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteAvailability {
    /// Always.
    Always,
    /// Only where people are led somewhere when they have to be asked something.
    WithInteraction,
    /// Only while the hosted screens are switched on.
    WithScreens,
    /// The same, unless the console is left out.
    WithConsole,
    /// Only by an instance to try things on.
    InDevelopment,
}

/// Who may call a route. There is no default: a row that does not say it does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerKind {
    /// Anyone who can reach the listener: nothing is asked for and nothing depends on who it is.
    Anyone,
    /// A browser, sent by a client that the request names and whose address for the answer is proven. Who is
    /// signed in there is looked at and need not be anybody.
    Browser,
    /// Whoever presents a bearer credential that counts (RFC 6750), and has what it takes.
    Bearer(RequiredPermission),
    /// Whoever presents an access token that counts, in the header or in a form (RFC 6750 §2.1, §2.2), with this
    /// scope in it.
    Token(&'static str),
    /// A client that proves who it is in the way it registered (RFC 6749 §2.3), or names itself where it keeps
    /// no secret.
    Client,
    /// Anyone, about a client of their own; whoever shows a bearer credential, for their organization.
    Applicant,
    /// A client that manages its own registration, with the token it was given for that (RFC 7592).
    Registration,
    /// Whoever holds a session that counts, by cookie or as `Authorization: Session`.
    Session,
    /// Whoever is signed in in this browser, and has what it takes; everybody else is led to sign in. Only the cookie
    /// counts: a page is nothing for programs.
    Person,
    /// Whoever walks through the flow that the path names, by cookie or as `Authorization: Flow`.
    Flow,
}

/// What it takes to call a route with a credential that counts. The engine judges; the table says it first, so
/// that whoever lacks it learns nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredPermission {
    /// Nothing more.
    Nothing,
    /// This permission over the instance.
    OverInstance(&'static str),
    /// This permission in the organization that the path names.
    InOrganization(&'static str),
    /// One of these permissions in the organization that the path names; which one depends on the thing.
    OneInOrganization(&'static [&'static str]),
    /// This permission in the organization that the path names, or that the thing is the caller's own.
    InOrganizationOrOwn(&'static str),
    /// This permission in the organization that the credential speaks for: the path names none.
    InOwnOrganization(&'static str),
    /// An assignment to the organization that the path names: a member does not do this.
    Assignment,
}

/// What body a route takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestBodyKind {
    /// None; one that is sent is not read.
    Nothing,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// The same, or nothing at all.
    FormOrNothing,
    /// `application/json`.
    Json,
    /// `application/merge-patch+json` (RFC 7396), also as `application/json`.
    MergePatch,
    /// `application/scim+json` (RFC 7644 §8.1), also as `application/json`.
    Scim,
    /// The same, for many requests in one.
    ScimBulk,
}

/// The shape of a route's refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorFormat {
    /// `application/problem+json` (RFC 9457), or a page for those who would rather read one.
    Problem,
    /// `{"error": …}` (RFC 6749 §5.2).
    OAuth,
    /// `application/scim+json` (RFC 7644 §3.12).
    Scim,
}

/// Which origins' scripts may read the answers of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorsPolicy {
    /// Every origin's, without credentials: what is said is public.
    Any,
    /// Our own, and those that are configured, with the cookies of whoever looks at their pages.
    Listed,
    /// Only our own.
    Own,
}

/// What answering a route costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteWeight {
    /// Next to nothing, from memory: it needs no place among the requests being answered, so that probes and
    /// keys are answered under overload too, and it is logged only in detail while it succeeds.
    Light,
    /// Real work.
    Full,
}

impl RouteMethod {
    /// The method's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    pub(crate) const fn method_filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Patch => MethodFilter::PATCH,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}

impl RequiredPermission {
    /// The permissions it names: any one of them will do.
    pub fn permissions(self) -> Vec<&'static str> {
        match self {
            Self::Nothing | Self::Assignment => Vec::new(),
            Self::OneInOrganization(permissions) => permissions.to_vec(),
            Self::OverInstance(permission)
            | Self::InOrganization(permission)
            | Self::InOwnOrganization(permission)
            | Self::InOrganizationOrOwn(permission) => vec![permission],
        }
    }
}

impl RequestBodyKind {
    /// The media types it is sent as, the usual one first.
    pub const fn media_types(self) -> &'static [&'static str] {
        match self {
            Self::Nothing => &[],
            Self::Form | Self::FormOrNothing => &["application/x-www-form-urlencoded"],
            Self::Json => &["application/json"],
            Self::MergePatch => &["application/merge-patch+json", "application/json"],
            Self::Scim | Self::ScimBulk => &["application/scim+json", "application/json"],
        }
    }
}

impl RouteListener {
    /// Whether a route for `self` is served on the listener `other`.
    pub const fn includes(self, other: Self) -> bool {
        matches!((self, other), (Self::Both, _) | (Self::Public, Self::Public) | (Self::Admin, Self::Admin))
    }
}

impl fmt::Debug for RouteEntry {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} for {:?}", self.method.name(), self.path, self.caller)
    }
}
