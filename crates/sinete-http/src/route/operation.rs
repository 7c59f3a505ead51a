//! What the API description says of a route, beyond what the row says anyway.

use super::{CallerKind, ErrorFormat, RequestBodyKind, RequiredPermission, RouteEntry, RouteWeight};
use crate::schema::NamedSchema;
use sinete_core::refusal::RefusalCode;

/// A route as part of the API.
#[derive(Clone, Copy, Debug)]
pub struct ApiOperation {
    /// Its name, unique among all.
    pub id: &'static str,
    /// What it is about.
    pub tag: OperationTag,
    /// The body it takes.
    pub request: Option<&'static NamedSchema>,
    /// What it answers when it succeeds.
    pub outcome: OperationOutcome,
    /// The habits of the API that it follows.
    pub conventions: &'static [ApiConvention],
    /// What it can be asked in the query, beyond what a habit adds.
    pub query: &'static [QueryParameter],
    /// What it refuses with, beyond what the row and the habits lead to.
    pub extra_refusals: &'static [RefusalCode],
}

/// What a route answers when it succeeds.
#[derive(Clone, Copy, Debug)]
pub enum OperationOutcome {
    /// 200 and the thing, or a page of such things where the route follows [`Convention::Paged`].
    Resource(&'static NamedSchema),
    /// 201 and the thing that was made.
    Created(&'static NamedSchema),
    /// 200 and a document that may be kept, or 304 for those who have it.
    CacheableDocument(&'static NamedSchema),
    /// 204: there is nothing to show.
    NoContent,
    /// 200 and an answer without an end, of this media type.
    Stream(&'static str),
    /// 200 and a page of such things, or all of them as one of these files.
    ResourceOrExport(&'static NamedSchema, &'static [&'static str]),
}

/// A habit of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiConvention {
    /// A list shown in pages: `limit`, `after`, `next`.
    Paged,
    /// It may be repeated under an `Idempotency-Key`.
    IdempotencyKey,
    /// The answer carries the version of the thing as its `ETag`.
    Etag,
    /// `If-Match` must say which version it changes.
    IfMatch,
    /// It changes something, which a suspended organization does not accept.
    Mutation,
    /// It is sensitive: whoever asks proved who they are within the last minutes, with as much as they could.
    FreshAuthentication,
}

/// A parameter of the query.
#[derive(Clone, Copy, Debug)]
pub struct QueryParameter {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub description: &'static str,
    /// Whether it must be there.
    pub is_required: bool,
    /// The JSON Schema of its value.
    pub schema: fn() -> serde_json::Value,
}

macro_rules! tags {
    ($($tag:ident = $name:literal, $description:literal;)*) => {
        /// What an operation is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum OperationTag {
            $(#[doc = $description] $tag,)*
        }

        impl OperationTag {
            /// Every tag, in the order of the description.
            pub const ALL: &[Self] = &[$(Self::$tag),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$tag => $name,)*
                }
            }

            /// What it stands for.
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
    /// Whether it follows this habit.
    pub fn has_convention(&self, convention: ApiConvention) -> bool {
        self.conventions.contains(&convention)
    }
}

impl RouteEntry {
    /// Everything the route can be refused with, failures of ours included, by status and name.
    pub fn possible_refusals(&self) -> Vec<RefusalCode> {
        let mut codes = vec![
            RefusalCode::InvalidRequest,
            RefusalCode::UriTooLong,
            RefusalCode::HeadersTooLarge,
            RefusalCode::ServerError,
        ];
        if self.weight == RouteWeight::Full {
            codes.extend([RefusalCode::TemporarilyUnavailable, RefusalCode::OutcomeUnknown]);
        }
        if self.request_body != RequestBodyKind::Nothing {
            codes.extend([
                RefusalCode::RequestTimeout,
                RefusalCode::TooLarge,
                RefusalCode::UnsupportedMediaType,
            ]);
            // What cannot be has words of its own there.
            match self.error_format {
                ErrorFormat::Problem | ErrorFormat::OAuth => codes.push(RefusalCode::Unprocessable),
                ErrorFormat::Scim => codes.extend([RefusalCode::InvalidSyntax, RefusalCode::InvalidValue]),
            }
        }
        match self.caller {
            CallerKind::Anyone | CallerKind::Browser | CallerKind::Applicant | CallerKind::Person => {}
            CallerKind::Registration => {
                codes.extend([RefusalCode::InvalidToken, RefusalCode::TooManyRequests])
            }
            CallerKind::Token(_) => codes.extend([
                RefusalCode::InvalidToken,
                RefusalCode::InvalidKeyProof,
                RefusalCode::KeyProofNonceNeeded,
                RefusalCode::InsufficientScope,
                RefusalCode::TooManyRequests,
            ]),
            CallerKind::Client => codes.extend([RefusalCode::InvalidClient, RefusalCode::TooManyRequests]),
            CallerKind::Bearer(needs) => codes.extend(credential_refusals(needs)),
            CallerKind::Session | CallerKind::Flow => codes.extend([
                RefusalCode::Unauthenticated,
                RefusalCode::Forbidden,
                RefusalCode::TooManyRequests,
            ]),
        }
        if self.path.contains('{') {
            codes.push(RefusalCode::NotFound);
        }
        if let Some(operation) = &self.operation {
            codes
                .extend(operation.conventions.iter().flat_map(|convention| convention_refusals(*convention)));
            codes.extend(operation.extra_refusals);
        }
        codes.sort_unstable_by_key(|code| (code.status(), code.name()));
        codes.dedup();
        codes
    }
}

/// What a proof beside a credential can be refused for.
const DPOP_REFUSALS: [RefusalCode; 2] = [RefusalCode::InvalidKeyProof, RefusalCode::KeyProofNonceNeeded];

/// What a credential can be refused for.
fn credential_refusals(needs: RequiredPermission) -> Vec<RefusalCode> {
    let mut codes =
        vec![RefusalCode::Unauthenticated, RefusalCode::InvalidToken, RefusalCode::TooManyRequests];
    codes.extend(DPOP_REFUSALS);
    if !needs.permissions().is_empty() {
        codes.push(RefusalCode::InsufficientScope);
    }
    codes
}

const fn convention_refusals(convention: ApiConvention) -> &'static [RefusalCode] {
    match convention {
        ApiConvention::Paged | ApiConvention::Etag => &[],
        ApiConvention::IdempotencyKey => &[RefusalCode::AlreadyCreated, RefusalCode::Conflict],
        ApiConvention::IfMatch => &[RefusalCode::PreconditionRequired, RefusalCode::PreconditionFailed],
        ApiConvention::Mutation => &[RefusalCode::OrganizationSuspended, RefusalCode::Conflict],
        ApiConvention::FreshAuthentication => &[RefusalCode::InsufficientAuthentication],
    }
}
