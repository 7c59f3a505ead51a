//! The authorization endpoint, by GET and by POST. What comes of a request is for the engine to say.

use crate::call::Call;
use crate::extract::pairs::BadPairs;
use crate::extract::session::presented;
use crate::reply::{Answer, Declined, authorization};
use crate::state::State;
use sinete_core::authorize::unvalidated::Unvalidated;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::Actor;
use sinete_engine::Cause;
use sinete_engine::authorize::{self, Answers, Asked, Completed, Next, Passage, Received};
use sinete_engine::sessions::{self, SignedIn};

/// A request in the address.
pub(crate) async fn get(state: State, call: Call) -> Answer {
    let pairs = call.query_with_repeated()?;
    answer(&state, &call, pairs).await
}

/// A request in a form. What stands in the address counts as well, so that nothing can be said twice.
pub(crate) async fn post(state: State, call: Call) -> Answer {
    let pairs = in_both(&call)?;
    answer(&state, &call, pairs).await
}

fn in_both(call: &Call) -> Result<Vec<(String, String)>, BadPairs> {
    let mut pairs = call.query_with_repeated()?;
    pairs.extend(call.form_with_repeated()?);
    Ok(pairs)
}

async fn answer(state: &State, call: &Call, pairs: Vec<(String, String)>) -> Answer {
    let engine = state.engine();
    let asked = match authorize::receive(engine, Unvalidated::new(pairs)).await? {
        Received::Proven(asked) => asked,
        Received::Refused(refused) => return authorization::refused(state, call, &refused),
        Received::Show(why) => return authorization::shown(state, call, why),
    };
    let signed_in = match presented(state, call)? {
        Some(token) => sessions::find(engine, &token).await?,
        None => None,
    };
    match settle(state, call, &asked, signed_in.as_ref()).await? {
        Completed::Issued(issued) => authorization::granted(state, call, &issued),
        Completed::Otherwise(next) => otherwise(state, call, *next),
    }
}

/// The code, where nothing is missing.
async fn settle(
    state: &State,
    call: &Call,
    asked: &Asked,
    signed_in: Option<&SignedIn>,
) -> Result<Completed, Declined> {
    let (engine, answers) = (state.engine(), Answers::default());
    let Some(signed_in) = signed_in else {
        let next = authorize::next(engine, asked, None, &answers).await?;
        return Ok(Completed::Otherwise(Box::new(next)));
    };
    let cause = Cause { actor: Actor::Account(signed_in.session.account), origin: call.origin() };
    let passage = Passage { asked, signed_in, answers: &answers };
    Ok(authorize::complete(engine, passage, &|_| Vec::new(), &cause).await?)
}

/// What is answered where something is missing.
fn otherwise(state: &State, call: &Call, next: Next) -> Answer {
    match next {
        Next::Refuse(refused) => authorization::refused(state, call, &refused),
        Next::Show(why) => authorization::shown(state, call, why),
        Next::SignIn(_) | Next::StepUp(_) | Next::ChooseOrganization(_) | Next::Consent(_) => {
            let public = "somebody has to be asked first";
            Err(Refusal::new(RefusalCode::Unauthenticated, public, "there is nobody to ask").into())
        }
        // Granting is what completing does, so there is nothing left to do here.
        Next::Grant(_) => Err(sinete_engine::Failed::Contended.into()),
    }
}
