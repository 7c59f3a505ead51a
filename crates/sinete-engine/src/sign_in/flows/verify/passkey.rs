//! Verification of passkey assertions and registrations. All rejections look alike to the user.

use super::load_flow_account;
use crate::sign_in::credentials::passkey;
use crate::sign_in::credentials::passkey::ChallengePurpose;
use crate::sign_in::flows::failed_attempts::with_failed_attempt;
use crate::sign_in::flows::{FlowActor, VerifiedInput, invalid_proof};
use crate::{Engine, Error, Failure};
use serde_json::Value;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::assurance::AuthenticationProof;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::refusal::Refusal;
use sinete_core::sign_in::credentials::enrollment::RegisteredPasskey;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_crypto::sign_in::credentials::webauthn;
use sinete_crypto::sign_in::credentials::webauthn::{
    AssertionResponse, PasskeyOwner, RegistrationResponse, StoredPasskey, UserHandleRequirement,
    UserVerification, VerifiedPasskeyAssertion, WebauthnExpectations, WebauthnRejection,
};
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::CredentialRow;
use sinete_store::{WriteBatch, accounts};

/// Verifies an assertion by a passkey of the flow's account; if the account is not known, identifies it.
pub(super) async fn verify_passkey(
    engine: &Engine,
    flow: &AuthenticationFlow,
    answer: &Value,
    actor: &FlowActor,
) -> Result<VerifiedInput, Error> {
    let response = AssertionResponse::parse(answer).map_err(|refused| invalid_proof(refused.name()))?;
    let handle = response.credential_id();
    let Some(credential) = credentials::find_passkey_by_handle(engine.store(), handle).await? else {
        return Err(invalid_proof("no such passkey").into());
    };
    let (asserted, passkey) = match verify_assertion(engine, flow, &response, &credential) {
        Ok(checked) => checked,
        Err(refused) => {
            record_failed_assertion(engine, &credential, refused, actor).await?;
            return Err(invalid_proof(refused.name()).into());
        }
    };
    let account = accounts::find_account(engine.store(), credential.account).await?;
    let is_enabled = account.is_some_and(|account| account.condition == LifecycleCondition::Enabled);
    if !is_enabled || credential.disabled_at.is_some() {
        return Err(invalid_proof("the account or the passkey is disabled").into());
    }
    let now = engine.now();
    let mut batch = WriteBatch::new().with_statement(credentials::accept_passkey_signature(
        &credential,
        i64::from(asserted.counter),
        now,
    ));
    if asserted.backed_up != passkey.backed_up {
        let mut changed = passkey;
        changed.backed_up = asserted.backed_up;
        batch =
            batch.with_statement(credentials::replace_credential_material(&credential, &changed.to_bytes()));
    }
    let proof = AuthenticationProof::Passkey {
        user_verified: asserted.user_verified,
        device_bound: asserted.device_bound,
    };
    let account = load_flow_account(engine, credential.account).await?;
    Ok(VerifiedInput { input: VerifiedFlowInput::Authenticated { person: account, proof }, batch })
}

fn verify_assertion(
    engine: &Engine,
    flow: &AuthenticationFlow,
    response: &AssertionResponse,
    credential: &CredentialRow,
) -> Result<(VerifiedPasskeyAssertion, StoredPasskey), WebauthnRejection> {
    let naming = match flow.account() {
        Some(account) if account != credential.account => return Err(WebauthnRejection::UserHandle),
        Some(_) => UserHandleRequirement::Optional,
        None => UserHandleRequirement::Required,
    };
    let challenge = verify_challenge(engine, flow, response.read_claimed_challenge())?;
    let expected = WebauthnExpectations {
        party: engine.relying_party(),
        challenge: &challenge,
        user_verification: UserVerification::Required,
    };
    let passkey =
        StoredPasskey::from_bytes(&credential.material).map_err(|_| WebauthnRejection::PublicKey)?;
    let counter = u32::try_from(credential.counter).map_err(|_| WebauthnRejection::Counter)?;
    let owner = PasskeyOwner { handle: credential.account.as_bytes(), handle_requirement: naming };
    webauthn::verify_assertion(response, &passkey, counter, owner, &expected)
        .map(|asserted| (asserted, passkey))
}

/// Verifies a registration for the account with this id.
pub(super) fn verify_registration(
    engine: &Engine,
    flow: &AuthenticationFlow,
    answer: &Value,
    name: Option<&str>,
) -> Result<RegisteredPasskey, Refusal> {
    let name = match name {
        Some(name) => crate::sign_in::credentials::check_credential_name(name)?,
        None => "passkey",
    };
    let registered = (|| {
        let response = RegistrationResponse::parse(answer)?;
        let challenge = verify_challenge(engine, flow, response.read_claimed_challenge())?;
        let expected = WebauthnExpectations {
            party: engine.relying_party(),
            challenge: &challenge,
            user_verification: UserVerification::Required,
        };
        webauthn::verify_registration(&response, &expected)
    })();
    let registered = registered.map_err(|refused: WebauthnRejection| invalid_proof(refused.name()))?;
    Ok(RegisteredPasskey {
        handle: registered.id,
        material: registered.passkey.to_bytes(),
        counter: registered.counter,
        name: name.to_owned(),
        user_verified: registered.user_verified,
        device_bound: !registered.passkey.backup_eligible,
    })
}

/// The challenge of the response, if it was issued at this step of this flow.
fn verify_challenge(
    engine: &Engine,
    flow: &AuthenticationFlow,
    claimed: Option<Vec<u8>>,
) -> Result<Vec<u8>, WebauthnRejection> {
    let occasion = ChallengePurpose { flow: flow.id(), step: flow.step_count() };
    let claimed = claimed.ok_or(WebauthnRejection::ClientData)?;
    if passkey::is_challenge_valid(engine, occasion, &claimed) {
        Ok(claimed)
    } else {
        Err(WebauthnRejection::Challenge)
    }
}

/// Records a rejected assertion and the reason in the security log.
async fn record_failed_assertion(
    engine: &Engine,
    credential: &CredentialRow,
    refused: WebauthnRejection,
    actor: &FlowActor,
) -> Result<(), Failure> {
    let event = SecurityEvent::new(
        EventKind::CredentialFailed,
        SecurityEventActor::Anonymous,
        engine.now(),
        engine.entropy(),
    )
    .with_origin(&actor.origin)
    .with_subject("account", credential.account)
    .with_detail("factor", "passkey")
    .with_detail("check", refused.name());
    // This batch cannot conflict.
    let batch =
        with_failed_attempt(engine, WriteBatch::new(), event, Some(credential.account), actor).await?;
    let _ = engine.store().commit(batch).await?;
    Ok(())
}
