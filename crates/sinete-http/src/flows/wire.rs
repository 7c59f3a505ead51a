//! How flows look from outside.

use super::actions;
use crate::account::access::AccessView;
use crate::reply::json::At;
use crate::state::State;
use serde::Serialize;
use serde_json::Value;
use sinete_core::assurance::Assurance;
use sinete_core::fault::Faults;
use sinete_core::flow::action::Action;
use sinete_core::flow::credential::enrolling::Factor;
use sinete_core::flow::stage::{Choice, Stage};
use sinete_core::flow::{Carrier, Flow};
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_engine::flows::{OfferedProvider, Offers, TotpOffer, Wanted};

/// A flow as whoever walks through it is told of it.
#[derive(Serialize)]
pub(super) struct Told {
    id: String,
    kind: &'static str,
    stage: &'static str,
    expires_at: At,
    actions: Vec<Offered>,
    /// What an authenticator application is set up with.
    #[serde(skip_serializing_if = "Option::is_none")]
    totp: Option<Totp>,
    /// The recovery codes that were made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recovery_codes: Option<Vec<String>>,
    /// What may be set up next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    may_enroll: Vec<&'static str>,
    /// The organizations to choose from.
    #[serde(skip_serializing_if = "Option::is_none")]
    organizations: Option<Vec<Organization>>,
    /// The code that an address brought along, to be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_code: Option<String>,
    /// Why whoever is signed in cannot allow what a device asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<Refused>,
    /// What is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    consent: Option<Value>,
    /// The providers of the organization that this is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    providers: Vec<Provider>,
    /// Where a browser goes to sign in at a provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    go_to: Option<String>,
    /// What acts for the person and ends with a new password, unless it is kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    access: Vec<AccessView>,
    /// When another message may be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_message_at: Option<At>,
    /// Where the authorization request goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    continue_to: Option<String>,
    /// What the flow answers to from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) flow_token: Option<String>,
    /// What a page shows to speak in the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) csrf_token: Option<String>,
    /// The token of the session that began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_token: Option<String>,
}

/// Something that can be said.
#[derive(Serialize)]
struct Offered {
    name: &'static str,
    href: String,
    schema: Value,
    /// Whether it proves less than it seems (NIST SP 800-63B-4 §3.2.9), where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    restricted: Option<bool>,
    /// What a browser is handed to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Value>,
}

/// A provider at which somebody may sign in.
#[derive(Serialize)]
struct Provider {
    connection: String,
    name: String,
}

/// What an authenticator application is set up with.
#[derive(Serialize)]
struct Totp {
    secret: String,
    uri: String,
    qr_svg: String,
}

/// Why something cannot be allowed.
#[derive(Serialize)]
struct Refused {
    error: String,
    error_description: String,
}

/// An organization to choose.
#[derive(Serialize)]
struct Organization {
    id: String,
    slug: String,
    name: String,
}

impl Told {
    pub(super) fn of(state: &State, flow: &Flow, expires_at: Timestamp, offers: Offers) -> Self {
        let (id, issuer) = (flow.id(), state.base_address().issuer());
        let options = |action: Action| match action {
            Action::Passkey => offers.passkey_request.clone(),
            Action::PasskeyRegistration | Action::Details => offers.passkey_creation.clone(),
            _ => None,
        };
        let offered = |action: Action| Offered {
            name: action.name(),
            href: format!("{issuer}/flows/{id}/{}", action.name()),
            schema: actions::shown(action, flow, &state.engine().settings().passwords),
            restricted: (action == Action::SmsCode).then_some(true),
            options: options(action),
        };
        let organizations = match flow.stage() {
            Stage::ChooseOrganization { choices } => Some(choices.iter().map(Organization::of).collect()),
            _ => None,
        };
        let consent = match flow.stage() {
            Stage::Consent { question, .. } => Some(question.clone()),
            _ => None,
        };
        let is_compared = matches!(flow.stage(), Stage::UserCode);
        let user_code = flow.purpose().offered().filter(|_| is_compared).map(str::to_owned);
        let refused = match flow.stage() {
            Stage::Refused { error, description } => {
                Some(Refused { error: error.clone(), error_description: description.clone() })
            }
            _ => None,
        };
        let resumes = matches!(flow.stage(), Stage::Resume);
        Self {
            id: id.to_string(),
            kind: flow.kind().name(),
            stage: flow.stage().name(),
            expires_at: At(expires_at),
            actions: flow.actions().into_iter().map(offered).collect(),
            may_enroll: offers.may_enroll.iter().map(|factor| factor.name()).collect(),
            totp: offers.totp.map(|TotpOffer { secret, uri, qr_svg }| Totp { secret, uri, qr_svg }),
            recovery_codes: None,
            providers: offers.providers.into_iter().map(Provider::of).collect(),
            go_to: offers.go_to,
            access: offers.access.into_iter().map(AccessView::from).collect(),
            next_message_at: offers.next_message_at.map(At),
            organizations,
            user_code,
            refused,
            consent,
            continue_to: resumes.then(|| format!("{issuer}/connect/authorize?flow={id}")),
            flow_token: None,
            csrf_token: None,
            session_token: None,
        }
    }
}

impl Provider {
    fn of(offered: OfferedProvider) -> Self {
        Self { connection: offered.connection.to_string(), name: offered.name }
    }
}

impl Organization {
    fn of(choice: &Choice) -> Self {
        Self { id: choice.organization.to_string(), slug: choice.slug.clone(), name: choice.name.clone() }
    }
}

/// What a flow of some kind cannot begin without.
const NEEDED: [(&str, &str); 5] = [
    ("accept_invitation", "token"),
    ("first_operator", "token"),
    ("change_email", "email"),
    ("approve_request", "request"),
    ("link_identity", "connection"),
];

/// The flow that is asked for, and how its tokens are held.
pub(super) fn wanted(sent: &Value) -> Result<(Wanted, Carrier), Refusal> {
    let text = |name: &str| sent.get(name).and_then(Value::as_str).map(str::to_owned);
    let carrier = match text("session").as_deref() {
        Some("token") => Carrier::Token,
        Some(_) | None => Carrier::Cookie,
    };
    let kind = text("kind").unwrap_or_default();
    let belongs: &[&str] = match kind.as_str() {
        "step_up" => &["assurance"],
        "verify_email" | "change_email" => &["email"],
        "verify_phone" => &["phone"],
        "accept_invitation" | "first_operator" => &["token"],
        "enroll" => &["credential"],
        "confirm_device" => &["user_code"],
        "approve_request" => &["request"],
        "link_identity" => &["connection", "return_to"],
        _ => &[],
    };
    let mut faults = Faults::default();
    for name in [
        "assurance",
        "email",
        "phone",
        "token",
        "credential",
        "user_code",
        "request",
        "connection",
        "return_to",
    ] {
        if sent.get(name).is_some() && !belongs.contains(&name) {
            faults.add(format!("/{name}"), "it does not belong to a flow of this kind");
        }
    }
    let token = text("token");
    for (needing, name) in NEEDED {
        if kind == needing && text(name).is_none() {
            faults.add(format!("/{name}"), "it is missing");
        }
    }
    let factor = text("credential").and_then(|name| Factor::named(&name));
    if kind == "enroll" && factor.is_none() {
        faults.add("/credential", "it is missing");
    }
    if !faults.is_empty() {
        return Err(Refusal::unfit(faults));
    }
    let token = token.unwrap_or_default();
    let wanted = match kind.as_str() {
        "sign_up" => Wanted::SignUp,
        "step_up" => Wanted::StepUp { needs: assurance(text("assurance").as_deref()) },
        "verify_email" => Wanted::VerifyEmail { email: text("email") },
        "change_email" => Wanted::ChangeEmail { email: text("email").unwrap_or_default() },
        "verify_phone" => Wanted::VerifyPhone { phone: text("phone") },
        "reset_password" => Wanted::ResetPassword,
        "enroll" => Wanted::Enroll { factor: factor.unwrap_or(Factor::Passkey) },
        "link_identity" => Wanted::LinkIdentity {
            connection: text("connection").unwrap_or_default(),
            return_to: text("return_to"),
        },
        "accept_invitation" => Wanted::AcceptInvitation { token },
        "first_operator" => Wanted::FirstOperator { token },
        "confirm_device" => Wanted::ConfirmDevice { user_code: text("user_code") },
        "approve_request" => Wanted::ApproveRequest { request: text("request").unwrap_or_default() },
        // The schema lets no other kind through.
        _ => Wanted::SignIn,
    };
    Ok((wanted, carrier))
}

fn assurance(text: Option<&str>) -> Option<Assurance> {
    match text {
        Some("aal2") => Some(Assurance::Two),
        Some("aal1") => Some(Assurance::One),
        Some(_) | None => None,
    }
}
