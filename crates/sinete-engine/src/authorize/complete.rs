//! The grant: opened with its code, with what was agreed to, and with whatever ends because of it, in one act.

use super::via::{AuthorizationResponseChannel, CodeDelivery};
use super::walk::for_browser;
use super::{
    AuthorizationChannel, AuthorizationStep, AuthorizeContext, ConsentRequest, InteractionAnswers,
    PendingAuthorization, next,
};
use crate::sessions::ActiveSession;
use crate::token::{CachedAuthorizationCode, GrantSnapshot};
use crate::{ATTEMPTS_MAX, Engine, EventCause, Failure};
use sinete_core::authority::scope::IdentityScope;
use sinete_core::authorize::addressed::AuthorizationResponseTarget;
use sinete_core::authorize::agreed::{GrantAuthentication, GrantedScopes, StoredGrantParams};
use sinete_core::authorize::consent::RememberedConsent;
use sinete_core::authorize::wish::AuthorizationParams;
use sinete_core::client::{ClientId, ClientKind};
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::limits::{
    CODE_LIFETIME, GRANT_LIFETIME_MAX, GRANT_OF_AGENT_LIFETIME_MAX, KEPT_CODE_BYTES_MAX,
};
use sinete_core::people::ActiveSubject;
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::secret::{AuthorizationCodeDigest, AuthorizationCodeSecret, Digest};
use sinete_core::security::event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::time::Timestamp;
use sinete_store::codes::NewAuthorizationCode;
use sinete_store::consents::{self, ConsentParties, ConsentRow, StoredConsentBinding};
use sinete_store::grants::{self, GrantLifespan, NewGrant, PriorConsent, StoredGrantKind};
use sinete_store::offered::ApiCatalogVersion;
use sinete_store::sessions::SessionRow;
use sinete_store::{GuardedStatement, JsonDocument, WriteBatch, pushed_requests};
use std::sync::Arc;

/// A request with everything that was answered to it.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizationAttempt<'a> {
    /// The request.
    pub asked: &'a PendingAuthorization,
    /// Who is signed in.
    pub signed_in: &'a ActiveSession,
    /// What was answered.
    pub answers: &'a InteractionAnswers,
    /// What was read with who is signed in, a moment ago.
    pub seen: Option<&'a AuthorizeContext>,
}

/// What came of a request.
#[derive(Debug)]
pub enum AuthorizationOutcome {
    /// A code.
    Issued(IssuedCode),
    /// It is not at its end after all.
    Otherwise(Box<AuthorizationStep>),
}

/// A code, ready to be sent.
#[derive(Debug)]
pub struct IssuedCode {
    /// Where it goes and in which form.
    pub reply_to: AuthorizationResponseTarget,
    /// The code itself.
    pub code: String,
}

/// Everything a grant is made of.
#[derive(Debug)]
pub struct GrantDraft {
    pub(super) client: ClientId,
    pub(super) wish: Arc<AuthorizationParams>,
    pub(super) via: Arc<AuthorizationResponseChannel>,
    pub(super) membership: MembershipId,
    pub(super) session: SessionRow,
    pub(super) authenticated: GrantAuthentication,
    pub(super) kind: ClientKind,
    pub(super) agreement: ConsentRequest,
    pub(super) remember: Option<RememberedConsent>,
    /// When they agreed to this before, where that settled it.
    pub(super) agreed_at: Option<Timestamp>,
    /// What it hangs on, where that can be known again.
    pub(super) read: Option<GrantFacts>,
}

/// What was read of whoever grants something and of where they do, at one moment.
#[derive(Debug)]
pub(super) struct GrantFacts {
    pub(super) alive: ActiveSubject,
    /// Which APIs are offered there.
    pub(super) offering: ApiCatalogVersion,
    /// What the organization decided for itself.
    pub(super) settings: OrganizationSettings,
    /// The version of all of that.
    pub(super) facts: i64,
}

/// Grants the request, if nothing is missing any more, together with what else must happen at that moment: the
/// flow that led here is used up, for instance. Where the facts change meanwhile it is judged again.
pub async fn complete(
    engine: &Engine,
    passage: AuthorizationAttempt<'_>,
    with: &(dyn Fn(Timestamp) -> Vec<GuardedStatement> + Sync),
    cause: &EventCause,
) -> Result<AuthorizationOutcome, Failure> {
    let AuthorizationAttempt { asked, signed_in, answers, mut seen } = passage;
    for _ in 0..ATTEMPTS_MAX {
        let next = match seen.take() {
            Some(seen) => for_browser(engine, seen, asked, Some(signed_in), answers).await?,
            None => next(engine, asked, Some(signed_in), answers).await?,
        };
        let granting = match next {
            AuthorizationStep::Grant(granting) => granting,
            otherwise => return Ok(AuthorizationOutcome::Otherwise(Box::new(otherwise))),
        };
        let via = Arc::clone(&granting.via);
        let AuthorizationResponseChannel::Browser(by_code) = &*via else { return Err(Failure::Contended) };
        let now = engine.now();
        let code = AuthorizationCodeSecret::mint(GrantId::mint(now, &engine.ids()), engine.entropy());
        let first = granting.uses_up(asked.arrival, now).into_iter().chain(with(now)).collect();
        let (act, given) = granting.act(engine, (code.digest(), by_code), first, cause)?;
        if engine.store().commit(act).await?.is_ok() {
            if let Some(given) = given {
                given.keep(engine);
            }
            let reply_to = by_code.reply_to.clone();
            return Ok(AuthorizationOutcome::Issued(IssuedCode { reply_to, code: code.reveal() }));
        }
    }
    Err(Failure::Contended)
}

impl GrantDraft {
    /// What is used up by granting the request: a pushed one, which is granted once.
    fn uses_up(&self, arrival: AuthorizationChannel, now: Timestamp) -> Option<GuardedStatement> {
        match arrival {
            AuthorizationChannel::Browser
            | AuthorizationChannel::Device(_)
            | AuthorizationChannel::Backchannel(_) => None,
            AuthorizationChannel::Pushed(digest) => {
                Some(pushed_requests::take(&Digest::from_bytes(digest), &self.client, now))
            }
        }
    }

    /// The act, and what is kept of the code once that is done.
    fn act(
        self,
        engine: &Engine,
        (code, by_code): (AuthorizationCodeDigest, &CodeDelivery),
        first: Vec<GuardedStatement>,
        cause: &EventCause,
    ) -> Result<(WriteBatch, Option<CachedAuthorizationCode>), Failure> {
        let now = engine.now();
        let (wish, agreement) = (&self.wish, &self.agreement);
        let id = code.grant;
        let request = StoredGrantParams {
            audience: agreement.audience.clone(),
            nonce: wish.nonce.clone(),
            max_age_given: wish.max_age.is_some(),
            claims: wish.claims.clone(),
            agreed_claims: agreement.claims.clone(),
            key: wish.key,
        };
        let held_against = JsonDocument::of(&request)?;
        let new_code = NewAuthorizationCode {
            digest: &code.code,
            redirect_uri: by_code.reply_to.callback.as_str(),
            challenge: *by_code.challenge.as_bytes(),
            request: &held_against,
            expires_at: now.plus(CODE_LIFETIME),
        };
        let act = WriteBatch::new()
            .with_all(first)
            .with_all(self.remember.as_ref().map(|remember| self.remembering(remember, now)))
            .with(self.opens(id, StoredGrantKind::Code, Some(&new_code), now)?);
        let act = self.recorded(engine, act, id, cause);
        let expires_at = new_code.expires_at;
        if held_against.bytes() > KEPT_CODE_BYTES_MAX {
            return Ok((act, None));
        }
        let given = self.basis(id, now).map(|(client, basis, facts)| CachedAuthorizationCode {
            digest: code,
            client,
            redirect_uri: by_code.reply_to.callback.as_str().to_owned(),
            challenge: by_code.challenge,
            expires_at,
            request,
            basis,
            facts,
        });
        Ok((act, given))
    }

    /// The client, the grant with what it hangs on, and the version of that, where it was read together and is not large.
    fn basis(self, grant: GrantId, now: Timestamp) -> Option<(ClientId, GrantSnapshot, i64)> {
        let (lifespan, expires_at) = self.lifespan(now);
        let GrantFacts { alive, offering, settings, facts } = self.read?;
        let basis = GrantSnapshot {
            grant,
            membership: self.membership,
            expires_at,
            agreed: GrantedScopes::of(self.agreement.audience, self.agreement.scopes),
            details: self.agreement.details,
            authenticated: self.authenticated,
            session: (lifespan == GrantLifespan::Session).then(|| self.session.freshness()),
            alive,
            offering,
            kind: StoredGrantKind::Code,
            settings,
        };
        basis.is_small().then_some((self.client, basis, facts))
    }

    /// What the grant hangs on: an agreement that is taken back meanwhile lets nobody in.
    fn agreed(&self) -> Option<PriorConsent<'_>> {
        let audience = self.agreement.audience.as_str();
        self.agreed_at.map(|at| PriorConsent { audience, at })
    }

    /// Opens the grant, with its code where it is redeemed with one.
    pub(super) fn opens(
        &self,
        id: GrantId,
        kind: StoredGrantKind,
        code: Option<&NewAuthorizationCode<'_>>,
        now: Timestamp,
    ) -> Result<GuardedStatement, Failure> {
        let agreement = &self.agreement;
        let scopes = GrantedScopes::of(agreement.audience.clone(), agreement.scopes.clone());
        let (lifespan, expires_at) = self.lifespan(now);
        let (scopes, details) = (JsonDocument::of(&scopes)?, JsonDocument::of(&agreement.details)?);
        let authentication = JsonDocument::of(&self.authenticated)?;
        let grant = NewGrant {
            id,
            kind,
            membership: self.membership,
            account_epoch: self.session.account_epoch,
            client: &self.client,
            session: self.session.id,
            lifespan,
            scopes: &scopes,
            details: &details,
            authentication: &authentication,
            created_at: now,
            expires_at,
        };
        Ok(match code {
            Some(code) => grants::open_with_code(&grant, code, self.agreed()),
            None => grants::open(&grant),
        })
    }

    /// How long the grant lives: with its session, or to a bound of its own where that was agreed to.
    fn lifespan(&self, now: Timestamp) -> (GrantLifespan, Timestamp) {
        if !self.agreement.scopes.has(IdentityScope::OfflineAccess) {
            return (GrantLifespan::Session, self.session.expires_at);
        }
        let most = match self.kind {
            ClientKind::Agent => GRANT_OF_AGENT_LIFETIME_MAX,
            ClientKind::Application | ClientKind::Service => GRANT_LIFETIME_MAX,
        };
        (GrantLifespan::Own, now.plus(most))
    }

    fn remembering(&self, remember: &RememberedConsent, now: Timestamp) -> GuardedStatement {
        let parties = ConsentParties {
            membership: self.membership,
            client: &self.client,
            audience: self.agreement.audience.as_str(),
        };
        let within = remember.within.as_ref();
        let within = within.map(|within| StoredConsentBinding {
            session: within.session,
            redirect_host: within.redirect_host.clone(),
        });
        let (scope, claims) = (remember.scope.clone(), remember.claims.clone());
        consents::record(parties, &ConsentRow { scope, claims, within, agreed_at: now })
    }

    /// Something that happens with what was agreed to.
    pub(super) fn event(
        &self,
        engine: &Engine,
        kind: EventKind,
        actor: SecurityEventActor,
        cause: &EventCause,
    ) -> SecurityEvent {
        let (agreement, cause) = (&self.agreement, EventCause { actor, origin: cause.origin.clone() });
        engine
            .event(kind, &cause, engine.now())
            .within(agreement.organization)
            .through(self.client.clone())
            .with("audience", agreement.audience.as_str())
            .with("scope", agreement.scopes.to_string())
            .with("claims", agreement.claims.to_string())
    }

    fn recorded(&self, engine: &Engine, act: WriteBatch, grant: GrantId, cause: &EventCause) -> WriteBatch {
        let event = |kind, actor| self.event(engine, kind, actor, cause);
        let (person, member) = (
            SecurityEventActor::Account(self.session.account),
            SecurityEventActor::Membership(self.membership),
        );
        // Agreeing stands among what the person did, as taking it back does.
        let agreed = |_| event(EventKind::ConsentGiven, person).about("membership", self.membership);
        let consent = self.remember.as_ref().map(agreed);
        let act = consent.into_iter().fold(act, |act, consent| act.record(&consent));
        act.record(&event(EventKind::GrantGiven, member).about("grant", grant))
    }
}
