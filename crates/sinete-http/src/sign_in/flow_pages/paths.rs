//! The URLs of flow pages.

use crate::state::HttpState;
use sinete_core::accounts::language::Language;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::sign_in::flows::stage::FlowStage;
use sinete_screens::sign_in_method::SignInMethod;
use sinete_server::extract::params::FormParams;

/// The URL of a flow's page.
pub(super) fn flow_page_url(flow: &AuthenticationFlow) -> String {
    format!("{}?flow={}", flow_page_path(flow), flow.id())
}

/// The same page with a selected method.
pub(super) fn with_sign_in_method(address: &str, sign_in_method: Option<SignInMethod>) -> String {
    sign_in_method.map_or_else(
        || address.to_owned(),
        |sign_in_method| format!("{address}&way={}", sign_in_method.name()),
    )
}

/// The page of the set-up checklist, where the first operator is led.
const SETUP_PAGE: &str = "/instance";

/// The parameter of a flow that followed the creation of the first operator.
const SETUP_PARAMETER: &str = "next=setup";

/// Where a finished flow leads: the account page, or for the first operator the set-up checklist.
pub(super) fn finished_page_path(
    state: &HttpState,
    query: &FormParams,
    flow: &AuthenticationFlow,
) -> &'static str {
    let is_first = flow.kind() == FlowKind::FirstOperator || query.get("next") == Some("setup");
    if is_first && state.serves_console() { SETUP_PAGE } else { "/my-account" }
}

/// The URL of a flow that follows another. One that follows the creation of the first operator remembers it.
pub(super) fn following_flow_url(ended: &AuthenticationFlow, follows: &AuthenticationFlow) -> String {
    let address = flow_page_url(follows);
    match ended.kind() {
        FlowKind::FirstOperator => format!("{address}&{SETUP_PARAMETER}"),
        _ => address,
    }
}

/// Adds the selected language to a URL, and to that of a flow where it leads when it is finished.
pub(crate) fn with_language(address: &str, query: &FormParams) -> String {
    let leads_to_setup = address.contains("?flow=") && query.get("next") == Some("setup");
    let address = if leads_to_setup { format!("{address}&{SETUP_PARAMETER}") } else { address.to_owned() };
    match query.get("ui_locales").and_then(Language::from_locale_list) {
        Some(language) => {
            let glue = if address.contains('?') { '&' } else { '?' };
            format!("{address}{glue}ui_locales={}", language.tag())
        }
        None => address,
    }
}

/// The path of a flow's current page.
pub(super) fn flow_page_path(flow: &AuthenticationFlow) -> &'static str {
    match (flow.stage(), flow.kind()) {
        (FlowStage::Consent { .. } | FlowStage::Refused { .. }, FlowKind::ApproveRequest) => "/approve",
        (FlowStage::Consent { .. }, FlowKind::ConfirmDevice)
        | (FlowStage::UserCode | FlowStage::Refused { .. }, _) => "/device",
        (FlowStage::Consent { .. }, _) => "/consent",
        (FlowStage::ChooseFactor { .. } | FlowStage::Enroll(_), _) => "/set-up",
        (FlowStage::Details, FlowKind::SignUp | FlowKind::Authorize) => "/sign-up",
        (FlowStage::Details, _) => "/accept-invitation",
        (FlowStage::TextedProof(_), FlowKind::VerifyPhone)
        | (FlowStage::AtProvider(_), FlowKind::LinkIdentity) => "/set-up",
        (FlowStage::MailedProof(challenge), _) if challenge.creates_account() => "/verify-email",
        (FlowStage::MailedProof(_), FlowKind::VerifyEmail | FlowKind::ChangeEmail) => "/verify-email",
        (FlowStage::MailedProof(_), FlowKind::ResetPassword)
        | (FlowStage::Address | FlowStage::NewPassword, _) => "/reset-password",
        (
            FlowStage::SignIn
            | FlowStage::SecondFactor
            | FlowStage::Reauthenticate { .. }
            | FlowStage::MailedProof(_)
            | FlowStage::TextedProof(_)
            | FlowStage::AtProvider(_)
            | FlowStage::Deciding
            | FlowStage::ChooseOrganization { .. }
            | FlowStage::Resume
            | FlowStage::Finished(_),
            _,
        ) => "/sign-in",
    }
}
