//! The description of a route. The application contains the table of routes.

mod operation;
mod rate_limits;

pub use operation::{ApiConvention, ApiOperation, OperationOutcome, OperationTag, QueryParameter};
pub(crate) use operation::{convention_refusals, credential_refusals};
pub use rate_limits::{RateLimitKind, RouteRateLimits};

use axum::http::Method;
use axum::routing::MethodFilter;

/// A method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RouteMethod {
    /// GET.
    Get,
    /// POST.
    Post,
    /// PUT.
    Put,
    /// PATCH.
    Patch,
    /// DELETE.
    Delete,
}

/// The listener of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteListener {
    /// The public listener.
    Public,
    /// The admin listener, for operators; on loopback by default.
    Admin,
    /// On both.
    Both,
}

/// When a route is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteAvailability {
    /// Always.
    Always,
    /// Only if there is an interface for users.
    WithInteraction,
    /// Only while the hosted screens are enabled.
    WithScreens,
    /// Only while the console is enabled.
    WithConsole,
    /// Only in development.
    InDevelopment,
}

/// Who may call a route. There is no default: a route without it does not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerKind {
    /// Anyone: nothing is required, and the response does not depend on the caller.
    Anyone,
    /// A browser, sent by a client with a valid redirect URI. The user may or may not be signed in.
    Browser,
    /// A caller with a valid credential (RFC 6750) and this permission.
    Bearer(RequiredPermission),
    /// A caller with a valid access token, in the header or in a form (RFC 6750 §2.1, §2.2), with this scope.
    Token(&'static str),
    /// A client that authenticates with its registered method (RFC 6749 §2.3), or a public client.
    Client,
    /// Anyone who registers a client; with a credential, for their organization.
    Registrant,
    /// A client with its registration access token (RFC 7592).
    Registration,
    /// A caller with a valid session, by cookie or as `Authorization: Session`.
    Session,
    /// A user signed in in this browser, with this permission; others are redirected to sign-in. Only the
    /// cookie is accepted, because a page is not for programs.
    SignedInUser,
    /// The holder of the flow in the path, by cookie or as `Authorization: Flow`.
    Flow,
}

/// The permission that a route requires. The engine checks it too; the table checks first, so that callers
/// without it learn nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredPermission {
    /// None.
    Nothing,
    /// This permission for the instance.
    OverInstance(&'static str),
    /// This permission in the organization of the path.
    InOrganization(&'static str),
    /// One of these permissions in the organization of the path, depending on the resource.
    OneInOrganization(&'static [&'static str]),
    /// This permission in the organization of the path, unless the resource is the caller's own.
    InOrganizationOrOwner(&'static str),
    /// This permission in the organization of the credential, if the path names none.
    InCredentialOrganization(&'static str),
    /// An assignment to the organization of the path; not available to members.
    Assignment,
}

/// The body that a route accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestBodyKind {
    /// None; a body is not read.
    Nothing,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// A form or nothing.
    FormOrNothing,
    /// `application/json`.
    Json,
    /// `application/merge-patch+json` (RFC 7396), also as `application/json`.
    MergePatch,
    /// `application/scim+json` (RFC 7644 §8.1), also as `application/json`.
    Scim,
    /// The same, for bulk requests.
    ScimBulk,
}

/// The format of a route's errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorFormat {
    /// `application/problem+json` (RFC 9457), or a page if preferred.
    Problem,
    /// `{"error": …}` (RFC 6749 §5.2).
    OAuth,
    /// `application/scim+json` (RFC 7644 §3.12).
    Scim,
}

/// The CORS policy of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorsPolicy {
    /// All origins, without credentials: the response is public.
    Any,
    /// Our own and the configured origins, with cookies.
    Listed,
    /// Only our own.
    SameOrigin,
}

/// The cost of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteWeight {
    /// Negligible, from memory: it needs no request slot, so that probes and keys are served under overload
    /// too, and successes are logged only at debug level.
    Light,
    /// Regular work.
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

    pub(crate) const fn to_method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
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
    /// The permissions, any of which is sufficient.
    pub fn permissions(self) -> Vec<&'static str> {
        match self {
            Self::Nothing | Self::Assignment => Vec::new(),
            Self::OneInOrganization(permissions) => permissions.to_vec(),
            Self::OverInstance(permission)
            | Self::InOrganization(permission)
            | Self::InCredentialOrganization(permission)
            | Self::InOrganizationOrOwner(permission) => vec![permission],
        }
    }
}

impl RequestBodyKind {
    /// The accepted media types, the usual one first.
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
