//! The schemas and parsing of flow actions. Each sign-in method adds its own here.

use super::schemas::{
    CHOOSE_FACTOR, CHOOSE_ORGANIZATION, CODE, CONSENT, DETAILS, DETAILS_OF_INVITED, EMAIL, FIRST_DIGITS,
    NEW_PASSKEY, NEW_PASSWORD, NOTHING, PASSKEY, PASSWORD_OF_ADDRESS, PASSWORD_OF_PERSON, PHONE,
    PROVIDER_ANSWER, SINGLE_SIGN_ON, USER_CODE,
};
use serde_json::Value;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::action::{CredentialAccountSource, FlowAction};
use sinete_engine::sign_in::credentials::password;
use sinete_engine::sign_in::flows::{FlowInput, ProviderCallback, ProviderSignInRequest};
use sinete_server::schema::{NamedSchema, SchemaRegistry};

/// The schema of an action in this flow.
fn action_schema(action: FlowAction, flow: &AuthenticationFlow) -> &'static NamedSchema {
    match action {
        FlowAction::Password => match flow.password_owner() {
            CredentialAccountSource::OfAddress => &PASSWORD_OF_ADDRESS,
            CredentialAccountSource::OfPerson => &PASSWORD_OF_PERSON,
        },
        FlowAction::Email if flow.has_email_address() => &NOTHING,
        FlowAction::Email => &EMAIL,
        FlowAction::SmsCode => match flow.password_owner() {
            CredentialAccountSource::OfAddress => &PHONE,
            CredentialAccountSource::OfPerson => &NOTHING,
        },
        FlowAction::Code | FlowAction::Totp | FlowAction::RecoveryCode => &CODE,
        FlowAction::Passkey => &PASSKEY,
        FlowAction::ChooseFactor => &CHOOSE_FACTOR,
        FlowAction::PasskeyRegistration => &NEW_PASSKEY,
        FlowAction::TotpConfirmation => &FIRST_DIGITS,
        FlowAction::Resend | FlowAction::Restart | FlowAction::SignUp | FlowAction::RecoveryCodes => &NOTHING,
        FlowAction::Details if flow.has_email_address() => &DETAILS_OF_INVITED,
        FlowAction::Details => &DETAILS,
        FlowAction::NewPassword => &NEW_PASSWORD,
        FlowAction::UserCode => &USER_CODE,
        FlowAction::ChooseOrganization => &CHOOSE_ORGANIZATION,
        FlowAction::Consent => &CONSENT,
        FlowAction::SingleSignOn => &SINGLE_SIGN_ON,
        FlowAction::ProviderAnswer => &PROVIDER_ANSWER,
    }
}

/// The schema as shown, with configured limits.
pub(crate) fn action_schema_view(
    schemas: &'static SchemaRegistry,
    action: FlowAction,
    flow: &AuthenticationFlow,
    settings: &password::PasswordSettings,
) -> Value {
    let mut shown = schemas.find(action_schema(action, flow).name).cloned().unwrap_or_default();
    if matches!(action, FlowAction::Details | FlowAction::NewPassword)
        && let Some(password) = shown.pointer_mut("/properties/password")
    {
        password["minLength"] = settings.characters_min.into();
    }
    shown
}

/// Parses an action with its fields.
pub(crate) fn parse_action(
    schemas: &'static SchemaRegistry,
    flow: &AuthenticationFlow,
    action: &str,
    sent: &Value,
) -> Result<FlowInput, Refusal> {
    let Some(action) = FlowAction::from_name(action) else { return Err(unknown_action()) };
    let faults = schemas.check(action_schema(action, flow), sent);
    if !faults.is_empty() {
        return Err(Refusal::from_validation_errors(faults));
    }
    Ok(read_flow_input(action, sent))
}

/// Parses an action without its fields, for a flow that has ended.
pub(crate) fn parse_action_without_fields(action: &str) -> Result<FlowInput, Refusal> {
    FlowAction::from_name(action)
        .map(|action| read_flow_input(action, &Value::Null))
        .ok_or_else(unknown_action)
}

fn read_flow_input(action: FlowAction, sent: &Value) -> FlowInput {
    let optional = |name: &str| sent.get(name).and_then(Value::as_str).map(str::to_owned);
    let text = |name: &str| optional(name).unwrap_or_default();
    match action {
        FlowAction::Password => FlowInput::Password { email: optional("email"), password: text("password") },
        FlowAction::Email => FlowInput::Email { email: optional("email") },
        FlowAction::SmsCode => FlowInput::SmsCode { phone: optional("phone") },
        FlowAction::Code => FlowInput::Code { code: text("code") },
        FlowAction::Resend => FlowInput::Resend,
        FlowAction::SignUp => FlowInput::SignUp,
        FlowAction::Details => FlowInput::Details {
            email: optional("email"),
            password: optional("password"),
            passkey: sent.get("passkey").cloned(),
            name: optional("name"),
        },
        FlowAction::Passkey => FlowInput::Passkey { credential: sent["credential"].clone() },
        FlowAction::Totp => FlowInput::Totp { code: text("code") },
        FlowAction::RecoveryCode => FlowInput::RecoveryCode { code: text("code") },
        FlowAction::PasskeyRegistration => {
            FlowInput::PasskeyRegistration { credential: sent["credential"].clone(), name: optional("name") }
        }
        FlowAction::TotpConfirmation => {
            FlowInput::TotpConfirmation { code: text("code"), name: optional("name") }
        }
        // The schema allows two.
        FlowAction::ChooseFactor => FlowInput::ChooseFactor {
            factor: EnrollableFactor::from_name(&text("credential")).unwrap_or(EnrollableFactor::Passkey),
        },
        FlowAction::RecoveryCodes => FlowInput::RecoveryCodes,
        FlowAction::NewPassword => {
            let keep = sent.get("keep").and_then(Value::as_array).into_iter().flatten();
            let keep = keep.filter_map(Value::as_str).map(str::to_owned).collect();
            FlowInput::NewPassword { password: text("password"), keep }
        }
        FlowAction::UserCode => FlowInput::UserCode { user_code: text("user_code") },
        FlowAction::ChooseOrganization => {
            FlowInput::ChooseOrganization { organization: text("organization") }
        }
        FlowAction::Consent => {
            FlowInput::Consent { allow: sent.get("allow").and_then(Value::as_bool).unwrap_or_default() }
        }
        FlowAction::SingleSignOn => FlowInput::SingleSignOn(ProviderSignInRequest {
            email: optional("email"),
            connection: optional("connection"),
            return_to: optional("return_to"),
        }),
        FlowAction::ProviderAnswer => FlowInput::ProviderAnswer(ProviderCallback {
            state: text("state"),
            code: optional("code"),
            iss: optional("iss"),
            error: optional("error"),
            callback_connection: None,
        }),
        FlowAction::Restart => FlowInput::Restart,
    }
}

fn unknown_action() -> Refusal {
    Refusal::because(SignInRefusal::FlowActionUnknown, "an action nobody knows")
}
