//! What each action takes, as the schema that is shown and enforced, and how it is read. A credential adds its
//! own here.

use super::schemas::{
    CHOOSE_ORGANIZATION, CODE, CONSENT, DETAILS, DETAILS_OF_INVITED, EMAIL, FIRST_DIGITS, NEW_PASSKEY,
    NEW_PASSWORD, NOTHING, PASSKEY, PASSWORD_OF_ADDRESS, PASSWORD_OF_PERSON, PHONE, PROVIDER_ANSWER,
    SINGLE_SIGN_ON, USER_CODE,
};
use crate::schema::{self, Schema};
use serde_json::Value;
use sinete_core::flow::Flow;
use sinete_core::flow::action::{Action, Whose};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::flows::{Departure, Returned, Said};
use sinete_engine::passwords;

/// What an action takes in this flow.
fn schema_of(action: Action, flow: &Flow) -> &'static Schema {
    match action {
        Action::Password => match flow.whose_password() {
            Whose::OfAddress => &PASSWORD_OF_ADDRESS,
            Whose::OfPerson => &PASSWORD_OF_PERSON,
        },
        Action::Email if flow.knows_address() => &NOTHING,
        Action::Email => &EMAIL,
        Action::SmsCode => match flow.whose_password() {
            Whose::OfAddress => &PHONE,
            Whose::OfPerson => &NOTHING,
        },
        Action::Code | Action::Totp | Action::RecoveryCode => &CODE,
        Action::Passkey => &PASSKEY,
        Action::PasskeyRegistration => &NEW_PASSKEY,
        Action::TotpConfirmation => &FIRST_DIGITS,
        Action::Resend | Action::Restart | Action::RecoveryCodes => &NOTHING,
        Action::Details if flow.knows_address() => &DETAILS_OF_INVITED,
        Action::Details => &DETAILS,
        Action::NewPassword => &NEW_PASSWORD,
        Action::UserCode => &USER_CODE,
        Action::ChooseOrganization => &CHOOSE_ORGANIZATION,
        Action::Consent => &CONSENT,
        Action::SingleSignOn => &SINGLE_SIGN_ON,
        Action::ProviderAnswer => &PROVIDER_ANSWER,
    }
}

/// The schema as it is shown, with the bounds that are a setting.
pub(super) fn shown(action: Action, flow: &Flow, settings: &passwords::Settings) -> Value {
    let mut shown = schema::named(schema_of(action, flow).name).cloned().unwrap_or_default();
    if matches!(action, Action::Details | Action::NewPassword)
        && let Some(password) = shown.pointer_mut("/properties/password")
    {
        password["minLength"] = settings.characters_min.into();
    }
    shown
}

/// What was said, if it has the fields that the action takes.
pub(crate) fn said(flow: &Flow, action: &str, sent: &Value) -> Result<Said, Refusal> {
    let Some(action) = Action::named(action) else { return Err(no_such_action()) };
    let faults = schema_of(action, flow).check(sent);
    if !faults.is_empty() {
        return Err(Refusal::unfit(faults));
    }
    Ok(read(action, sent))
}

/// The same without its fields, for a flow that takes nothing any more.
pub(super) fn any(action: &str) -> Result<Said, Refusal> {
    Action::named(action).map(|action| read(action, &Value::Null)).ok_or_else(no_such_action)
}

fn read(action: Action, sent: &Value) -> Said {
    let optional = |name: &str| sent.get(name).and_then(Value::as_str).map(str::to_owned);
    let text = |name: &str| optional(name).unwrap_or_default();
    match action {
        Action::Password => Said::Password { email: optional("email"), password: text("password") },
        Action::Email => Said::Email { email: optional("email") },
        Action::SmsCode => Said::SmsCode { phone: optional("phone") },
        Action::Code => Said::Code { code: text("code") },
        Action::Resend => Said::Resend,
        Action::Details => Said::Details {
            email: optional("email"),
            password: optional("password"),
            passkey: sent.get("passkey").cloned(),
            name: optional("name"),
        },
        Action::Passkey => Said::Passkey { credential: sent["credential"].clone() },
        Action::Totp => Said::Totp { code: text("code") },
        Action::RecoveryCode => Said::RecoveryCode { code: text("code") },
        Action::PasskeyRegistration => {
            Said::PasskeyRegistration { credential: sent["credential"].clone(), name: optional("name") }
        }
        Action::TotpConfirmation => Said::TotpConfirmation { code: text("code"), name: optional("name") },
        Action::RecoveryCodes => Said::RecoveryCodes,
        Action::NewPassword => {
            let keep = sent.get("keep").and_then(Value::as_array).into_iter().flatten();
            let keep = keep.filter_map(Value::as_str).map(str::to_owned).collect();
            Said::NewPassword { password: text("password"), keep }
        }
        Action::UserCode => Said::UserCode { user_code: text("user_code") },
        Action::ChooseOrganization => Said::ChooseOrganization { organization: text("organization") },
        Action::Consent => {
            Said::Consent { allow: sent.get("allow").and_then(Value::as_bool).unwrap_or_default() }
        }
        Action::SingleSignOn => Said::SingleSignOn(Departure {
            email: optional("email"),
            connection: optional("connection"),
            return_to: optional("return_to"),
        }),
        Action::ProviderAnswer => Said::ProviderAnswer(Returned {
            state: text("state"),
            code: optional("code"),
            iss: optional("iss"),
            error: optional("error"),
            came_to: None,
        }),
        Action::Restart => Said::Restart,
    }
}

fn no_such_action() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "a flow has no such action", "an action nobody knows")
}
