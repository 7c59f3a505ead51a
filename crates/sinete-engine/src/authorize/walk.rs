//! What a request still needs, from the facts of this moment. The questions come in one order: is the request
//! itself in order, who asks, in which organization, for what, how sure are we of them, and do they agree.

mod requirements;

use super::aim::AuthorizationTarget;
use super::applicant::RequestingClient;
use super::arrive::AuthorizingMemberships;
use super::complete::{GrantDraft, GrantFacts};
use super::hint::{self, NamedSubject};
use super::question::{self, ConsentTarget as Shown};
use super::via::{AuthorizationResponseChannel, CodeDelivery};
use super::wanted::{RequestedScopes, ScopeError, judge_early};
use super::{
    AuthorizationChannel, AuthorizationStep, AuthorizeContext, ConsentRequest, InteractionAnswers,
    OrganizationOption, PendingAuthorization, RefusedAuthorization, SignInRequirement,
};
use super::{approval, device};
use crate::sessions::ActiveSession;
use crate::{Engine, Failure};
use sinete_core::assurance::AssuranceLevel;
use sinete_core::assurance::freshness::FreshnessDemand;
use sinete_core::authorize::agreed::GrantAuthentication;
use sinete_core::authorize::consent::{
    self, ConsentBinding, ConsentContext, ConsentOutcome, RememberedConsent,
};
use sinete_core::authorize::person::{self, IdTokenHintMatch, LoginRequiredReason, PromptCheck};
use sinete_core::authorize::place::{
    self, OrganizationCandidate, OrganizationHints, OrganizationSelection, RequestedOrganization,
};
use sinete_core::authorize::request::AuthorizationRequest;
use sinete_core::authorize::response::AuthorizationErrorCode;
use sinete_core::authorize::wish::AuthorizationParams;
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::people::{ActiveSubject, SignInStatus as Anybody};
use sinete_core::secret::Digest;
use sinete_core::time::Lifetime;
use sinete_core::token::claim::IndividualClaims;
use sinete_store::clients::ClientOrigin;
use sinete_store::memberships::{self, UsableMembership};
use sinete_store::{grants, pushed_requests};
use std::sync::Arc;

/// What happens next with a request, given who is signed in and what was answered so far.
pub async fn next(
    engine: &Engine,
    asked: &PendingAuthorization,
    signed_in: Option<&ActiveSession>,
    answers: &InteractionAnswers,
) -> Result<AuthorizationStep, Failure> {
    use sinete_core::authorize::unvalidated::UnredirectableError;
    let Some(applicant) = RequestingClient::find(engine, &asked.client).await? else {
        return Ok(AuthorizationStep::Show(UnredirectableError::ClientUnknown));
    };
    let seen = AuthorizeContext::client(applicant);
    match asked.arrival {
        AuthorizationChannel::Device(digest) => {
            let digest = Digest::from_bytes(digest);
            device::next(engine, &seen.applicant, (asked, digest), signed_in, answers).await
        }
        AuthorizationChannel::Backchannel(digest) => {
            let digest = Digest::from_bytes(digest);
            approval::next(engine, &seen.applicant, (asked, digest), signed_in, answers).await
        }
        AuthorizationChannel::Browser | AuthorizationChannel::Pushed(_) => {
            for_browser(engine, &seen, asked, signed_in, answers).await
        }
    }
}

/// The same for a request that a browser brought: whatever is wrong with it is told where its answer goes.
pub(super) async fn for_browser(
    engine: &Engine,
    seen: &AuthorizeContext,
    asked: &PendingAuthorization,
    signed_in: Option<&ActiveSession>,
    answers: &InteractionAnswers,
) -> Result<AuthorizationStep, Failure> {
    let AuthorizeContext { applicant, person } = seen;
    // What was read is theirs who were signed in then, and nobody else's.
    let account = signed_in.map(|signed_in| signed_in.session.account);
    let person = person.as_ref().filter(|person| Some(person.account) == account);
    let addressed = match asked.parameters().address(&applicant.addressee()) {
        Ok(addressed) => addressed,
        Err(why) => return Ok(AuthorizationStep::Show(why)),
    };
    let reply_to = addressed.reply_to().clone();
    let anybody = if signed_in.is_some() { Anybody::Yes } else { Anybody::No };
    let walked = match addressed.check(anybody) {
        Ok(AuthorizationRequest { reply_to, challenge, wish, .. }) => {
            let via = AuthorizationResponseChannel::Browser(CodeDelivery {
                reply_to,
                challenge,
                arrival: asked.arrival,
            });
            AuthorizationCheck {
                engine,
                applicant,
                person,
                wish: Arc::new(wish),
                via: Arc::new(via),
                answers,
            }
            .on(signed_in)
            .await
        }
        Err(redirected) => Err(ScopeError::Wrong((redirected.error, redirected.description))),
    };
    match walked {
        Ok(next) => Ok(next),
        Err(ScopeError::Failed(failed)) => Err(failed),
        Err(ScopeError::Wrong((error, description))) => {
            let redirected =
                sinete_core::authorize::response::RedirectedError { reply_to, error, description };
            let is_silent = asked.parameter("prompt") == Some("none");
            let delivery = redirected.delivery(applicant.vouching, anybody, is_silent);
            let client_name = applicant.known.client.name.clone();
            Ok(AuthorizationStep::Refuse(Box::new(RefusedAuthorization {
                redirected,
                delivery,
                client_name,
            })))
        }
    }
}

/// One look at a request.
pub(super) struct AuthorizationCheck<'a> {
    pub(super) engine: &'a Engine,
    pub(super) applicant: &'a RequestingClient,
    /// Where whoever is signed in may act, if that was read with who they are.
    pub(super) person: Option<&'a AuthorizingMemberships>,
    pub(super) wish: Arc<AuthorizationParams>,
    pub(super) via: Arc<AuthorizationResponseChannel>,
    pub(super) answers: &'a InteractionAnswers,
}

/// Where the request is for, once that is settled.
pub(super) struct ChosenOrganization {
    pub(super) usable: UsableMembership,
    settings: OrganizationSettings,
}

impl AuthorizationCheck<'_> {
    pub(super) async fn on(
        &self,
        signed_in: Option<&ActiveSession>,
    ) -> Result<AuthorizationStep, ScopeError> {
        self.must_have_arrived().await?;
        let wanted = judge_early(self.engine, self.applicant, &self.wish, self.via.grant()).await?;
        let hint = self.wish.id_token_hint.as_deref();
        let hinted = hint::read(self.engine, hint, &self.applicant.known.client.id).await?;
        let hinted = hinted.map(NamedSubject::Member);
        let named = hint::named(self.engine, &self.wish.claims).await?;
        let expects = match (hinted, named) {
            (Some(hinted), Some(named)) if hinted != named => {
                return Err((AuthorizationErrorCode::InvalidRequest, "two different people are named").into());
            }
            (hinted, named) => named.or(hinted),
        };
        let present = signed_in.map(|signed_in| self.present(signed_in, expects));
        let default_max_age = self.default_max_age();
        let reason = person::must_sign_in(&self.wish, default_max_age, present, self.engine.now())?;
        let signed_in = match (reason, signed_in) {
            (None, Some(signed_in)) => signed_in,
            (Some(reason), _) => return Ok(self.sign_in(reason, None)),
            (None, None) => return Ok(self.sign_in(LoginRequiredReason::Nobody, None)),
        };
        let there = match self.place(signed_in, expects).await? {
            Ok(there) => there,
            Err(choices) => return Ok(AuthorizationStep::ChooseOrganization(choices)),
        };
        if named.is_some_and(|named| named.organization() != Some(there.usable.organization)) {
            return Err(
                (AuthorizationErrorCode::LoginRequired, "another organization than the named one").into()
            );
        }
        let aim = self.aim(&wanted, &there).await?;
        let missing = self.must_be_allowed(&wanted, &aim, signed_in, &there)?;
        if let Some(first) = self.assured(missing, signed_in, &there)? {
            return self.within_reach(first, signed_in).await;
        }
        self.agreed(wanted, aim, signed_in, &there)
    }

    /// A pushed request can be finished once; a client that pushes its requests does not send others.
    async fn must_have_arrived(&self) -> Result<(), ScopeError> {
        let refused = |text| Err((AuthorizationErrorCode::InvalidRequest, text).into());
        let arrival = match &*self.via {
            AuthorizationResponseChannel::Browser(by_code) => by_code.arrival,
            // Whether it still waits was looked at when it was read.
            AuthorizationResponseChannel::Device(_) | AuthorizationResponseChannel::Backchannel(_) => {
                return Ok(());
            }
        };
        match arrival {
            AuthorizationChannel::Browser if self.applicant.known.metadata.must_push() => {
                refused("this client pushes its requests")
            }
            AuthorizationChannel::Browser
            | AuthorizationChannel::Device(_)
            | AuthorizationChannel::Backchannel(_) => Ok(()),
            AuthorizationChannel::Pushed(digest) => {
                let digest = Digest::from_bytes(digest);
                let found = pushed_requests::find(self.engine.store(), &digest).await?;
                match found {
                    Some(found) if found.taken_at.is_none() && found.expires_at > self.engine.now() => Ok(()),
                    Some(_) | None => refused("request_uri was used before, or too long ago"),
                }
            }
        }
    }

    fn default_max_age(&self) -> Option<Lifetime> {
        self.applicant.known.metadata.default_max_age.map(Lifetime::from_seconds)
    }

    /// How old a proof may be that counts for this request. Whoever signed in because of it proved everything for it.
    fn max_age(&self) -> Option<Lifetime> {
        match self.answers.sign_in {
            super::SignInTiming::Before => self.wish.max_age.or(self.default_max_age()),
            super::SignInTiming::Because => None,
        }
    }

    fn present(&self, signed_in: &ActiveSession, expects: Option<NamedSubject>) -> PromptCheck {
        let is_them = |account| {
            if account == signed_in.session.account {
                IdTokenHintMatch::Them
            } else {
                IdTokenHintMatch::SomebodyElse
            }
        };
        PromptCheck {
            authenticated_at: signed_in.session.authenticated_at,
            hinted: match (self.via.account(), expects) {
                (Some(account), _) => is_them(account),
                (None, Some(NamedSubject::Member(expects))) => is_them(expects.account),
                (None, Some(NamedSubject::Unknown)) => IdTokenHintMatch::SomebodyElse,
                (None, None) => IdTokenHintMatch::Nobody,
            },
            sign_in: self.answers.sign_in,
        }
    }

    fn sign_in(
        &self,
        reason: LoginRequiredReason,
        settings: Option<&OrganizationSettings>,
    ) -> AuthorizationStep {
        AuthorizationStep::SignIn(SignInRequirement {
            reason,
            login_hint: self.wish.login_hint.clone(),
            allowed: settings.and_then(|settings| settings.allowed_credentials.clone()),
        })
    }

    /// Where the request is for, or what there is to choose from.
    async fn place(
        &self,
        signed_in: &ActiveSession,
        expects: Option<NamedSubject>,
    ) -> Result<Result<ChosenOrganization, Vec<OrganizationOption>>, ScopeError> {
        let (store, now, client) = (self.engine.store(), self.engine.now(), &self.applicant.known.client);
        let mut usable = match self.person {
            Some(person) => person.usable.clone(),
            None => memberships::usable_by(store, signed_in.session.account, now).await?,
        };
        usable.retain(|it| match client.origin {
            ClientOrigin::Operator | ClientOrigin::Itself => true,
            ClientOrigin::Organization(only) => it.organization == only,
        });
        let candidate = |it: &UsableMembership| OrganizationCandidate {
            organization: it.organization,
            membership: it.membership,
        };
        let candidates: Vec<_> = usable.iter().map(candidate).collect();
        let named = self.wish.organization.as_deref().map_or(RequestedOrganization::None, |name| {
            let is = |it: &&UsableMembership| it.slug == name || it.organization.to_string() == name;
            usable
                .iter()
                .find(is)
                .map_or(RequestedOrganization::Unknown, |it| RequestedOrganization::Known(it.organization))
        });
        let signs = OrganizationHints {
            named,
            chosen: self.answers.organization,
            hinted: expects.and_then(NamedSubject::organization),
            granted: match candidates.len() {
                0 | 1 => None,
                _ => grants::given_in(store, signed_in.session.id, &client.id, now).await?,
            },
        };
        let settled = place::settle(&signs, &candidates, &self.wish.prompt)?;
        let OrganizationSelection::At(at) = settled else {
            let choice = |it: UsableMembership| OrganizationOption {
                id: it.organization,
                slug: it.slug,
                name: it.name,
            };
            return Ok(Err(usable.into_iter().map(choice).collect()));
        };
        let found = usable.into_iter().find(|it| it.organization == at.organization);
        let usable = found.ok_or(Failure::Contended)?;
        let settings = usable.settings.read()?;
        Ok(Ok(ChosenOrganization { usable, settings }))
    }

    /// What a grant will hang on, where all of it was read at once and the client can be known again.
    fn read_together(&self, alive: Option<ActiveSubject>, there: &ChosenOrganization) -> Option<GrantFacts> {
        let facts = self.person.filter(|_| self.applicant.known.can_be_known_again())?.facts;
        let (offering, settings) = (there.usable.offering, there.settings.clone());
        alive.map(|alive| GrantFacts { alive, offering, settings, facts })
    }

    /// The question of consent, or the grant.
    fn agreed(
        &self,
        wanted: RequestedScopes,
        aim: AuthorizationTarget,
        signed_in: &ActiveSession,
        there: &ChosenOrganization,
    ) -> Result<AuthorizationStep, ScopeError> {
        let (client, audience) = (&self.applicant.known.client, &aim.audience);
        let claims = IndividualClaims::asked(&self.wish.claims, &wanted.scopes, &client.scope);
        let question = ConsentRequest {
            organization: there.usable.organization,
            audience: audience.target().identifier().clone(),
            scopes: wanted.scopes,
            details: self.wish.details.clone(),
            claims,
        };
        let agreed_before = aim.consent.as_ref().map(|consent| consent.agreed_at);
        let remembered = aim.consent.map(|consent| RememberedConsent {
            scope: consent.scope,
            claims: consent.claims,
            within: consent.within.map(|within| ConsentBinding {
                session: within.session,
                redirect_host: within.redirect_host,
            }),
        });
        let here = ConsentBinding { session: signed_in.session.id, redirect_host: self.via.host() };
        let circumstances = ConsentContext {
            question: &question,
            mode: self.applicant.consent_mode(),
            vouching: self.applicant.vouching,
            here: &here,
            remembered: remembered.as_ref(),
            prompt: &self.wish.prompt,
        };
        let (remember, agreed_at) = match consent::settle(&circumstances, self.answers)? {
            ConsentOutcome::Settled => (None, agreed_before),
            ConsentOutcome::Given(remembered) => (self.via.remembers().then_some(remembered), None),
            ConsentOutcome::Needed { new } => {
                let at = Shown { usable: &there.usable, audience };
                let asked = question::ask(self.applicant, &self.via, at, question, &new);
                return Ok(AuthorizationStep::Consent(Box::new(asked)));
            }
        };
        // What is told of how somebody signed in is what counts here.
        let evidence = signed_in.evidence.within(there.usable.organization);
        let two = FreshnessDemand { max_age: self.max_age(), ..FreshnessDemand::level(AssuranceLevel::Two) };
        let assurance = match two.is_met(&evidence, self.engine.now()) {
            true => signed_in.assurance,
            false => AssuranceLevel::One,
        };
        Ok(AuthorizationStep::Grant(Box::new(GrantDraft {
            client: client.id.clone(),
            wish: Arc::clone(&self.wish),
            via: Arc::clone(&self.via),
            membership: there.usable.membership,
            session: signed_in.session.clone(),
            authenticated: GrantAuthentication {
                at: evidence.authenticated_at(assurance, signed_in.session.authenticated_at),
                assurance,
                evidence,
                session: signed_in.session.id,
            },
            kind: client.kind,
            agreement: question,
            remember,
            agreed_at,
            read: self.read_together(aim.alive, there),
        })))
    }
}
