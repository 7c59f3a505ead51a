//! Active grants: the grant, everything it depends on, and its audience. Codes and refresh tokens both refer
//! to one.

use crate::oauth::client_authentication::AuthenticatedClient;
use crate::oauth::token;
use crate::oauth::token::{RequestedAccess, TokenOrigin, TokenRequestContext};
use crate::oauth::token_issuance;
use crate::oauth::token_issuance::{AccessTokenParams, Audience};
use crate::platform::signing_keys;
use crate::{Engine, Error, Failure};
use serde_json::{Map, Value};
use sinete_core::access_control::Authority;
use sinete_core::access_control::scope::{IdentityScope, ScopeSet};
use sinete_core::access_control::subject::ActiveSubject;
use sinete_core::assurance::AssuranceLevel;
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::limits::CACHED_PERMISSIONS_MAX;
use sinete_core::oauth::access_token::AuthenticationContext;
use sinete_core::oauth::actor::ActorClaim;
use sinete_core::oauth::authorization_details::AuthorizationDetails;
use sinete_core::oauth::authorize::stored_grant_params::{GrantAuthentication, GrantedScopes};
use sinete_core::oauth::confirmation::ConfirmationClaim;
use sinete_core::oauth::grants::{invalid_authorization_details, invalid_grant};
use sinete_core::oauth::id_token::{IdTokenClaims, IdTokenIssuance};
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_core::oauth::organization_policy::{PolicyApproval, TokenDerivation, UserAuthentication};
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::oauth::grants::StoredGrantKind;
use sinete_store::oauth::subject_state::{GrantWithSession, SubjectSnapshot};
use sinete_store::organizations::api_catalog::ApiCatalogVersion;
use sinete_store::sign_in::sessions::SessionFreshness;

/// The subject of a grant, and the grant if it belongs to the requesting client. `None` if the membership has
/// no holder.
pub(in crate::oauth) type GrantLookup = Option<(SubjectSnapshot, Option<GrantWithSession>)>;

/// A grant with everything it depends on, as read.
#[derive(Debug)]
pub(crate) struct GrantSnapshot {
    pub(crate) grant: GrantId,
    pub(crate) membership: MembershipId,
    /// When the grant expires.
    pub(crate) expires_at: Timestamp,
    pub(crate) agreed_scopes: GrantedScopes,
    pub(crate) details: AuthorizationDetails,
    pub(crate) authenticated: GrantAuthentication,
    /// The freshness of its session, if it has one.
    pub(crate) session: Option<SessionFreshness>,
    pub(crate) subject: ActiveSubject,
    /// The version of the API catalog.
    pub(crate) api_catalog_version: ApiCatalogVersion,
    /// How it was created.
    pub(crate) kind: StoredGrantKind,
    /// The organization's settings.
    pub(crate) settings: OrganizationSettings,
}

impl GrantSnapshot {
    /// Creates it from what was read, if everything is active.
    pub(in crate::oauth) fn from_lookup(lookup: GrantLookup) -> Result<Self, Error> {
        let Some((snapshot, granted)) = lookup else {
            return Err(invalid_grant("the membership no longer has a holder").into());
        };
        let settings = snapshot.settings.parse::<OrganizationSettings>()?;
        let active_subject =
            snapshot.state.require_active().map_err(|subject| invalid_grant(subject.to_string()))?;
        let Some(GrantWithSession { grant, session }) = granted else {
            return Err(invalid_grant("no grant").into());
        };
        Ok(Self {
            grant: grant.id,
            membership: grant.membership,
            expires_at: grant.expires_at,
            agreed_scopes: grant.scopes.parse()?,
            details: grant.details.parse()?,
            authenticated: grant.authentication.parse()?,
            session,
            subject: active_subject,
            api_catalog_version: snapshot.api_catalog_version,
            kind: grant.kind,
            settings,
        })
    }

    /// Whether it is small enough to be cached.
    pub(crate) fn is_cacheable(&self) -> bool {
        let permissions = self.subject.roles().iter().map(|role| role.permissions().len());
        self.details.is_empty() && permissions.sum::<usize>() <= CACHED_PERMISSIONS_MAX
    }

    /// Whether the assurance level is still the same as when the grant was created, by the cached session
    /// freshness. The dependency version does not cover freshness; it only increases, so the cached value is
    /// never too high.
    pub(in crate::oauth) fn has_same_assurance(&self, now: Timestamp) -> bool {
        self.assurance(now) == self.authenticated.assurance
    }

    /// The current assurance level of the grant. It never exceeds the original one; it decays with the
    /// session, or from the time of authentication if there is no session.
    pub(in crate::oauth) fn assurance(&self, now: Timestamp) -> AssuranceLevel {
        let Self { authenticated, session, .. } = self;
        let effective = match session {
            Some(session) => session.assurance_level(&authenticated.evidence, now),
            None => authenticated.evidence.effective_level(authenticated.at, now),
        };
        effective.unwrap_or_default().min(authenticated.assurance)
    }
}

/// An active grant.
pub(in crate::oauth) struct ActiveGrant {
    /// The grant and what it depends on.
    pub(in crate::oauth) snapshot: GrantSnapshot,
    /// The user's current authority.
    pub(in crate::oauth) authority: Authority,
    /// The audience.
    pub(in crate::oauth) audience: Audience,
    assurance: AssuranceLevel,
}

/// The contents of the tokens of one response.
pub(in crate::oauth) struct TokenContents {
    /// The scopes that are requested and held.
    pub(in crate::oauth) scopes: ScopeSet,
    /// The same as authority.
    pub(in crate::oauth) authority: Authority,
    /// The authorization details.
    pub(in crate::oauth) details: AuthorizationDetails,
    /// The binding of the access token.
    pub(in crate::oauth) confirmation: Option<ConfirmationClaim>,
    /// The `nonce` of the ID token.
    pub(in crate::oauth) nonce: Option<String>,
    /// Claims requested by name for the ID token.
    pub(in crate::oauth) id_token_claims: Map<String, Value>,
    /// The approval by the organization's policy.
    pub(in crate::oauth) policy: PolicyApproval,
}

/// The signed tokens of one response.
pub(in crate::oauth) struct SignedTokens {
    pub(in crate::oauth) access_token: String,
    pub(in crate::oauth) id_token: Option<String>,
}

impl ActiveGrant {
    /// Checks that the grant is valid for its audience. The organization's policy is checked after the
    /// contents of the token are known.
    pub(in crate::oauth) async fn check_active(
        engine: &Engine,
        snapshot: GrantSnapshot,
        audience: &ApiIdentifier,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let assurance = snapshot.assurance(now);
        // A grant for an API that is no longer offered is invalid.
        let catalog = snapshot.api_catalog_version.load_catalog(engine.store()).await?;
        let Ok(target_audience) = token_issuance::find_audience(engine, &catalog, audience) else {
            return Err(invalid_grant("the API is no longer offered").into());
        };
        let authority = Authority::derive(&snapshot.subject);
        Ok(Self { snapshot, authority, audience: target_audience, assurance })
    }

    /// Checks the organization's policy for a token with these scopes and details.
    pub(in crate::oauth) fn check_policy(
        &self,
        engine: &Engine,
        context: &TokenRequestContext<'_>,
        step: TokenDerivation,
        scopes: &ScopeSet,
        details: &AuthorizationDetails,
    ) -> Result<PolicyApproval, Refusal> {
        let access = RequestedAccess { audience: &self.audience, scopes, details };
        context.check_policy(engine, self.origin(step, context.now), access)
    }

    /// Whether the organization's policy would allow a refresh with these scopes and all details now.
    pub(in crate::oauth) fn is_renewable(
        &self,
        client: &AuthenticatedClient,
        scopes: &ScopeSet,
        now: Timestamp,
    ) -> bool {
        let access = RequestedAccess { audience: &self.audience, scopes, details: &self.snapshot.details };
        token::check_client_policy(client, self.origin(TokenDerivation::Refresh, now), access).is_ok()
    }

    fn origin(&self, step: TokenDerivation, now: Timestamp) -> TokenOrigin<'_> {
        let GrantSnapshot { authenticated, subject, kind, settings, .. } = &self.snapshot;
        let user = UserAuthentication { evidence: &authenticated.evidence, assurance: self.assurance, now };
        TokenOrigin {
            organization: subject.organization(),
            settings,
            source: token::token_source(*kind),
            derivation: step,
            root: TokenRevocationRoot::Grant(self.snapshot.grant),
            user: Some(user),
        }
    }

    /// Narrows the details, if all of them were granted.
    pub(in crate::oauth) fn narrow_details(
        &self,
        details: Option<&AuthorizationDetails>,
    ) -> Result<AuthorizationDetails, Refusal> {
        self.snapshot.details.narrow(details).map_err(|_| invalid_authorization_details())
    }

    /// Signs the access token, and the ID token if `openid` was requested.
    pub(in crate::oauth) fn sign_tokens(
        &self,
        engine: &Engine,
        context: &TokenRequestContext<'_>,
        content: TokenContents,
    ) -> Result<SignedTokens, Failure> {
        let (client, now) = (context.client.id(), context.now);
        let GrantSnapshot { grant, membership, authenticated, subject, .. } = &self.snapshot;
        let authentication = AuthenticationContext {
            at: authenticated.at,
            assurance: self.assurance,
            session: Some(authenticated.session),
        };
        let wording = AccessTokenParams {
            audience: &self.audience,
            client,
            scopes: &content.scopes,
            metadata: &context.client.client.metadata,
            jti: Jti::mint(TokenRevocationRoot::Grant(*grant), None, &engine.id_entropy()),
            now,
            lifetime: self.audience.token_lifetime(),
            authentication: Some(authentication),
            // An agent that holds a user's token is named, however it got it
            // (docs/contribute/decisions/0272-act-claim-names-every-agent-with-a-users-token.md).
            actor: ActorClaim::for_agent(&context.client.client.client.id, context.client.client.client.kind),
            confirmation: content.confirmation,
            details: content.details.into_objects(),
            policy: content.policy,
        };
        let access_token = token_issuance::sign_access_token(engine, subject, &content.authority, wording)?;
        if !content.scopes.contains(IdentityScope::OpenId) {
            return Ok(SignedTokens { access_token, id_token: None });
        }
        let algorithm = context.client.client.metadata.id_token_algorithm();
        let claims = IdTokenClaims::new(IdTokenIssuance {
            issuer: &engine.settings().issuer,
            subject: *membership,
            client,
            now,
            authenticated_at: authenticated.at,
            evidence: &authenticated.evidence,
            assurance: self.assurance,
            session: authenticated.session,
            nonce: content.nonce,
            access_token: Some(&access_token),
            algorithm,
            released: content.id_token_claims,
        });
        let id_token = signing_keys::sign_claims(engine, algorithm, JwtType::Id, &claims, now)?;
        Ok(SignedTokens { access_token, id_token: Some(id_token) })
    }
}
