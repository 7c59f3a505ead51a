//! Flows, as requested and returned.

use super::schemas::{
    CHOOSE_FACTOR, CHOOSE_ORGANIZATION, CODE, CONSENT, DETAILS, EMAIL, EMAIL_AND_PASSWORD, EMPTY_INPUT,
    INVITED_ACCOUNT_DETAILS, NEW_PASSKEY, NEW_PASSWORD, PASSKEY, PASSWORD_ONLY, PHONE, PROVIDER_RESPONSE,
    SINGLE_SIGN_ON, TOTP_CONFIRMATION, USER_CODE,
};
use crate::sign_in::long_lived_access::LongLivedAccessView;
use crate::state::HttpState;
use serde::Serialize;
use serde_json::Value;
use sinete_core::assurance::AssuranceLevel;
use sinete_core::refusal::Refusal;
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::action::{CredentialAccountSource, FlowAction};
use sinete_core::sign_in::flows::stage::{FlowStage, OrganizationChoice};
use sinete_core::time::Timestamp;
use sinete_core::validation::ValidationErrors;
use sinete_engine::sign_in::credentials::password;
use sinete_engine::sign_in::flows::{FlowOffers, FlowRequest, OfferedProvider, TotpOffer};
use sinete_server::reply::json::JsonTimestamp;
use sinete_server::schema::{NamedSchema, SchemaRegistry};

/// A flow, as returned.
#[derive(Serialize)]
pub(crate) struct FlowView {
    id: String,
    kind: &'static str,
    stage: &'static str,
    expires_at: JsonTimestamp,
    actions: Vec<FlowActionView>,
    /// The `login_hint` of the authorization request, while the user is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    login_hint: Option<String>,
    /// The TOTP enrollment data.
    #[serde(skip_serializing_if = "Option::is_none")]
    totp: Option<TotpSetupView>,
    /// The generated recovery codes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recovery_codes: Option<Vec<String>>,
    /// The factors that can be enrolled next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    may_enroll: Vec<&'static str>,
    /// The organizations to choose from.
    #[serde(skip_serializing_if = "Option::is_none")]
    organizations: Option<Vec<OrganizationChoiceView>>,
    /// The user code from the URL, to be confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_code: Option<String>,
    /// Why the user may not approve the device authorization.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<FlowRefusalView>,
    /// The consent prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    consent: Option<Value>,
    /// The identity providers of the organization.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    providers: Vec<FlowProviderView>,
    /// The URL of the identity provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    go_to: Option<String>,
    /// The access that a new password revokes unless it is kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    access: Vec<LongLivedAccessView>,
    /// When another message may be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_message_at: Option<JsonTimestamp>,
    /// Where the authorization request continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    continue_to: Option<String>,
    /// The new flow token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) flow_token: Option<String>,
    /// The CSRF token of the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) csrf_token: Option<String>,
    /// The session token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session_token: Option<String>,
}

/// An available action.
#[derive(Serialize)]
struct FlowActionView {
    name: &'static str,
    href: String,
    schema: Value,
    /// Whether it is a restricted authenticator (NIST SP 800-63B-4 §3.2.9).
    #[serde(skip_serializing_if = "Option::is_none")]
    restricted: Option<bool>,
    /// The WebAuthn options.
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Value>,
}

/// An identity provider.
#[derive(Serialize)]
struct FlowProviderView {
    connection: String,
    name: String,
}

/// The TOTP enrollment data.
#[derive(Serialize)]
struct TotpSetupView {
    secret: String,
    uri: String,
    qr_svg: String,
}

/// A refusal.
#[derive(Serialize)]
struct FlowRefusalView {
    error: String,
    error_description: String,
}

/// An organization to choose.
#[derive(Serialize)]
struct OrganizationChoiceView {
    id: String,
    slug: String,
    name: String,
}

impl FlowView {
    pub(crate) fn new(
        state: &HttpState,
        flow: &AuthenticationFlow,
        expires_at: Timestamp,
        offers: FlowOffers,
    ) -> Self {
        let (id, issuer) = (flow.id(), state.base_address().issuer());
        let options = |action: FlowAction| match action {
            FlowAction::Passkey => offers.passkey_request.clone(),
            FlowAction::PasskeyRegistration | FlowAction::Details => offers.passkey_creation.clone(),
            _ => None,
        };
        let to_action_view = |action: FlowAction| FlowActionView {
            name: action.name(),
            href: format!("{issuer}/flows/{id}/{}", action.name()),
            schema: action_schema_view(state.schemas(), action, flow, &state.engine().settings().passwords),
            restricted: (action == FlowAction::SmsCode).then_some(true),
            options: options(action),
        };
        let organizations = match flow.stage() {
            FlowStage::ChooseOrganization { choices } => {
                Some(choices.iter().map(OrganizationChoiceView::from_choice).collect())
            }
            _ => None,
        };
        let consent = match flow.stage() {
            FlowStage::Consent { question, .. } => Some(question.clone()),
            _ => None,
        };
        let is_compared = matches!(flow.stage(), FlowStage::UserCode);
        let user_code = flow.purpose().offered_user_code().filter(|_| is_compared).map(str::to_owned);
        let refused = match flow.stage() {
            FlowStage::Refused { error, description } => {
                Some(FlowRefusalView { error: error.clone(), error_description: description.clone() })
            }
            _ => None,
        };
        let resumes = matches!(flow.stage(), FlowStage::Resume);
        Self {
            id: id.to_string(),
            kind: flow.kind().name(),
            stage: flow.stage().name(),
            expires_at: JsonTimestamp(expires_at),
            actions: flow.available_actions().into_iter().map(to_action_view).collect(),
            login_hint: flow.login_hint().map(str::to_owned),
            may_enroll: offers.may_enroll.iter().map(|factor| factor.name()).collect(),
            totp: offers.totp.map(|TotpOffer { secret, uri, qr_svg }| TotpSetupView { secret, uri, qr_svg }),
            recovery_codes: None,
            providers: offers.providers.into_iter().map(FlowProviderView::from_provider).collect(),
            go_to: offers.provider_url,
            access: offers.access.into_iter().map(LongLivedAccessView::from).collect(),
            next_message_at: offers.next_message_at.map(JsonTimestamp),
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

impl FlowProviderView {
    fn from_provider(offered_provider: OfferedProvider) -> Self {
        Self { connection: offered_provider.connection.to_string(), name: offered_provider.name }
    }
}

impl OrganizationChoiceView {
    fn from_choice(choice: &OrganizationChoice) -> Self {
        Self { id: choice.organization.to_string(), slug: choice.slug.clone(), name: choice.name.clone() }
    }
}

/// The required fields of flows by kind.
const REQUIRED_FIELDS: [(&str, &str); 5] = [
    ("accept_invitation", "token"),
    ("first_operator", "token"),
    ("change_email", "email"),
    ("approve_request", "request"),
    ("link_identity", "connection"),
];

/// Parses the flow to start, and how its tokens are sent.
pub(crate) fn parse_flow_request(body: &Value) -> Result<FlowRequest, Refusal> {
    let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
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
    let mut errors = ValidationErrors::default();
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
        if body.get(name).is_some() && !belongs.contains(&name) {
            errors.add(format!("/{name}"), "is not for a flow of this kind; remove this member");
        }
    }
    let token = text("token");
    for (needing, name) in REQUIRED_FIELDS {
        if kind == needing && text(name).is_none() {
            errors.add(format!("/{name}"), "is required");
        }
    }
    let factor = text("credential").and_then(|name| EnrollableFactor::from_name(&name));
    if kind == "enroll" && factor.is_none() {
        errors.add("/credential", "is required");
    }
    if !errors.is_empty() {
        return Err(Refusal::from_validation_errors(errors));
    }
    let token = token.unwrap_or_default();
    let request = match kind.as_str() {
        "sign_up" => FlowRequest::SignUp,
        "step_up" => FlowRequest::StepUp { needs: parse_assurance(text("assurance").as_deref()) },
        "verify_email" => FlowRequest::VerifyEmail { email: text("email") },
        "change_email" => FlowRequest::ChangeEmail { email: text("email").unwrap_or_default() },
        "verify_phone" => FlowRequest::VerifyPhone { phone: text("phone") },
        "reset_password" => FlowRequest::ResetPassword,
        "enroll" => FlowRequest::Enroll { factor: factor.unwrap_or(EnrollableFactor::Passkey) },
        "link_identity" => FlowRequest::LinkIdentity {
            connection: text("connection").unwrap_or_default(),
            return_to: text("return_to"),
        },
        "accept_invitation" => FlowRequest::AcceptInvitation { token },
        "first_operator" => FlowRequest::FirstOperator { token },
        "confirm_device" => FlowRequest::ConfirmDevice { user_code: text("user_code") },
        "approve_request" => FlowRequest::ApproveRequest { request: text("request").unwrap_or_default() },
        // The schema allows no other kind.
        _ => FlowRequest::SignIn,
    };
    Ok(request)
}

fn parse_assurance(text: Option<&str>) -> Option<AssuranceLevel> {
    match text {
        Some("aal2") => Some(AssuranceLevel::Two),
        Some("aal1") => Some(AssuranceLevel::One),
        Some(_) | None => None,
    }
}

/// The schema of an action in this flow.
pub(super) fn action_schema(action: FlowAction, flow: &AuthenticationFlow) -> &'static NamedSchema {
    match action {
        FlowAction::Password => match flow.password_owner() {
            CredentialAccountSource::SubmittedContact => &EMAIL_AND_PASSWORD,
            CredentialAccountSource::FlowAccount => &PASSWORD_ONLY,
        },
        FlowAction::Email if flow.has_email_address() => &EMPTY_INPUT,
        FlowAction::Email => &EMAIL,
        FlowAction::SmsCode => match flow.password_owner() {
            CredentialAccountSource::SubmittedContact => &PHONE,
            CredentialAccountSource::FlowAccount => &EMPTY_INPUT,
        },
        FlowAction::Code | FlowAction::Totp | FlowAction::RecoveryCode => &CODE,
        FlowAction::Passkey => &PASSKEY,
        FlowAction::ChooseFactor => &CHOOSE_FACTOR,
        FlowAction::PasskeyRegistration => &NEW_PASSKEY,
        FlowAction::TotpConfirmation => &TOTP_CONFIRMATION,
        FlowAction::Resend | FlowAction::Restart | FlowAction::SignUp | FlowAction::RecoveryCodes => {
            &EMPTY_INPUT
        }
        FlowAction::Details if flow.has_email_address() => &INVITED_ACCOUNT_DETAILS,
        FlowAction::Details => &DETAILS,
        FlowAction::NewPassword => &NEW_PASSWORD,
        FlowAction::UserCode => &USER_CODE,
        FlowAction::ChooseOrganization => &CHOOSE_ORGANIZATION,
        FlowAction::Consent => &CONSENT,
        FlowAction::SingleSignOn => &SINGLE_SIGN_ON,
        FlowAction::ProviderAnswer => &PROVIDER_RESPONSE,
    }
}

/// The published schema, with configured limits.
fn action_schema_view(
    schemas: &'static SchemaRegistry,
    action: FlowAction,
    flow: &AuthenticationFlow,
    settings: &password::PasswordSettings,
) -> Value {
    let mut schema = schemas.find(action_schema(action, flow).name).cloned().unwrap_or_default();
    if matches!(action, FlowAction::Details | FlowAction::NewPassword)
        && let Some(password) = schema.pointer_mut("/properties/password")
    {
        password["minLength"] = settings.characters_min.into();
    }
    schema
}
