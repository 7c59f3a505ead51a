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
            /// All tags, in the order of the OpenAPI description.
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
    Service = "Service", "The service itself: liveness, public signing keys, and this description.";
    Flows = "Flows", "Authentication flows, such as sign-in and sign-up: their stages and actions, without hosted screens.";
    Organizations = "Organizations", "The tenants of the instance.";
    Members = "Members", "The members of an organization: users, services, agents, and memberships that are not claimed yet.";
    Roles = "Roles", "Named sets of permissions that are assigned to members.";
    Invitations = "Invitations", "Invitations to join an organization.";
    ApiKeys = "API keys", "Long-lived keys that act for a member.";
    Apis = "APIs", "Resource servers with their permissions.";
    Clients = "Clients", "Applications, services and agents that request tokens.";
    Assignments = "Assignments", "Operators who act inside an organization, with a reason and an end.";
    Audit = "Audit", "The audit log of an organization.";
    Messages = "Messages", "The delivery state of e-mail and SMS.";
    Webhooks = "Webhooks", "URLs that receive events.";
    SingleSignOn = "Single sign-on", "Verified domains and identity provider connections of an organization.";
    Permissions = "Permissions", "The built-in permissions.";
    Accounts = "Accounts", "User accounts, for operators.";
    Grants = "Grants", "The access that members granted to applications.";
    Instance = "Instance", "The instance itself: its signing keys, settings, health and security log.";
    Account = "Account", "The account of the signed-in user.";
    Provisioning = "Provisioning", "SCIM 2.0: users and groups of the organization of the credential.";
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
