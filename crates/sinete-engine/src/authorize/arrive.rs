//! Who comes with a request and which client sends them, read together.

use super::applicant::Applicant;
use crate::sessions::{self, SignedIn};
use crate::{ATTEMPTS_MAX, Engine, Failed};
use sinete_core::client::ClientId;
use sinete_core::id::AccountId;
use sinete_core::people::Condition;
use sinete_core::secret::{Secret, SessionToken};
use sinete_store::memberships::Usable;
use sinete_store::visitors::{self, Held, Places};

/// Who comes with a request.
#[derive(Debug, Default)]
pub struct Visiting {
    /// Who is signed in, if anybody is.
    pub signed_in: Option<SignedIn>,
    /// What was read with that, so that the first look at the request reads none of it again.
    pub seen: Option<Seen>,
}

/// A client that may ask, and where the person it sends may act, as of one moment.
#[derive(Clone, Debug)]
pub struct Seen {
    pub(super) applicant: Applicant,
    /// That person; nothing where nobody looked.
    pub(super) person: Option<Person>,
}

/// Where somebody may act, and what they hold there.
#[derive(Clone, Debug)]
pub(super) struct Person {
    pub(super) account: AccountId,
    /// The memberships that can be used.
    pub(super) usable: Vec<Usable>,
    /// What they hold in them and agreed to there with the client.
    pub(super) held: Held,
    /// The version of what counts for all of that.
    pub(super) facts: i64,
}

impl Seen {
    /// A client, without a look at anybody it sends.
    pub(super) const fn client(applicant: Applicant) -> Self {
        Self { applicant, person: None }
    }
}

/// Who comes with this session from this client, where there is one of each.
pub async fn arrive(
    engine: &Engine,
    session: Option<&str>,
    client: Option<&str>,
) -> Result<Visiting, Failed> {
    let client = client.and_then(|client| client.parse::<ClientId>().ok());
    match (session, client) {
        (Some(session), Some(client)) => both(engine, session, &client).await,
        (Some(session), None) => alone(engine, session).await,
        (None, Some(client)) => unsigned(engine, &client).await,
        (None, None) => Ok(Visiting::default()),
    }
}

async fn unsigned(engine: &Engine, client: &ClientId) -> Result<Visiting, Failed> {
    let seen = Applicant::find(engine, client).await?.map(Seen::client);
    Ok(Visiting { signed_in: None, seen })
}

async fn alone(engine: &Engine, session: &str) -> Result<Visiting, Failed> {
    Ok(Visiting { signed_in: sessions::find(engine, session).await?, seen: None })
}

async fn both(engine: &Engine, session: &str, client: &ClientId) -> Result<Visiting, Failed> {
    let Ok(token) = Secret::<SessionToken>::parse(session) else { return unsigned(engine, client).await };
    for _ in 0..ATTEMPTS_MAX {
        let now = engine.now();
        let Some(found) = visitors::find(engine.store(), &token.digest(), client, now).await? else {
            return alone(engine, session).await;
        };
        let applicant = match found.client.condition {
            Condition::Enabled => match Applicant::standing(engine, client, found.client).await? {
                Some(applicant) => Some(applicant),
                None => continue,
            },
            Condition::Suspended | Condition::Ended => None,
        };
        let Some(visitors::SignedIn { session, places }) = found.signed_in else {
            return Ok(Visiting { signed_in: None, seen: applicant.map(Seen::client) });
        };
        let account = session.account;
        let facts = found.facts;
        engine.shared.newest_facts.saw(facts);
        let person = places.map(|Places { usable, held }| Person { account, usable, held, facts });
        let signed_in = sessions::used(engine, session, now).await?;
        let seen = applicant.map(|applicant| Seen { applicant, person });
        return Ok(Visiting { signed_in, seen });
    }
    Err(Failed::Contended)
}
