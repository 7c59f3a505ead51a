//! Data for the current stage of a flow: passkey options and TOTP enrollment.

use super::{challenge_messages, enrollment, identity_provider};
use crate::sign_in::credentials::passkey;
use crate::sign_in::credentials::passkey::ChallengePurpose;
use crate::sign_in::long_lived_access;
use crate::sign_in::long_lived_access::LongLivedAccess;
use crate::{Engine, Failure};
use fast_qr::convert::svg::SvgBuilder;
use fast_qr::qr::QRBuilder;
use serde_json::Value;
use sinete_core::assurance::proof_method::AuthenticationProofMethod;
use sinete_core::id::{AccountId, ConnectionId};
use sinete_core::limits::PASSKEY_CHALLENGE_LIFETIME;
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::action::FlowAction;
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::sign_in::flows::stage::{FlowOutcome, FlowStage};
use sinete_core::time::Timestamp;
use sinete_crypto::sign_in::credentials::webauthn::{
    PasskeyCreationRequest, PasskeyDescriptor, PasskeyUser, StoredPasskey, UserVerification,
    build_creation_options, build_request_options,
};
use sinete_store::accounts;
use sinete_store::accounts::contacts;
use sinete_store::identity_providers::connections;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::StoredCredentialKind;

/// The data offered at a stage.
#[derive(Debug, Default)]
pub struct FlowOffers {
    /// Options for `navigator.credentials.get`, for a button and for autofill: both use the same challenge.
    pub passkey_request: Option<Value>,
    /// Options for `navigator.credentials.create`.
    pub passkey_creation: Option<Value>,
    /// The TOTP enrollment data.
    pub totp: Option<TotpOffer>,
    /// Factors that can be enrolled next, in another flow.
    pub may_enroll: Vec<EnrollableFactor>,
    /// The identity providers of the organization, if it is known.
    pub providers: Vec<OfferedProvider>,
    /// The URL of the identity provider to continue at.
    pub provider_url: Option<String>,
    /// The access that a new password revokes unless it is kept.
    pub access: Vec<LongLivedAccess>,
    /// When another message may be sent, if one was requested.
    pub next_message_at: Option<Timestamp>,
}

/// An identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedProvider {
    /// The connection id.
    pub connection: ConnectionId,
    /// The display name.
    pub name: String,
}

/// The TOTP enrollment data, shown only during the enrollment.
pub struct TotpOffer {
    /// The secret as text.
    pub secret: String,
    /// The `otpauth` URI.
    pub uri: String,
    /// The QR code, as SVG.
    pub qr_svg: String,
}

impl std::fmt::Debug for TotpOffer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("TotpOffer")
    }
}

/// Loads the data for the current stage.
pub async fn load_offers(engine: &Engine, flow: &AuthenticationFlow) -> Result<FlowOffers, Failure> {
    let actions = flow.available_actions();
    let mut offers = FlowOffers::default();
    if actions.contains(&FlowAction::Passkey) {
        // The passkeys of the account are not listed: the authenticator finds its own.
        offers.passkey_request = Some(build_request_options(
            engine.relying_party(),
            &[],
            UserVerification::Required,
            &passkey_challenge(engine, flow),
            challenge_timeout(),
        ));
    }
    if let (FlowStage::NewPassword, Some(account)) = (flow.stage(), flow.account()) {
        offers.access = long_lived_access::list(engine, account).await?;
    }
    if actions.contains(&FlowAction::PasskeyRegistration) || actions.contains(&FlowAction::Details) {
        offers.passkey_creation = Some(passkey_creation_options(engine, flow).await?);
    }
    if let Some(seed) = enrollment::open_totp_seed(engine, flow)? {
        let names = load_user_names(engine, flow.account()).await?;
        let uri = seed.to_uri(&engine.relying_party().id, &names.name);
        let qr = QRBuilder::new(uri.as_str()).build().map_err(|_| Failure::Interrupted)?;
        let qr_svg = SvgBuilder::default().to_str(&qr);
        offers.totp = Some(TotpOffer { secret: seed.to_text(), uri, qr_svg });
    }
    if flow.stage() == &FlowStage::Finished(FlowOutcome::SignedIn) && flow.kind() != FlowKind::StepUp {
        offers.may_enroll.extend(can_use_passkey(engine, flow).await?.then_some(EnrollableFactor::Passkey));
    }
    if let FlowStage::ChooseFactor { factors } = flow.stage() {
        offers.may_enroll.clone_from(factors);
    }
    if flow.stage() == &FlowStage::SignIn && actions.contains(&FlowAction::SingleSignOn) {
        offers.providers = list_offered_providers(engine, flow).await?;
    }
    offers.provider_url = identity_provider::provider_redirect_url(engine, flow).await?;
    offers.next_message_at = challenge_messages::next_message_at(engine, flow).await?;
    Ok(offers)
}

/// The identity providers of the organization in the request. They are public.
async fn list_offered_providers(
    engine: &Engine,
    flow: &AuthenticationFlow,
) -> Result<Vec<OfferedProvider>, Failure> {
    let organization_name =
        flow.purpose().pending_authorization().and_then(|pending| pending.find_parameter("organization"));
    let Some(name) = organization_name else { return Ok(Vec::new()) };
    let Some(organization) =
        crate::access_control::organization_access::find_organization(engine, name, engine.now()).await?
    else {
        return Ok(Vec::new());
    };
    let usable = connections::list_usable_connections(engine.store(), organization.id, engine.now()).await?;
    let to_offer =
        |it: connections::ConnectionRow| OfferedProvider { connection: it.id, name: it.settings.name };
    Ok(usable.into_iter().map(to_offer).collect())
}

/// The id of an account created in this flow, which equals the flow's id. A passkey is registered for it
/// before the account exists.
pub(crate) fn new_account_id(flow: &AuthenticationFlow) -> AccountId {
    AccountId::from_bytes(*flow.id().as_bytes())
}

async fn can_use_passkey(engine: &Engine, flow: &AuthenticationFlow) -> Result<bool, Failure> {
    let Some(account) = flow.account() else { return Ok(false) };
    let flow_account = super::load_flow_account(engine, account).await?;
    Ok(!flow_account.ways.contains(&AuthenticationProofMethod::Passkey))
}

async fn passkey_creation_options(engine: &Engine, flow: &AuthenticationFlow) -> Result<Value, Failure> {
    let account = flow.account().unwrap_or_else(|| new_account_id(flow));
    let names = load_user_names(engine, flow.account()).await?;
    let credentials = credentials::list_account_credentials(engine.store(), account).await?;
    let passkeys: Vec<(Vec<u8>, Vec<String>)> = credentials
        .iter()
        .filter(|it| it.kind == StoredCredentialKind::Passkey)
        .filter_map(|it| Some((it.handle.clone()?, StoredPasskey::from_bytes(&it.material).ok()?.transports)))
        .collect();
    let existing: Vec<PasskeyDescriptor<'_>> =
        passkeys.iter().map(|(id, transports)| PasskeyDescriptor { id, transports }).collect();
    let party = engine.relying_party();
    let new = PasskeyCreationRequest {
        user: PasskeyUser {
            handle: account.as_bytes(),
            name: &names.name,
            display_name: &names.display_name,
        },
        service: &party.id,
        existing: &existing,
    };
    Ok(build_creation_options(party, &new, &passkey_challenge(engine, flow), challenge_timeout()))
}

fn passkey_challenge(engine: &Engine, flow: &AuthenticationFlow) -> Vec<u8> {
    passkey::issue_challenge(engine, ChallengePurpose { flow: flow.id(), step: flow.step_count() }).to_vec()
}

fn challenge_timeout() -> u64 {
    u64::try_from(PASSKEY_CHALLENGE_LIFETIME.micros() / 1_000).unwrap_or_default()
}

/// The names that an authenticator displays.
struct PasskeyUserNames {
    name: String,
    display_name: String,
}

/// The user's address and name, if known.
async fn load_user_names(engine: &Engine, account: Option<AccountId>) -> Result<PasskeyUserNames, Failure> {
    let Some(account) = account else {
        let name = engine.relying_party().id.clone();
        return Ok(PasskeyUserNames { display_name: name.clone(), name });
    };
    let contacts = contacts::list_account_contacts(engine.store(), account).await?;
    let address =
        contacts.iter().filter(|it| it.kind == contacts::ContactKind::Email).max_by_key(|it| it.is_primary);
    let name = address.map_or_else(|| account.to_string(), |address| address.address.clone());
    let account_row = accounts::find_account(engine.store(), account).await?;
    let profile: Value = match account_row {
        Some(account) => account.profile.parse()?,
        None => Value::Null,
    };
    let display_name = profile["name"].as_str().unwrap_or(&name).to_owned();
    Ok(PasskeyUserNames { name, display_name })
}
