//! A client managing its own registration with the token it was given (RFC 7592).

use crate::acting::in_trail;
use crate::clients::change_of_proof;
use crate::outbound::owner_of;
use crate::register_client::{RegisteredClient, check_sector, must_be_served, unfit};
use crate::{ATTEMPTS_MAX, Engine, EventCause, Failure};
use serde_json::{Map, Value};
use sinete_core::client::ClientId;
use sinete_core::client::metadata::{ClientMetadata, GrantType};
use sinete_core::client::registration::{self, ClientRegistrar};
use sinete_core::client::trust::{ClientEditor, TrustLapse};
use sinete_core::fault::ValidationErrors;
use sinete_core::people::LifecycleCondition;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{ClientSecret, Digest, RegistrationToken, Secret};
use sinete_core::security::event::{EventKind, RequestOrigin as From, SecurityEvent, SecurityEventActor};
use sinete_store::clients::{ClientChange, ClientOrigin, ClientRow};
use sinete_store::registrations::{self, RegistrationTokenStatus};
use sinete_store::{JsonDocument, WriteBatch, client_secrets, clients, memberships};

/// A client that proved that a registration is its own.
#[derive(Debug)]
pub struct RegistrationHolder {
    /// The client.
    pub client: ClientRow,
    /// What it says about itself.
    pub metadata: ClientMetadata,
    cause: EventCause,
    token: Digest<RegistrationToken>,
}

/// The client whose registration this token manages. A token that replaces another takes its place with this use.
pub async fn identify(
    engine: &Engine,
    id: &str,
    bearer: &str,
    origin: From,
) -> Result<Result<RegistrationHolder, Refusal>, Failure> {
    let (Ok(id), Ok(secret)) = (id.parse::<ClientId>(), Secret::<RegistrationToken>::parse(bearer)) else {
        return Ok(Err(unknown("no client's id, or no registration token")));
    };
    let token = secret.digest();
    let Some(standing) = registrations::standing(engine.store(), &id, &token).await? else {
        return Ok(Err(unknown("not the registration token of an enabled client")));
    };
    if standing == RegistrationTokenStatus::Next {
        let adopted = WriteBatch::new().with(registrations::adopt(&id, &token));
        let _ = engine.store().commit(adopted).await?;
    }
    let Some(client) = clients::find(engine.store(), &id).await? else {
        return Ok(Err(unknown("the client is gone")));
    };
    let metadata = client.metadata.read()?;
    let cause = EventCause { actor: SecurityEventActor::Client(id), origin };
    Ok(Ok(RegistrationHolder { client, metadata, cause, token }))
}

/// Puts another registration in the place of the client's. Everything is judged as if it registered now, and a
/// new token is given: the one that was used ends when the new one is first used.
pub async fn change(
    engine: &Engine,
    registrant: RegistrationHolder,
    document: &Map<String, Value>,
) -> Result<Result<RegisteredClient, Refusal>, Failure> {
    let RegistrationHolder { client, metadata: before, cause, .. } = &registrant;
    if let Err(refusal) = must_be_its_own(engine, client, document).await? {
        return Ok(Err(refusal));
    }
    let (wanted, trust) = match replacement(client, before, document) {
        Ok(replacement) => replacement,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if let Err(refusal) = must_be_served(engine, &wanted) {
        return Ok(Err(refusal));
    }
    if let Err(refusal) = check_sector(engine, owner_of(client), &wanted).await {
        return Ok(Err(refusal));
    }
    let token = Secret::<RegistrationToken>::mint(engine.entropy());
    let now = engine.now();
    let (proof, secret) = change_of_proof(engine, &client.id, now, before, &wanted);
    let (scope, written) = (wanted.ceiling(), JsonDocument::of(&wanted)?);
    let description = ClientChange {
        name: &wanted.client_name,
        purpose: &client.purpose,
        owner: client.owner,
        scope: &scope,
        metadata: &written,
        trust,
    };
    let act = WriteBatch::new()
        .with_all(clients::change(&client.id, client.version, &description, now))
        .with_all(proof)
        .with(registrations::prepare(&client.id, &token.digest()));
    let mut event = engine.event(EventKind::ClientChanged, cause, now).about("client", &client.id);
    if client.verified_at.is_some() && trust.ends_verification() {
        event = event.with("verified", false);
    }
    if wanted.consent != before.consent {
        event = event.with("consent", "ask");
    }
    if engine.store().commit(recorded(act, client, event)?).await?.is_err() {
        let public = "the registration has changed meanwhile: read it again and decide anew";
        return Ok(Err(Refusal::new(RefusalCode::Conflict, public, "the client's version moved")));
    }
    let client = client.clone().as_changed(&description);
    Ok(Ok(RegisteredClient { client, metadata: wanted, secret, token }))
}

/// The metadata that the client may put in place of its own, and the trust that ends with it.
fn replacement(
    client: &ClientRow,
    before: &ClientMetadata,
    document: &Map<String, Value>,
) -> Result<(ClientMetadata, TrustLapse), Refusal> {
    let registrar = match client.origin {
        ClientOrigin::Itself => ClientRegistrar::Itself,
        ClientOrigin::Organization(_) | ClientOrigin::Operator => ClientRegistrar::Organization,
    };
    let wanted = registration::read(document, registrar)?;
    let mut faults = ValidationErrors::default();
    if !before.security_profile.is_usual() && wanted.security_profile.is_usual() {
        faults.add("/security_profile", "a client is held to less only when whoever it belongs to says so");
    }
    let begins = |grant| wanted.grants().contains(&grant) && !before.grants().contains(&grant);
    if begins(GrantType::ClientCredentials) {
        faults.add("/grant_types", "a client begins to act for itself when its organization says so");
    }
    // Whoever registered themselves has a ceiling that confers nothing; an organization's word is worth more.
    if registrar == ClientRegistrar::Organization && !wanted.ceiling().within(&client.scope) {
        faults.add("/scope", "a client asks for more when its organization says so");
    }
    if !faults.is_empty() {
        return Err(unfit(faults));
    }
    let trust = TrustLapse::judge(ClientEditor::RegistrationToken, before, &wanted);
    // Whether people are asked, and where, is not the client's to say.
    let (consent, interaction_url) = (trust.consent_mode(before.consent), before.interaction_url.clone());
    Ok((ClientMetadata { consent, interaction_url, ..wanted }, trust))
}

/// Ends the client with everything it holds.
pub async fn remove(
    engine: &Engine,
    registrant: &RegistrationHolder,
) -> Result<Result<(), Refusal>, Failure> {
    let RegistrationHolder { cause, token, .. } = registrant;
    let id = &registrant.client.id;
    for _ in 0..ATTEMPTS_MAX {
        let standing = registrations::standing(engine.store(), id, token).await?;
        let (Some(_), Some(client)) = (standing, clients::find(engine.store(), id).await?) else {
            return Ok(Err(unknown("the client has ended meanwhile")));
        };
        let now = engine.now();
        let mut act = WriteBatch::new();
        if let ClientOrigin::Organization(organization) = client.origin
            && let Some(member) = memberships::of_client(engine.store(), organization, id).await?
        {
            act = act.with(memberships::change_condition(&member, LifecycleCondition::Ended, now));
        }
        act = act.with(clients::change_condition(id, client.version, LifecycleCondition::Ended, now));
        let event = engine.event(EventKind::ClientRemoved, cause, now).about("client", id);
        let act = recorded(act, &client, event)?;
        if engine.store().commit(act).await?.is_ok() {
            return Ok(Ok(()));
        }
    }
    Err(Failure::Contended)
}

/// Whoever replaces a registration says which one, and chooses nothing that we make (RFC 7592 §2.2).
async fn must_be_its_own(
    engine: &Engine,
    client: &ClientRow,
    document: &Map<String, Value>,
) -> Result<Result<(), Refusal>, Failure> {
    let mut faults = ValidationErrors::default();
    if document.get("client_id").and_then(Value::as_str) != Some(client.id.as_str()) {
        faults.add("/client_id", "this must be the client's own id");
    }
    for made in MADE_BY_US {
        if document.get(made).is_some_and(|value| !value.is_null()) {
            faults.add(format!("/{made}"), "this is made by us");
        }
    }
    if let Some(secret) = document.get("client_secret").filter(|secret| !secret.is_null()) {
        let presented = secret.as_str().and_then(|text| Secret::<ClientSecret>::parse(text).ok());
        let is_own = match presented {
            Some(secret) => {
                client_secrets::is_secret_of(engine.store(), &client.id, &secret.digest(), engine.now())
                    .await?
            }
            None => false,
        };
        if !is_own {
            faults.add("/client_secret", "this must be the client's secret, or be left out");
        }
    }
    Ok(if faults.is_empty() { Ok(()) } else { Err(unfit(faults)) })
}

/// What a client is told and never tells us.
const MADE_BY_US: [&str; 4] = [
    "registration_access_token",
    "registration_client_uri",
    "client_secret_expires_at",
    "client_id_issued_at",
];

/// The act with its event, which an organization reads about its own clients.
fn recorded(act: WriteBatch, client: &ClientRow, event: SecurityEvent) -> Result<WriteBatch, Failure> {
    match client.origin {
        ClientOrigin::Organization(organization) => {
            in_trail(act, &event.within(organization), organization, "")
        }
        ClientOrigin::Itself | ClientOrigin::Operator => Ok(act.record(&event)),
    }
}

fn unknown(reason: &str) -> Refusal {
    Refusal::new(RefusalCode::InvalidToken, "the registration token is unknown or has ended", reason)
}
