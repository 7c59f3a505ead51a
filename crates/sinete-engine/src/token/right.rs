//! What a person gave a client, as it counts now: the grant, everything it hangs on, and where its tokens are
//! used. Codes and refresh tokens are two ways to show it.

use super::Asking;
use super::policy::{self, RequestedAccess, TokenOrigin};
use crate::client_authentication::AuthenticatedClient;
use crate::issue::{self, Aim, Wording};
use crate::{Engine, Failed};
use serde_json::{Map, Value};
use sinete_core::api::ApiIdentifier;
use sinete_core::assurance::Assurance;
use sinete_core::authority::Authority;
use sinete_core::authority::details::Details;
use sinete_core::authority::scope::{IdentityScope, Scopes};
use sinete_core::authorize::agreed::{AgreedScopes, Authenticated};
use sinete_core::authorize::policy::{PolicyApproval, TokenStep, UserAuthentication};
use sinete_core::grant::{no_grant, unfit_details};
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::limits::KEPT_PERMISSIONS_MAX;
use sinete_core::people::Alive;
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_core::token::access::Authentication;
use sinete_core::token::confirmation::Confirmation;
use sinete_core::token::id_token::{IdClaims, IdIssue};
use sinete_core::token::jti::{Jti, Root};
use sinete_crypto::jwt::TokenType;
use sinete_store::grants::Kind;
use sinete_store::offered::Offering;
use sinete_store::sessions::Freshness;
use sinete_store::standing::{Found, Granted};

/// What was read of whoever gave a grant, and the grant where it is one to the client that asks. There is nothing where
/// nobody holds the membership any more.
pub(super) type Standing = Option<(Found, Option<Granted>)>;

/// A grant with everything it hangs on, as it was read.
#[derive(Debug)]
pub(crate) struct Basis {
    pub(crate) grant: GrantId,
    pub(crate) membership: MembershipId,
    /// When the grant ends.
    pub(crate) expires_at: Timestamp,
    pub(crate) agreed: AgreedScopes,
    pub(crate) details: Details,
    pub(crate) authenticated: Authenticated,
    /// How fresh the session is that the grant is bound to, where it is to one.
    pub(crate) session: Option<Freshness>,
    pub(crate) alive: Alive,
    /// Which APIs are offered where it was given.
    pub(crate) offering: Offering,
    /// In which way it was given.
    pub(crate) kind: Kind,
    /// What the organization decided for itself.
    pub(crate) settings: OrganizationSettings,
}

impl Basis {
    /// What was read, if everything in it is alive.
    pub(super) fn read(standing: Standing) -> Result<Result<Self, Refusal>, Failed> {
        let Some((found, granted)) = standing else {
            return Ok(Err(no_grant("nobody holds the membership any more")));
        };
        let settings = found.settings.read::<OrganizationSettings>()?;
        let alive = match found.standing.alive() {
            Ok(alive) => alive,
            Err(lifeless) => return Ok(Err(no_grant(lifeless.to_string()))),
        };
        let Some(Granted { grant, session }) = granted else { return Ok(Err(no_grant("no grant"))) };
        Ok(Ok(Self {
            grant: grant.id,
            membership: grant.membership,
            expires_at: grant.expires_at,
            agreed: grant.scopes.read()?,
            details: grant.details.read()?,
            authenticated: grant.authentication.read()?,
            session,
            alive,
            offering: found.offering,
            kind: grant.kind,
            settings,
        }))
    }

    /// Whether it is small enough to be kept.
    pub(crate) fn is_small(&self) -> bool {
        let permissions = self.alive.roles().iter().map(|role| role.permissions().len());
        self.details.is_empty() && permissions.sum::<usize>() <= KEPT_PERMISSIONS_MAX
    }

    /// Whether we are as sure now who gave the grant as when it was given, by what was kept. How fresh a session is stands
    /// under no version. It only becomes fresher, so that what was kept counts for no more than what could be read.
    pub(super) fn is_as_sure(&self, now: Timestamp) -> bool {
        self.assurance(now) == self.authenticated.assurance
    }

    /// How sure we are now who gave the grant. It never counts for more than it did then; it fades with the session
    /// it was given in, and where there is none any more, from the moment of the proof.
    pub(super) fn assurance(&self, now: Timestamp) -> Assurance {
        let Self { authenticated, session, .. } = self;
        let effective = match session {
            Some(session) => session.assurance(&authenticated.evidence, now),
            None => authenticated.evidence.effective(authenticated.at, now),
        };
        effective.unwrap_or_default().min(authenticated.assurance)
    }
}

/// A grant that counts now.
pub(super) struct Right {
    /// The grant, and what it hangs on.
    pub(super) basis: Basis,
    /// What the person holds now.
    pub(super) held: Authority,
    /// Where its tokens are used.
    pub(super) aim: Aim,
    assurance: Assurance,
}

/// What is to be put into the tokens of one answer.
pub(super) struct Content {
    /// What was asked for and is held.
    pub(super) scopes: Scopes,
    /// The same, as authority.
    pub(super) authority: Authority,
    /// The fine-grained part.
    pub(super) details: Details,
    /// The key the access token is bound to.
    pub(super) confirmation: Option<Confirmation>,
    /// What the ID token must repeat.
    pub(super) nonce: Option<String>,
    /// What the ID token releases because it was asked for by name.
    pub(super) released: Map<String, Value>,
    /// That the organization's policy allows it.
    pub(super) policy: PolicyApproval,
}

/// The signed tokens of one answer.
pub(super) struct Signed {
    pub(super) access_token: String,
    pub(super) id_token: Option<String>,
}

impl Right {
    /// The grant, if it is still good for where it is used. What the organization's policy says is asked once it is known what
    /// the token is to be for.
    pub(super) async fn counts(
        engine: &Engine,
        basis: Basis,
        audience: &ApiIdentifier,
        now: Timestamp,
    ) -> Result<Result<Self, Refusal>, Failed> {
        let assurance = basis.assurance(now);
        // What was agreed for an API that is not offered any more is worth nothing.
        let offered = basis.offering.load(engine.store()).await?;
        let Ok(aim) = issue::aim_at(engine, &offered, audience) else {
            return Ok(Err(no_grant("the API is not offered any more")));
        };
        let held = Authority::of(&basis.alive);
        Ok(Ok(Self { basis, held, aim, assurance }))
    }

    /// Asks the organization's policy for a token with these scopes and details.
    pub(super) fn check_policy(
        &self,
        engine: &Engine,
        asking: &Asking<'_>,
        step: TokenStep,
        (scopes, details): (&Scopes, &Details),
    ) -> Result<PolicyApproval, Refusal> {
        let access = RequestedAccess { aim: &self.aim, scopes, details };
        asking.check_policy(engine, self.origin(step, asking.now), access)
    }

    /// Whether the organization's policy would let the client have a token with these scopes, and all the details, if it
    /// renewed the grant now.
    pub(super) fn is_renewable(&self, client: &AuthenticatedClient, scopes: &Scopes, now: Timestamp) -> bool {
        let access = RequestedAccess { aim: &self.aim, scopes, details: &self.basis.details };
        policy::check_client_policy(client, self.origin(TokenStep::Refresh, now), access).is_ok()
    }

    fn origin(&self, step: TokenStep, now: Timestamp) -> TokenOrigin<'_> {
        let Basis { authenticated, alive, kind, settings, .. } = &self.basis;
        let user = UserAuthentication { evidence: &authenticated.evidence, assurance: self.assurance, now };
        TokenOrigin {
            organization: alive.organization(),
            settings,
            source: policy::source_of(*kind),
            step,
            root: Root::Grant(self.basis.grant),
            user: Some(user),
        }
    }

    /// The details that are asked for, if all of them were granted.
    pub(super) fn details(&self, asked: Option<&Details>) -> Result<Details, Refusal> {
        self.basis.details.narrow(asked).map_err(|_| unfit_details())
    }

    /// Signs the access token, and the ID token where who signed in was asked for.
    pub(super) fn sign(
        &self,
        engine: &Engine,
        asking: &Asking<'_>,
        content: Content,
    ) -> Result<Signed, Failed> {
        let (client, now) = (asking.client.id(), asking.now);
        let Basis { grant, membership, authenticated, alive, .. } = &self.basis;
        let authentication = Authentication {
            at: authenticated.at,
            assurance: self.assurance,
            session: Some(authenticated.session),
        };
        let wording = Wording {
            aim: &self.aim,
            client,
            scopes: &content.scopes,
            jti: Jti::mint(Root::Grant(*grant), None, &engine.ids()),
            now,
            lifetime: self.aim.lifetime(),
            authentication: Some(authentication),
            actor: None,
            confirmation: content.confirmation,
            details: content.details.into_objects(),
            policy: content.policy,
        };
        let access_token = issue::access_token(engine, alive, &content.authority, wording)?;
        if !content.scopes.has(IdentityScope::OpenId) {
            return Ok(Signed { access_token, id_token: None });
        }
        let algorithm = asking.client.known.metadata.id_token_algorithm();
        let claims = IdClaims::new(IdIssue {
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
            released: content.released,
        });
        let id_token = issue::sign(engine, algorithm, TokenType::Id, &claims, now)?;
        Ok(Signed { access_token, id_token: Some(id_token) })
    }
}
