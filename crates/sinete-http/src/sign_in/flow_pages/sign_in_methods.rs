//! Which sign-in method an action of a flow belongs to.

use sinete_core::sign_in::flows::action::FlowAction;
use sinete_core::sign_in::flows::stage::FlowStage;
use sinete_screens::sign_in_method::SignInMethod;

/// The sign-in method that a page offers for this action, if it offers one.
pub(super) fn method_for_action(action: FlowAction, stage: &FlowStage) -> Option<SignInMethod> {
    match action {
        FlowAction::Password => Some(SignInMethod::Password),
        FlowAction::Email => Some(SignInMethod::EmailCode),
        // The first page asks for an address; a number is asked for only where the account is known.
        FlowAction::SmsCode if matches!(stage, FlowStage::SignIn) => None,
        FlowAction::SmsCode => Some(SignInMethod::SmsCode),
        FlowAction::Passkey => Some(SignInMethod::Passkey),
        FlowAction::Totp => Some(SignInMethod::Totp),
        FlowAction::RecoveryCode => Some(SignInMethod::RecoveryCode),
        // The first page has a button for it; a known account is asked for it by itself.
        FlowAction::SingleSignOn if matches!(stage, FlowStage::SignIn) => None,
        FlowAction::SingleSignOn => Some(SignInMethod::Provider),
        FlowAction::Code
        | FlowAction::Resend
        | FlowAction::SignUp
        | FlowAction::Details
        | FlowAction::NewPassword
        | FlowAction::UserCode
        | FlowAction::ChooseOrganization
        | FlowAction::Consent
        | FlowAction::ChooseFactor
        | FlowAction::PasskeyRegistration
        | FlowAction::TotpConfirmation
        | FlowAction::RecoveryCodes
        | FlowAction::ProviderAnswer
        | FlowAction::Restart => None,
    }
}
