//! The authorization endpoint, by GET and by POST. What comes of a request is for the engine to say.

mod ask;

use crate::call::Call;
use crate::extract::pairs::BadPairs;
use crate::extract::session::{Kind, Presented, of_headers};
use crate::reply::{Answer, Declined, authorization};
use crate::state::State;
use sinete_core::authorize::unvalidated::{ShownLocally, Unvalidated};
use sinete_core::security::event::Actor;
use sinete_engine::Cause;
use sinete_engine::authorize::{self, Answers, Asked, Completed, Next, Passage, Received, Resumed};
use sinete_engine::looks;
use sinete_engine::sessions::{self, SignedIn};

/// A request in the address, or one that comes back from its flow.
pub(crate) async fn get(state: State, call: Call) -> Answer {
    let visitor = Visitor::of(&state, &call).await?;
    let pairs = call.query_with_repeated()?;
    let is_new = pairs.iter().any(|(name, _)| name == "client_id");
    match pairs.iter().find(|(name, _)| name == "flow") {
        Some((_, flow)) if !is_new => visitor.resume(flow).await,
        Some(_) | None => visitor.ask(pairs).await,
    }
}

/// A request in a form. What stands in the address counts as well, so that nothing can be said twice.
pub(crate) async fn post(state: State, call: Call) -> Answer {
    let pairs = in_both(&call)?;
    Visitor::of(&state, &call).await?.ask(pairs).await
}

fn in_both(call: &Call) -> Result<Vec<(String, String)>, BadPairs> {
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
}

impl<'a> Visitor<'a> {
    async fn of(state: &'a State, call: &'a Call) -> Result<Self, Declined> {
        let presented = of_headers(Kind::Session, call.headers(), state.scheme())?;
        let signed_in = match &presented {
            Some(presented) => sessions::find(state.engine(), presented.token).await?,
            None => None,
        };
        if signed_in.is_none() {
            state.paced(call.visit()).starting()?;
        }
        Ok(Self { state, call, presented, signed_in })
    }

    /// Who causes what follows.
    fn cause(&self) -> Cause {
        let account = self.signed_in.as_ref().map(|it| it.session.account);
        Cause { actor: account.map_or(Actor::Anonymous, Actor::Account), origin: self.call.origin() }
    }

    async fn ask(&self, pairs: Vec<(String, String)>) -> Answer {
        let named = |name: &str| pairs.iter().find(|(it, _)| it == name).map(|(_, value)| value.clone());
        let (client, organization) = (named("client_id"), named("organization"));
        match authorize::receive(self.state.engine(), Unvalidated::new(pairs)).await? {
            Received::Proven(asked) => self.settle(asked).await,
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
    async fn settle(&self, asked: Asked) -> Answer {
        let (engine, answers) = (self.state.engine(), Answers::default());
        let completed = match &self.signed_in {
            Some(signed_in) => {
                let passage = Passage { asked: &asked, signed_in, answers: &answers };
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
            Resumed::Again(asked) => self.start_flow(*asked).await,
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
                self.start_flow(asked).await
            }
            // Granting is what completing does: only facts that changed since lead here.
            Next::Grant(_) | Next::Deny(_) => Err(sinete_engine::Failed::Contended.into()),
        }
    }
}
