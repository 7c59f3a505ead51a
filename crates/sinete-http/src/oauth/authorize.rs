//! The authorization endpoint, by GET and by POST. What comes of a request is for the engine to say.

mod ask;

use crate::call::Call;
use crate::extract::navigation;
use crate::extract::pairs::{BadPairs, Pair};
use crate::extract::session::{Kind, Presented, of_headers};
use crate::reply::{Answer, Declined, authorization};
use crate::state::State;
use sinete_core::authorize::unvalidated::{ShownLocally, Unvalidated};
use sinete_core::security::event::Actor;
use sinete_engine::Cause;
use sinete_engine::authorize::{
    self, Answers, Asked, Completed, Next, Passage, Received, Resumed, Seen, Visiting,
};
use sinete_engine::looks;
use sinete_engine::sessions::SignedIn;

/// A request in the address, or one that comes back from its flow.
pub(crate) async fn get(state: State, call: Call) -> Answer {
    let pairs = call.query_with_repeated()?;
    let visitor = Visitor::of(&state, &call, &pairs).await?;
    match (named(&pairs, "client_id"), named(&pairs, "flow")) {
        (None, Some(flow)) => visitor.resume(flow).await,
        (Some(_), _) | (None, None) => visitor.ask(pairs).await,
    }
}

/// A request in a form. What stands in the address counts as well, so that nothing can be said twice.
pub(crate) async fn post(state: State, call: Call) -> Answer {
    let pairs = in_both(&call)?;
    Visitor::of(&state, &call, &pairs).await?.ask(pairs).await
}

/// What was said first under this name.
fn named<'a>(pairs: &'a [Pair], name: &str) -> Option<&'a str> {
    pairs.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
}

fn in_both(call: &Call) -> Result<Vec<Pair>, BadPairs> {
    let mut pairs = call.query_with_repeated()?;
    pairs.extend(call.form_with_repeated()?);
    Ok(pairs)
}

/// Whoever is at the endpoint.
struct Visitor<'a> {
    state: &'a State,
    call: &'a Call,
    presented: Option<Presented<'a>>,
    signed_in: Option<SignedIn>,
    /// What was read with who is signed in.
    seen: Option<Seen>,
}

impl<'a> Visitor<'a> {
    async fn of(state: &'a State, call: &'a Call, pairs: &[Pair]) -> Result<Self, Declined> {
        let presented = of_headers(Kind::Session, call.headers(), state.scheme())?;
        let session = presented.as_ref().map(|presented| presented.token);
        // What another page embeds starts no flow, so that it uses up nobody's.
        let is_opened = navigation::is_opened(call.headers());
        if session.is_none() && is_opened {
            state.paced(call).starting()?;
        }
        let visiting = authorize::arrive(state.engine(), session, named(pairs, "client_id")).await?;
        let Visiting { signed_in, seen } = visiting;
        match &signed_in {
            Some(signed_in) => state.paced(call).writing_by(signed_in.session.account)?,
            None if session.is_some() && is_opened => state.paced(call).starting()?,
            None => {}
        }
        Ok(Self { state, call, presented, signed_in, seen })
    }

    /// Who causes what follows.
    fn cause(&self) -> Cause {
        let account = self.signed_in.as_ref().map(|it| it.session.account);
        Cause { actor: account.map_or(Actor::Anonymous, Actor::Account), origin: self.call.origin() }
    }

    async fn ask(&self, pairs: Vec<Pair>) -> Answer {
        let named = |name: &str| named(&pairs, name).map(str::to_owned);
        let (client, organization) = (named("client_id"), named("organization"));
        // Whoever signs their requests may have let us wait for their keys: what was seen before that is old.
        let seen = self.seen.as_ref().filter(|_| named("request").is_none());
        let parameters = Unvalidated::new(pairs);
        match authorize::receive(self.state.engine(), parameters, self.seen.as_ref()).await? {
            Received::Proven(asked) => self.settle(asked, seen).await,
            Received::Refused(refused) => authorization::refused(self.state, self.call, &refused),
            Received::Show(why) => self.show(why, client.as_deref(), organization.as_deref()).await,
        }
    }

    /// What is wrong, for the person alone.
    async fn show(&self, why: ShownLocally, client: Option<&str>, organization: Option<&str>) -> Answer {
        let look = looks::of_request(self.state.engine(), client, organization).await?;
        authorization::shown(self.state, self.call, why, look.as_ref())
    }

    /// The code, where nothing is missing.
    async fn settle(&self, asked: Asked, seen: Option<&Seen>) -> Answer {
        let (engine, answers) = (self.state.engine(), Answers::default());
        let completed = match &self.signed_in {
            Some(signed_in) => {
                let passage = Passage { asked: &asked, signed_in, answers: &answers, seen };
                authorize::complete(engine, passage, &|_| Vec::new(), &self.cause()).await?
            }
            None => {
                let next = authorize::next(engine, &asked, None, &answers).await?;
                Completed::Otherwise(Box::new(next))
            }
        };
        self.tell(completed, asked).await
    }

    /// A request that comes back from its flow.
    async fn resume(&self, flow: &str) -> Answer {
        let signed_in = self.signed_in.as_ref();
        match authorize::resume(self.state.engine(), flow, signed_in, &self.cause()).await?? {
            Resumed::Over(completed, asked) => self.tell(completed, *asked).await,
            Resumed::Waiting(flow, client) => self.lead_to(flow, &client).await,
            Resumed::Again(asked) => Box::pin(self.start_flow(*asked)).await,
        }
    }

    async fn tell(&self, completed: Completed, asked: Asked) -> Answer {
        let next = match completed {
            Completed::Issued(issued) => return authorization::granted(self.state, self.call, &issued),
            Completed::Otherwise(next) => *next,
        };
        match next {
            Next::Refuse(refused) => authorization::refused(self.state, self.call, &refused),
            Next::Show(why) => {
                self.show(why, Some(asked.client.as_str()), asked.parameter("organization")).await
            }
            Next::SignIn(_) | Next::StepUp(_) | Next::ChooseOrganization(_) | Next::Consent(_) => {
                // Most who come are signed in and agreed before: they need not carry what begins a flow.
                Box::pin(self.start_flow(asked)).await
            }
            // Granting is what completing does: only facts that changed since lead here.
            Next::Grant(_) | Next::Deny(_) => Err(sinete_engine::Failed::Contended.into()),
        }
    }
}
