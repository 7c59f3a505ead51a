//! From a form to what the flow engine takes, and from its refusal to what a page says.

use crate::extract::json;
use crate::extract::pairs::Pairs;
use crate::not_me;
use crate::screens::flash::Told;
use serde_json::{Map, Value};
use sinete_core::flow::Flow;
use sinete_core::flow::action::{Action, Whose};
use sinete_core::flow::credential::password::Unfit;
use sinete_core::flow::stage::Stage;
use sinete_core::limits::PASSWORD_CHARACTERS_MAX;
use sinete_core::refusal::{Refusal, RefusalCode};

/// What a form asks for: an action of the flow by its name, with the fields that action takes.
pub(super) fn asked(flow: &Flow, form: &Pairs) -> (String, Value) {
    let named = form.get("action").unwrap_or_default();
    let action = match named {
        // Two buttons, one question.
        "allow" | "deny" => Action::Consent.name(),
        other => other,
    };
    let mut fields = Map::new();
    let mut take = |field: &str, from: &str| {
        if let Some(text) = form.get(from) {
            fields.insert(field.to_owned(), Value::from(text));
        }
    };
    match Action::named(action) {
        Some(Action::Password) => {
            if flow.whose_password() == Whose::OfAddress {
                take("email", "identifier");
            }
            take("password", "password");
        }
        Some(Action::Email) => {
            if !flow.knows_address() {
                take("email", "identifier");
            }
        }
        Some(Action::SmsCode) => {
            if flow.whose_password() == Whose::OfAddress {
                take("phone", "identifier");
            }
        }
        Some(Action::Details) => {
            if !flow.knows_address() {
                take("email", "identifier");
            }
            take("password", "password");
            take("name", "name");
            fields.extend(credential(form).map(|credential| ("passkey".to_owned(), credential)));
        }
        Some(Action::NewPassword) => {
            take("password", "password");
            let keep = not_me::kept(form);
            if !keep.is_empty() {
                fields.insert("keep".to_owned(), Value::from(keep));
            }
        }
        Some(Action::UserCode) => take("user_code", "user_code"),
        Some(Action::ChooseOrganization) => take("organization", "organization"),
        Some(Action::Consent) => {
            fields.insert("allow".to_owned(), Value::from(named == "allow"));
        }
        Some(Action::Code | Action::Totp | Action::TotpConfirmation) => {
            // However it was written down.
            let digits = form.get("code").map(|code| code.split([' ', '-']).collect::<String>());
            fields.extend(digits.map(|digits| ("code".to_owned(), Value::from(digits))));
        }
        Some(Action::RecoveryCode) => take("code", "code"),
        Some(Action::Passkey | Action::PasskeyRegistration) => {
            take("name", "name");
            fields.extend(credential(form).map(|credential| ("credential".to_owned(), credential)));
        }
        Some(Action::SingleSignOn) => match form.get("connection") {
            Some(_) => take("connection", "connection"),
            None if matches!(flow.stage(), Stage::SignIn) => take("email", "identifier"),
            None => {}
        },
        Some(Action::Resend | Action::Restart | Action::RecoveryCodes | Action::ProviderAnswer) | None => {}
    }
    (action.to_owned(), Value::Object(fields))
}

/// What a passkey answered, as the script wrote it down.
fn credential(form: &Pairs) -> Option<Value> {
    json::value(form.get("credential")?.as_bytes()).ok().filter(Value::is_object)
}

/// What a page says about a refusal that leaves the flow where it was; nothing if there is no page left to say it.
pub(in crate::screens) fn told(
    refusal: &Refusal,
    action: &str,
    form: &Pairs,
    characters_min: usize,
) -> Option<Told> {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    match refusal.code() {
        RefusalCode::Unprocessable => {
            let fault = |pointer: &str| refusal.faults().iter().find(|fault| fault.pointer == pointer);
            let is_empty = |field: &str| form.get(field).is_none();
            if (fault("/email").is_some() && is_empty("identifier"))
                || (fault("/password").is_some() && is_empty("password"))
                || (fault("/current_password").is_some() && is_empty("current_password"))
                || (fault("/phone").is_some() && is_empty("identifier"))
                || (fault("/code").is_some() && is_empty("code"))
                || (fault("/user_code").is_some() && is_empty("user_code"))
                || (!refusal.faults().is_empty() && refusal.faults().iter().all(|it| it.pointer.is_empty()))
            {
                return Some(Told::Missing);
            }
            if Action::named(action) == Some(Action::SingleSignOn) {
                return Some(Told::NoProvider);
            }
            if fault("/email").is_some() {
                return Some(Told::BadEmail);
            }
            if fault("/phone").is_some() {
                return Some(Told::BadPhone);
            }
            if let Some(fault) = fault("/password") {
                let is = |unfit: Unfit| fault.text == unfit.to_string();
                return Some(match () {
                    () if is(Unfit::Short) => Told::PasswordShort(number(characters_min)),
                    () if is(Unfit::Long) => Told::PasswordLong(number(PASSWORD_CHARACTERS_MAX)),
                    () => Told::PasswordRefused,
                });
            }
            Some(match Action::named(action) {
                Some(Action::Code | Action::Totp | Action::RecoveryCode | Action::TotpConfirmation) => {
                    Told::WrongCode
                }
                Some(Action::UserCode) => Told::WrongUserCode,
                Some(Action::Passkey | Action::PasskeyRegistration) => Told::Passkey,
                _ if form.get("credential").is_some() => Told::Passkey,
                _ => Told::WrongProof,
            })
        }
        RefusalCode::Conflict => Some(Told::OutOfTurn),
        RefusalCode::TooManyRequests => {
            let wait = refusal.wait().map_or(60, |wait| wait.seconds_to_wait());
            Some(Told::TooMany(u64::try_from(wait).unwrap_or(60)))
        }
        RefusalCode::TemporarilyUnavailable => Some(Told::Busy),
        // An action nobody knows: the page it came from is not of this version.
        RefusalCode::NotFound if Action::named(action).is_none() => Some(Told::NotPossible),
        _ => None,
    }
}
