//! What whoever walks through a flow needs to answer: options for passkeys, and what an application is set up with.

use super::{enrolment, letter, provider};
use crate::lasting_access::{self, LastingAccess};
use crate::passkeys::{self, Occasion};
use crate::{Engine, Failed};
use fast_qr::convert::svg::SvgBuilder;
use fast_qr::qr::QRBuilder;
use serde_json::Value;
use sinete_core::flow::Flow;
use sinete_core::flow::action::Action;
use sinete_core::flow::credential::enrolling::Factor;
use sinete_core::flow::person::Way;
use sinete_core::flow::purpose::FlowKind;
use sinete_core::flow::stage::{Ending, Stage};
use sinete_core::id::{AccountId, ConnectionId};
use sinete_core::limits::PASSKEY_CHALLENGE_LIFETIME;
use sinete_core::time::Timestamp;
use sinete_crypto::webauthn::{
    Known, NewPasskey, Passkey, User, UserVerification, creation_options, request_options,
};
use sinete_store::credentials::Kind;
use sinete_store::{accounts, connections, contacts, credentials};

/// What a flow offers beside its actions.
#[derive(Debug, Default)]
pub struct Offers {
    /// For `navigator.credentials.get`, with a button or offered while a field is filled in: both answer the same
    /// challenge.
    pub passkey_request: Option<Value>,
    /// For `navigator.credentials.create`.
    pub passkey_creation: Option<Value>,
    /// What an authenticator application is set up with.
    pub totp: Option<TotpOffer>,
    /// What may be set up next, by another flow or not at all.
    pub may_enroll: Vec<Factor>,
    /// The providers of the organization that this is about, where that is known.
    pub providers: Vec<OfferedProvider>,
    /// Where somebody who is to sign in at a provider goes.
    pub go_to: Option<String>,
    /// What acts for whoever chooses a new password and ends with it, unless they keep it.
    pub access: Vec<LastingAccess>,
    /// When another message may be sent, where one was asked for.
    pub next_message_at: Option<Timestamp>,
}

/// A provider at which somebody may sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedProvider {
    /// By what it is chosen.
    pub connection: ConnectionId,
    /// What people know it by.
    pub name: String,
}

/// What an authenticator application is set up with. It is shown while it is set up and never again.
pub struct TotpOffer {
    /// The seed as text.
    pub secret: String,
    /// The seed as an address.
    pub uri: String,
    /// The address as a picture.
    pub qr_svg: String,
}

impl std::fmt::Debug for TotpOffer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("TotpOffer")
    }
}

/// What the flow offers where it stands now.
pub async fn offers(engine: &Engine, flow: &Flow) -> Result<Offers, Failed> {
    let actions = flow.actions();
    let mut offers = Offers::default();
    if actions.contains(&Action::Passkey) {
        // Whoever is asked is not told which passkeys there are: the device knows its own.
        offers.passkey_request = Some(request_options(
            engine.relying_party(),
            &[],
            UserVerification::Required,
            &challenge(engine, flow),
            milliseconds(),
        ));
    }
    if let (Stage::NewPassword, Some(account)) = (flow.stage(), flow.account()) {
        offers.access = lasting_access::list(engine, account).await?;
    }
    if actions.contains(&Action::PasskeyRegistration) || actions.contains(&Action::Details) {
        offers.passkey_creation = Some(creation(engine, flow).await?);
    }
    if let Some(seed) = enrolment::seed(engine, flow)? {
        let names = named(engine, flow.account()).await?;
        let uri = seed.to_uri(&engine.relying_party().id, &names.name);
        let qr = QRBuilder::new(uri.as_str()).build().map_err(|_| Failed::Interrupted)?;
        let qr_svg = SvgBuilder::default().to_str(&qr);
        offers.totp = Some(TotpOffer { secret: seed.to_text(), uri, qr_svg });
    }
    if flow.stage() == &Stage::Finished(Ending::SignedIn) && flow.kind() != FlowKind::StepUp {
        offers.may_enroll.extend(wants_passkey(engine, flow).await?.then_some(Factor::Passkey));
    }
    if flow.stage() == &Stage::SignIn && actions.contains(&Action::SingleSignOn) {
        offers.providers = providers(engine, flow).await?;
    }
    offers.go_to = provider::go_to(engine, flow).await?;
    offers.next_message_at = letter::next_message_at(engine, flow).await?;
    Ok(offers)
}

/// The providers of the organization that the request names. That they are there is no secret of anybody's.
async fn providers(engine: &Engine, flow: &Flow) -> Result<Vec<OfferedProvider>, Failed> {
    let named = flow.purpose().asked().and_then(|asked| asked.parameter("organization"));
    let Some(named) = named else { return Ok(Vec::new()) };
    let Some(organization) = crate::acting::find(engine, named, engine.now()).await? else {
        return Ok(Vec::new());
    };
    let usable = connections::usable_in(engine.store(), organization.id, engine.now()).await?;
    let offered = |it: connections::Connection| OfferedProvider { connection: it.id, name: it.chosen.name };
    Ok(usable.into_iter().map(offered).collect())
}

/// The id that an account made in this flow will have: that of the flow, which no other flow has. A passkey is made
/// for it before it is there.
pub(super) fn new_account(flow: &Flow) -> AccountId {
    AccountId::from_bytes(*flow.id().as_bytes())
}

async fn wants_passkey(engine: &Engine, flow: &Flow) -> Result<bool, Failed> {
    let Some(account) = flow.account() else { return Ok(false) };
    let person = super::people::person(engine, account).await?;
    Ok(!person.ways.contains(&Way::Passkey))
}

async fn creation(engine: &Engine, flow: &Flow) -> Result<Value, Failed> {
    let account = flow.account().unwrap_or_else(|| new_account(flow));
    let names = named(engine, flow.account()).await?;
    let kept = credentials::of_account(engine.store(), account).await?;
    let passkeys: Vec<(Vec<u8>, Vec<String>)> = kept
        .iter()
        .filter(|it| it.kind == Kind::Passkey)
        .filter_map(|it| Some((it.handle.clone()?, Passkey::from_bytes(&it.material).ok()?.transports)))
        .collect();
    let existing: Vec<Known<'_>> = passkeys.iter().map(|(id, transports)| Known { id, transports }).collect();
    let party = engine.relying_party();
    let new = NewPasskey {
        user: User { handle: account.as_bytes(), name: &names.name, display_name: &names.display_name },
        service: &party.id,
        existing: &existing,
    };
    Ok(creation_options(party, &new, &challenge(engine, flow), milliseconds()))
}

fn challenge(engine: &Engine, flow: &Flow) -> Vec<u8> {
    passkeys::challenge(engine, Occasion { flow: flow.id(), step: flow.steps() }).to_vec()
}

fn milliseconds() -> u64 {
    u64::try_from(PASSKEY_CHALLENGE_LIFETIME.micros() / 1_000).unwrap_or_default()
}

/// What a device shows of somebody.
struct Names {
    name: String,
    display_name: String,
}

/// How somebody is called: by their address, and by their name where they said it.
async fn named(engine: &Engine, account: Option<AccountId>) -> Result<Names, Failed> {
    let Some(account) = account else {
        let name = engine.relying_party().id.clone();
        return Ok(Names { display_name: name.clone(), name });
    };
    let known = contacts::of_account(engine.store(), account).await?;
    let address = known.iter().filter(|it| it.kind == contacts::Kind::Email).max_by_key(|it| it.is_primary);
    let name = address.map_or_else(|| account.to_string(), |address| address.address.clone());
    let found = accounts::find(engine.store(), account).await?;
    let profile: Value = match found {
        Some(account) => account.profile.read()?,
        None => Value::Null,
    };
    let display_name = profile["name"].as_str().unwrap_or(&name).to_owned();
    Ok(Names { name, display_name })
}
