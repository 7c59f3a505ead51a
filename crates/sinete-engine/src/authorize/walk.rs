//! What a request still needs, from the facts of this moment. The questions come in one order: is the request
//! itself in order, who asks, in which organization, for what, how sure are we of them, and do they agree.

mod requirements;

use super::aim::Aim;
use super::applicant::Applicant;
use super::arrive::Person;
use super::complete::{Granting, ReadTogether};
use super::hint::{self, NamedSubject};
use super::question::{self, Place as Shown};
use super::via::{ByCode, Via};
use super::wanted::{Halt, Wanted, judge_early};
use super::{Agreement, Answers, Arrival, Asked, Choice, Next, Refused, Seen, SignInFirst};
use super::{approval, device};
use crate::sessions::SignedIn;
use crate::{Engine, Failed};
use sinete_core::assurance::Assurance;
use sinete_core::assurance::freshness::FreshnessDemand;
use sinete_core::authorize::agreed::Authenticated;
use sinete_core::authorize::consent::{self, Circumstances, Consent, Remembered, Within};
use sinete_core::authorize::person::{self, Hinted, Present, Reason};
use sinete_core::authorize::place::{self, Candidate, Named, Place, Signs};
use sinete_core::authorize::request::AuthorizationRequest;
use sinete_core::authorize::response::AuthorizationError;
use sinete_core::authorize::wish::Wish;
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::people::{Alive, SignedIn as Anybody};
use sinete_core::secret::Digest;
use sinete_core::time::Lifetime;
use sinete_core::token::claim::NamedClaims;
use sinete_store::clients::Origin;
use sinete_store::memberships::{self, Usable};
use sinete_store::{grants, pushed_requests};
use std::sync::Arc;

/// What happens next with a request, given who is signed in and what was answered so far.
pub async fn next(
    engine: &Engine,
    asked: &Asked,
    signed_in: Option<&SignedIn>,
    answers: &Answers,
) -> Result<Next, Failed> {
    use sinete_core::authorize::unvalidated::ShownLocally;
    let Some(applicant) = Applicant::find(engine, &asked.client).await? else {
        return Ok(Next::Show(ShownLocally::ClientUnknown));
    };
    let seen = Seen::client(applicant);
    match asked.arrival {
        Arrival::Device(digest) => {
            let digest = Digest::from_bytes(digest);
            device::next(engine, &seen.applicant, (asked, digest), signed_in, answers).await
        }
        Arrival::Backchannel(digest) => {
            let digest = Digest::from_bytes(digest);
            approval::next(engine, &seen.applicant, (asked, digest), signed_in, answers).await
        }
        Arrival::Browser | Arrival::Pushed(_) => for_browser(engine, &seen, asked, signed_in, answers).await,
    }
}

/// The same for a request that a browser brought: whatever is wrong with it is told where its answer goes.
pub(super) async fn for_browser(
    engine: &Engine,
    seen: &Seen,
    asked: &Asked,
    signed_in: Option<&SignedIn>,
    answers: &Answers,
) -> Result<Next, Failed> {
    let Seen { applicant, person } = seen;
    // What was read is theirs who were signed in then, and nobody else's.
    let account = signed_in.map(|signed_in| signed_in.session.account);
    let person = person.as_ref().filter(|person| Some(person.account) == account);
    let addressed = match asked.parameters().address(&applicant.addressee()) {
        Ok(addressed) => addressed,
        Err(why) => return Ok(Next::Show(why)),
    };
    let reply_to = addressed.reply_to().clone();
    let anybody = if signed_in.is_some() { Anybody::Yes } else { Anybody::No };
    let walked = match addressed.check(anybody) {
        Ok(AuthorizationRequest { reply_to, challenge, wish, .. }) => {
            let via = Via::Browser(ByCode { reply_to, challenge, arrival: asked.arrival });
            Walk { engine, applicant, person, wish: Arc::new(wish), via: Arc::new(via), answers }
                .on(signed_in)
                .await
        }
        Err(redirected) => Err(Halt::Wrong((redirected.error, redirected.description))),
    };
    match walked {
        Ok(next) => Ok(next),
        Err(Halt::Failed(failed)) => Err(failed),
        Err(Halt::Wrong((error, description))) => {
            let redirected = sinete_core::authorize::response::Redirected { reply_to, error, description };
            let is_silent = asked.parameter("prompt") == Some("none");
            let delivery = redirected.delivery(applicant.vouching, anybody, is_silent);
            let client_name = applicant.known.client.name.clone();
            Ok(Next::Refuse(Box::new(Refused { redirected, delivery, client_name })))
        }
    }
}

/// One look at a request.
pub(super) struct Walk<'a> {
    pub(super) engine: &'a Engine,
    pub(super) applicant: &'a Applicant,
    /// Where whoever is signed in may act, if that was read with who they are.
    pub(super) person: Option<&'a Person>,
    pub(super) wish: Arc<Wish>,
    pub(super) via: Arc<Via>,
    pub(super) answers: &'a Answers,
}

/// Where the request is for, once that is settled.
pub(super) struct There {
    pub(super) usable: Usable,
    settings: OrganizationSettings,
}

impl Walk<'_> {
    pub(super) async fn on(&self, signed_in: Option<&SignedIn>) -> Result<Next, Halt> {
        self.must_have_arrived().await?;
        let wanted = judge_early(self.engine, self.applicant, &self.wish, self.via.grant()).await?;
        let hint = self.wish.id_token_hint.as_deref();
        let hinted = hint::read(self.engine, hint, &self.applicant.known.client.id).await?;
        let hinted = hinted.map(NamedSubject::Member);
        let named = hint::named(self.engine, &self.wish.claims).await?;
        let expects = match (hinted, named) {
            (Some(hinted), Some(named)) if hinted != named => {
                return Err((AuthorizationError::InvalidRequest, "two different people are named").into());
            }
            (hinted, named) => named.or(hinted),
        };
        let present = signed_in.map(|signed_in| self.present(signed_in, expects));
        let default_max_age = self.default_max_age();
        let reason = person::must_sign_in(&self.wish, default_max_age, present, self.engine.now())?;
        let signed_in = match (reason, signed_in) {
            (None, Some(signed_in)) => signed_in,
            (Some(reason), _) => return Ok(self.sign_in(reason, None)),
            (None, None) => return Ok(self.sign_in(Reason::Nobody, None)),
        };
        let there = match self.place(signed_in, expects).await? {
            Ok(there) => there,
            Err(choices) => return Ok(Next::ChooseOrganization(choices)),
        };
        if named.is_some_and(|named| named.organization() != Some(there.usable.organization)) {
            return Err((AuthorizationError::LoginRequired, "another organization than the named one").into());
        }
        let aim = self.aim(&wanted, &there).await?;
        let missing = self.must_be_allowed(&wanted, &aim, signed_in, &there)?;
        if let Some(first) = self.assured(missing, signed_in, &there)? {
            return self.within_reach(first, signed_in).await;
        }
        self.agreed(wanted, aim, signed_in, &there)
    }

    /// A pushed request can be finished once; a client that pushes its requests does not send others.
    async fn must_have_arrived(&self) -> Result<(), Halt> {
        let refused = |text| Err((AuthorizationError::InvalidRequest, text).into());
        let arrival = match &*self.via {
            Via::Browser(by_code) => by_code.arrival,
            // Whether it still waits was looked at when it was read.
            Via::Device(_) | Via::Backchannel(_) => return Ok(()),
        };
        match arrival {
            Arrival::Browser if self.applicant.known.metadata.must_push() => {
                refused("this client pushes its requests")
            }
            Arrival::Browser | Arrival::Device(_) | Arrival::Backchannel(_) => Ok(()),
            Arrival::Pushed(digest) => {
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
            super::SignIn::Before => self.wish.max_age.or(self.default_max_age()),
            super::SignIn::Because => None,
        }
    }

    fn present(&self, signed_in: &SignedIn, expects: Option<NamedSubject>) -> Present {
        let is_them =
            |account| if account == signed_in.session.account { Hinted::Them } else { Hinted::SomebodyElse };
        Present {
            authenticated_at: signed_in.session.authenticated_at,
            hinted: match (self.via.account(), expects) {
                (Some(account), _) => is_them(account),
                (None, Some(NamedSubject::Member(expects))) => is_them(expects.account),
                (None, Some(NamedSubject::Unknown)) => Hinted::SomebodyElse,
                (None, None) => Hinted::Nobody,
            },
            sign_in: self.answers.sign_in,
        }
    }

    fn sign_in(&self, reason: Reason, settings: Option<&OrganizationSettings>) -> Next {
        Next::SignIn(SignInFirst {
            reason,
            login_hint: self.wish.login_hint.clone(),
            allowed: settings.and_then(|settings| settings.allowed_credentials.clone()),
        })
    }

    /// Where the request is for, or what there is to choose from.
    async fn place(
        &self,
        signed_in: &SignedIn,
        expects: Option<NamedSubject>,
    ) -> Result<Result<There, Vec<Choice>>, Halt> {
        let (store, now, client) = (self.engine.store(), self.engine.now(), &self.applicant.known.client);
        let mut usable = match self.person {
            Some(person) => person.usable.clone(),
            None => memberships::usable_by(store, signed_in.session.account, now).await?,
        };
        usable.retain(|it| match client.origin {
            Origin::Operator | Origin::Itself => true,
            Origin::Organization(only) => it.organization == only,
        });
        let candidate = |it: &Usable| Candidate { organization: it.organization, membership: it.membership };
        let candidates: Vec<_> = usable.iter().map(candidate).collect();
        let named = self.wish.organization.as_deref().map_or(Named::None, |name| {
            let is = |it: &&Usable| it.slug == name || it.organization.to_string() == name;
            usable.iter().find(is).map_or(Named::Unknown, |it| Named::Known(it.organization))
        });
        let signs = Signs {
            named,
            chosen: self.answers.organization,
            hinted: expects.and_then(NamedSubject::organization),
            granted: match candidates.len() {
                0 | 1 => None,
                _ => grants::given_in(store, signed_in.session.id, &client.id, now).await?,
            },
        };
        let settled = place::settle(&signs, &candidates, &self.wish.prompt)?;
        let Place::At(at) = settled else {
            let choice = |it: Usable| Choice { id: it.organization, slug: it.slug, name: it.name };
            return Ok(Err(usable.into_iter().map(choice).collect()));
        };
        let found = usable.into_iter().find(|it| it.organization == at.organization);
        let usable = found.ok_or(Failed::Contended)?;
        let settings = usable.settings.read()?;
        Ok(Ok(There { usable, settings }))
    }

    /// What a grant will hang on, where all of it was read at once and the client can be known again.
    fn read_together(&self, alive: Option<Alive>, there: &There) -> Option<ReadTogether> {
        let facts = self.person.filter(|_| self.applicant.known.can_be_known_again())?.facts;
        let (offering, settings) = (there.usable.offering, there.settings.clone());
        alive.map(|alive| ReadTogether { alive, offering, settings, facts })
    }

    /// The question of consent, or the grant.
    fn agreed(&self, wanted: Wanted, aim: Aim, signed_in: &SignedIn, there: &There) -> Result<Next, Halt> {
        let (client, audience) = (&self.applicant.known.client, &aim.audience);
        let claims = NamedClaims::asked(&self.wish.claims, &wanted.scopes, &client.scope);
        let question = Agreement {
            organization: there.usable.organization,
            audience: audience.target().identifier().clone(),
            scopes: wanted.scopes,
            details: self.wish.details.clone(),
            claims,
        };
        let agreed_before = aim.consent.as_ref().map(|consent| consent.agreed_at);
        let remembered = aim.consent.map(|consent| Remembered {
            scope: consent.scope,
            claims: consent.claims,
            within: consent
                .within
                .map(|within| Within { session: within.session, redirect_host: within.redirect_host }),
        });
        let here = Within { session: signed_in.session.id, redirect_host: self.via.host() };
        let circumstances = Circumstances {
            question: &question,
            mode: self.applicant.consent_mode(),
            vouching: self.applicant.vouching,
            here: &here,
            remembered: remembered.as_ref(),
            prompt: &self.wish.prompt,
        };
        let (remember, agreed_at) = match consent::settle(&circumstances, self.answers)? {
            Consent::Settled => (None, agreed_before),
            Consent::Given(remembered) => (self.via.remembers().then_some(remembered), None),
            Consent::Needed { new } => {
                let at = Shown { usable: &there.usable, audience };
                let asked = question::ask(self.applicant, &self.via, at, question, &new);
                return Ok(Next::Consent(Box::new(asked)));
            }
        };
        // What is told of how somebody signed in is what counts here.
        let evidence = signed_in.evidence.within(there.usable.organization);
        let two = FreshnessDemand { max_age: self.max_age(), ..FreshnessDemand::level(Assurance::Two) };
        let assurance = match two.is_met(&evidence, self.engine.now()) {
            true => signed_in.assurance,
            false => Assurance::One,
        };
        Ok(Next::Grant(Box::new(Granting {
            client: client.id.clone(),
            wish: Arc::clone(&self.wish),
            via: Arc::clone(&self.via),
            membership: there.usable.membership,
            session: signed_in.session.clone(),
            authenticated: Authenticated {
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
