//! The grant: opened with its code, with what was agreed to, and with whatever ends because of it, in one act.

use super::via::{ByCode, Via};
use super::walk::for_browser;
use super::{Agreement, Answers, Arrival, Asked, Next, Seen, next};
use crate::sessions::SignedIn;
use crate::token::{Basis, GivenCode};
use crate::{ATTEMPTS_MAX, Cause, Engine, Failed};
use sinete_core::authority::scope::IdentityScope;
use sinete_core::authorize::addressed::ReplyTo;
use sinete_core::authorize::agreed::{AgreedScopes, Authenticated, CodeRequest};
use sinete_core::authorize::consent::Remembered;
use sinete_core::authorize::wish::Wish;
use sinete_core::client::{ClientId, ClientKind};
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::limits::{
    CODE_LIFETIME, GRANT_LIFETIME_MAX, GRANT_OF_AGENT_LIFETIME_MAX, KEPT_CODE_BYTES_MAX,
};
use sinete_core::people::Alive;
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::secret::{Digest, GrantCode, GrantCodeDigest};
use sinete_core::security::event::{Actor, Event, EventKind};
use sinete_core::time::Timestamp;
use sinete_store::codes::NewCode;
use sinete_store::consents::{self, Consent, Parties, Within};
use sinete_store::grants::{self, Agreed, Kind, Lifespan, NewGrant};
use sinete_store::offered::Offering;
use sinete_store::sessions::Session;
use sinete_store::{Act, Document, Step, pushed_requests};
use std::sync::Arc;

/// A request with everything that was answered to it.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'a> {
    /// The request.
    pub asked: &'a Asked,
    /// Who is signed in.
    pub signed_in: &'a SignedIn,
    /// What was answered.
    pub answers: &'a Answers,
    /// What was read with who is signed in, a moment ago.
    pub seen: Option<&'a Seen>,
}

/// What came of a request.
#[derive(Debug)]
pub enum Completed {
    /// A code.
    Issued(Issued),
    /// It is not at its end after all.
    Otherwise(Box<Next>),
}

/// A code, ready to be sent.
#[derive(Debug)]
pub struct Issued {
    /// Where it goes and in which form.
    pub reply_to: ReplyTo,
    /// The code itself.
    pub code: String,
}

/// Everything a grant is made of.
#[derive(Debug)]
pub struct Granting {
    pub(super) client: ClientId,
    pub(super) wish: Arc<Wish>,
    pub(super) via: Arc<Via>,
    pub(super) membership: MembershipId,
    pub(super) session: Session,
    pub(super) authenticated: Authenticated,
    pub(super) kind: ClientKind,
    pub(super) agreement: Agreement,
    pub(super) remember: Option<Remembered>,
    /// When they agreed to this before, where that settled it.
    pub(super) agreed_at: Option<Timestamp>,
    /// What it hangs on, where that can be known again.
    pub(super) read: Option<ReadTogether>,
}

/// What was read of whoever grants something and of where they do, at one moment.
#[derive(Debug)]
pub(super) struct ReadTogether {
    pub(super) alive: Alive,
    /// Which APIs are offered there.
    pub(super) offering: Offering,
    /// What the organization decided for itself.
    pub(super) settings: OrganizationSettings,
    /// The version of all of that.
    pub(super) facts: i64,
}

/// Grants the request, if nothing is missing any more, together with what else must happen at that moment: the
/// flow that led here is used up, for instance. Where the facts change meanwhile it is judged again.
pub async fn complete(
    engine: &Engine,
    passage: Passage<'_>,
    with: &(dyn Fn(Timestamp) -> Vec<Step> + Sync),
    cause: &Cause,
) -> Result<Completed, Failed> {
    let Passage { asked, signed_in, answers, mut seen } = passage;
    for _ in 0..ATTEMPTS_MAX {
        let next = match seen.take() {
            Some(seen) => for_browser(engine, seen, asked, Some(signed_in), answers).await?,
            None => next(engine, asked, Some(signed_in), answers).await?,
        };
        let granting = match next {
            Next::Grant(granting) => granting,
            otherwise => return Ok(Completed::Otherwise(Box::new(otherwise))),
        };
        let via = Arc::clone(&granting.via);
        let Via::Browser(by_code) = &*via else { return Err(Failed::Contended) };
        let now = engine.now();
        let code = GrantCode::mint(GrantId::mint(now, &engine.ids()), engine.entropy());
        let first = granting.uses_up(asked.arrival, now).into_iter().chain(with(now)).collect();
        let (act, given) = granting.act(engine, (code.digest(), by_code), first, cause)?;
        if engine.store().commit(act).await?.is_ok() {
            if let Some(given) = given {
                given.keep(engine);
            }
            let reply_to = by_code.reply_to.clone();
            return Ok(Completed::Issued(Issued { reply_to, code: code.reveal() }));
        }
    }
    Err(Failed::Contended)
}

impl Granting {
    /// What is used up by granting the request: a pushed one, which is granted once.
    fn uses_up(&self, arrival: Arrival, now: Timestamp) -> Option<Step> {
        match arrival {
            Arrival::Browser | Arrival::Device(_) | Arrival::Backchannel(_) => None,
            Arrival::Pushed(digest) => {
                Some(pushed_requests::take(&Digest::from_bytes(digest), &self.client, now))
            }
        }
    }

    /// The act, and what is kept of the code once that is done.
    fn act(
        self,
        engine: &Engine,
        (code, by_code): (GrantCodeDigest, &ByCode),
        first: Vec<Step>,
        cause: &Cause,
    ) -> Result<(Act, Option<GivenCode>), Failed> {
        let now = engine.now();
        let (wish, agreement) = (&self.wish, &self.agreement);
        let id = code.grant;
        let request = CodeRequest {
            audience: agreement.audience.clone(),
            nonce: wish.nonce.clone(),
            max_age_given: wish.max_age.is_some(),
            claims: wish.claims.clone(),
            agreed_claims: agreement.claims.clone(),
            key: wish.key,
        };
        let held_against = Document::of(&request)?;
        let new_code = NewCode {
            digest: &code.code,
            redirect_uri: by_code.reply_to.callback.as_str(),
            challenge: *by_code.challenge.as_bytes(),
            request: &held_against,
            expires_at: now.plus(CODE_LIFETIME),
        };
        let act = Act::new()
            .with_all(first)
            .with_all(self.remember.as_ref().map(|remember| self.remembering(remember, now)))
            .with(self.opens(id, Kind::Code, Some(&new_code), now)?);
        let act = self.recorded(engine, act, id, cause);
        let expires_at = new_code.expires_at;
        if held_against.bytes() > KEPT_CODE_BYTES_MAX {
            return Ok((act, None));
        }
        let given = self.basis(id, now).map(|(client, basis, facts)| GivenCode {
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
    fn basis(self, grant: GrantId, now: Timestamp) -> Option<(ClientId, Basis, i64)> {
        let (lifespan, expires_at) = self.lifespan(now);
        let ReadTogether { alive, offering, settings, facts } = self.read?;
        let basis = Basis {
            grant,
            membership: self.membership,
            expires_at,
            agreed: AgreedScopes::of(self.agreement.audience, self.agreement.scopes),
            details: self.agreement.details,
            authenticated: self.authenticated,
            session: (lifespan == Lifespan::Session).then(|| self.session.freshness()),
            alive,
            offering,
            kind: Kind::Code,
            settings,
        };
        basis.is_small().then_some((self.client, basis, facts))
    }

    /// What the grant hangs on: an agreement that is taken back meanwhile lets nobody in.
    fn agreed(&self) -> Option<Agreed<'_>> {
        let audience = self.agreement.audience.as_str();
        self.agreed_at.map(|at| Agreed { audience, at })
    }

    /// Opens the grant, with its code where it is redeemed with one.
    pub(super) fn opens(
        &self,
        id: GrantId,
        kind: Kind,
        code: Option<&NewCode<'_>>,
        now: Timestamp,
    ) -> Result<Step, Failed> {
        let agreement = &self.agreement;
        let scopes = AgreedScopes::of(agreement.audience.clone(), agreement.scopes.clone());
        let (lifespan, expires_at) = self.lifespan(now);
        let (scopes, details) = (Document::of(&scopes)?, Document::of(&agreement.details)?);
        let authentication = Document::of(&self.authenticated)?;
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
    fn lifespan(&self, now: Timestamp) -> (Lifespan, Timestamp) {
        if !self.agreement.scopes.has(IdentityScope::OfflineAccess) {
            return (Lifespan::Session, self.session.expires_at);
        }
        let most = match self.kind {
            ClientKind::Agent => GRANT_OF_AGENT_LIFETIME_MAX,
            ClientKind::Application | ClientKind::Service => GRANT_LIFETIME_MAX,
        };
        (Lifespan::Own, now.plus(most))
    }

    fn remembering(&self, remember: &Remembered, now: Timestamp) -> Step {
        let parties = Parties {
            membership: self.membership,
            client: &self.client,
            audience: self.agreement.audience.as_str(),
        };
        let within = remember.within.as_ref();
        let within = within
            .map(|within| Within { session: within.session, redirect_host: within.redirect_host.clone() });
        let (scope, claims) = (remember.scope.clone(), remember.claims.clone());
        consents::record(parties, &Consent { scope, claims, within, agreed_at: now })
    }

    /// Something that happens with what was agreed to.
    pub(super) fn event(&self, engine: &Engine, kind: EventKind, actor: Actor, cause: &Cause) -> Event {
        let (agreement, cause) = (&self.agreement, Cause { actor, origin: cause.origin.clone() });
        engine
            .event(kind, &cause, engine.now())
            .within(agreement.organization)
            .through(self.client.clone())
            .with("audience", agreement.audience.as_str())
            .with("scope", agreement.scopes.to_string())
            .with("claims", agreement.claims.to_string())
    }

    fn recorded(&self, engine: &Engine, act: Act, grant: GrantId, cause: &Cause) -> Act {
        let event = |kind, actor| self.event(engine, kind, actor, cause);
        let (person, member) = (Actor::Account(self.session.account), Actor::Membership(self.membership));
        // Agreeing stands among what the person did, as taking it back does.
        let agreed = |_| event(EventKind::ConsentGiven, person).about("membership", self.membership);
        let consent = self.remember.as_ref().map(agreed);
        let act = consent.into_iter().fold(act, |act, consent| act.record(&consent));
        act.record(&event(EventKind::GrantGiven, member).about("grant", grant))
    }
}
