//! The OpenAPI properties of a route, in addition to those of the route itself.

use super::RequiredPermission;
use crate::schema::NamedSchema;
use sinete_core::refusal::RefusalCode;

/// A route as an OpenAPI operation.
#[derive(Clone, Copy, Debug)]
pub struct ApiOperation {
    /// The operation id.
    pub id: &'static str,
    /// The tag.
    pub tag: OperationTag,
    /// The schema of the request body.
    pub request: Option<&'static NamedSchema>,
    /// The success response.
    pub outcome: OperationOutcome,
    /// The API conventions that it follows.
    pub conventions: &'static [ApiConvention],
    /// The query parameters, in addition to those of conventions.
    pub query: &'static [QueryParameter],
    /// The refusals, in addition to those of the route and its conventions.
    pub extra_refusals: &'static [RefusalCode],
}

/// The success response.
#[derive(Clone, Copy, Debug)]
pub enum OperationOutcome {
    /// 200 with a resource, or a page of resources with [`ApiConvention::Paged`].
    Resource(&'static NamedSchema),
    /// 201 with the created resource.
    Created(&'static NamedSchema),
    /// 200 with a cacheable document, or 304.
    CacheableDocument(&'static NamedSchema),
    /// 204.
    NoContent,
    /// 200 with an endless stream of this media type.
    Stream(&'static str),
    /// 200 with a resource, or a page of resources with [`ApiConvention::Paged`], or everything as one of these files.
    ResourceOrExport(&'static NamedSchema, &'static [&'static str]),
}

/// An API convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiConvention {
    /// Pagination: `limit`, `after`, `next`.
    Paged,
    /// `Idempotency-Key` is supported.
    IdempotencyKey,
    /// The response has the version as `ETag`.
    Etag,
    /// `If-Match` is required.
    IfMatch,
    /// It changes something, which a suspended organization rejects.
    Mutation,
    /// It requires recent authentication with the user's strongest factors.
    FreshAuthentication,
}

/// A query parameter.
#[derive(Clone, Copy, Debug)]
pub struct QueryParameter {
    /// The name.
    pub name: &'static str,
    /// The description.
    pub description: &'static str,
    /// Whether it is required.
    pub is_required: bool,
    /// The JSON Schema of its value.
    pub schema: fn() -> serde_json::Value,
}

macro_rules! tags {
    ($($tag:ident = $name:literal, $description:literal;)*) => {
        /// A tag.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum OperationTag {
            $(#[doc = $description] $tag,)*
        }

        impl OperationTag {
            /// All tags, in the order of the description.
            pub const ALL: &[Self] = &[$(Self::$tag),*];

            /// The name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$tag => $name,)*
                }
            }

            /// The description.
            pub const fn description(self) -> &'static str {
                match self {
                    $(Self::$tag => $description,)*
                }
            }
        }
    };
}

tags! {
    Service = "Service", "The service itself: whether it is alive, its keys, this description.";
    Flows = "Flows", "Signing in, signing up and everything of that kind, step by step and without a screen.";
    Organizations = "Organizations", "The tenants of the instance.";
    Members = "Members", "Who belongs to an organization: people, machines, and places nobody has claimed yet.";
    Roles = "Roles", "Named sets of permissions that members carry.";
    Invitations = "Invitations", "People who were asked to join an organization.";
    ApiKeys = "API keys", "Long-lived keys of members.";
    Apis = "APIs", "The resource servers whose permissions are handed out.";
    Clients = "Clients", "Applications, services and agents.";
    Assignments = "Assignments", "Operators acting inside an organization, with a reason and an end.";
    Audit = "Audit", "Who did what in an organization and to it.";
    Messages = "Messages", "What became of mail and short messages.";
    Webhooks = "Webhooks", "Addresses that are told of events.";
    SingleSignOn = "Single sign-on", "Domains an organization proves to be its own, and the providers its members sign in at.";
    Permissions = "Permissions", "What there is to be permitted.";
    Accounts = "Accounts", "People, for those who run the instance.";
    Grants = "Grants", "What members let applications do.";
    Instance = "Instance", "The instance itself: its keys, its settings, everything that happened.";
    Account = "Account", "Whoever is signed in, about themselves.";
    Provisioning = "Provisioning", "SCIM 2.0: users and groups of the organization that the credential speaks for.";
}

impl ApiOperation {
    /// Whether it follows this convention.
    pub fn has_convention(&self, convention: ApiConvention) -> bool {
        self.conventions.contains(&convention)
    }
}

/// The refusals of a DPoP proof.
const DPOP_REFUSALS: [RefusalCode; 2] = [RefusalCode::InvalidKeyProof, RefusalCode::KeyProofNonceNeeded];

/// The refusals of a credential.
pub(crate) fn credential_refusals(needs: RequiredPermission) -> Vec<RefusalCode> {
    let mut codes =
        vec![RefusalCode::Unauthenticated, RefusalCode::InvalidToken, RefusalCode::TooManyRequests];
    codes.extend(DPOP_REFUSALS);
    if !needs.permissions().is_empty() {
        codes.push(RefusalCode::InsufficientScope);
    }
    codes
}

pub(crate) const fn convention_refusals(convention: ApiConvention) -> &'static [RefusalCode] {
    match convention {
        ApiConvention::Paged | ApiConvention::Etag => &[],
        ApiConvention::IdempotencyKey => &[RefusalCode::AlreadyCreated, RefusalCode::Conflict],
        ApiConvention::IfMatch => &[RefusalCode::PreconditionRequired, RefusalCode::PreconditionFailed],
        ApiConvention::Mutation => &[RefusalCode::OrganizationSuspended, RefusalCode::Conflict],
        ApiConvention::FreshAuthentication => &[RefusalCode::InsufficientAuthentication],
    }
}
