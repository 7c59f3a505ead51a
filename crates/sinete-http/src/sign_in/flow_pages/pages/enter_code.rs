//! The pages on which a code that was sent by e-mail or SMS is entered.

use super::FlowPageData;
use sinete_core::sign_in::flows::action::FlowAction;
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::sign_in::flows::stage::{EmailChallenge, FlowStage, SmsChallenge};
use sinete_screens::page::PageFrame;
use sinete_screens::sign_in::enter_code;
use sinete_screens::sign_in::enter_code::EnterCodeView;

impl FlowPageData<'_> {
    pub(super) fn email_code_page(&self, challenge: &EmailChallenge, frame: &PageFrame<'_>) -> String {
        use enter_code::CodePurpose::{ResetPassword, SignIn, VerifyEmail};
        EnterCodeView {
            form: self.form,
            purpose: match self.flow.kind() {
                _ if challenge.creates_account() => VerifyEmail,
                FlowKind::SignUp | FlowKind::VerifyEmail | FlowKind::ChangeEmail => VerifyEmail,
                FlowKind::ResetPassword => ResetPassword,
                FlowKind::Authorize
                | FlowKind::ConfirmDevice
                | FlowKind::ApproveRequest
                | FlowKind::SignIn
                | FlowKind::StepUp
                | FlowKind::VerifyPhone
                | FlowKind::Enroll
                | FlowKind::LinkIdentity
                | FlowKind::AcceptInvitation
                | FlowKind::FirstOperator => SignIn,
            },
            action: FlowAction::Code.name(),
            sent_to: challenge.address.as_str(),
            resend: FlowAction::Resend.name(),
            resend_after: self.resend_after_seconds(),
            restart: self.accepts_action(FlowAction::Restart).then_some(FlowAction::Restart.name()),
            error: self.form_error(),
        }
        .render(frame)
    }

    /// A code was sent by SMS. A number that the user did not enter here is masked.
    pub(super) fn sms_code_page(&self, challenge: &SmsChallenge, frame: &PageFrame<'_>) -> String {
        let number = challenge.number.as_str();
        let end = number.get(number.len().saturating_sub(2)..).unwrap_or_default();
        let (purpose, sent_to) = match (self.flow.kind(), challenge.from.as_deref()) {
            (FlowKind::VerifyPhone, _) => (enter_code::CodePurpose::VerifyPhone, number.to_owned()),
            (_, Some(FlowStage::SignIn)) => (enter_code::CodePurpose::SignInByPhone, number.to_owned()),
            (_, _) => (enter_code::CodePurpose::SecondFactor, format!("••• {end}")),
        };
        EnterCodeView {
            form: self.form,
            purpose,
            action: FlowAction::Code.name(),
            sent_to: &sent_to,
            resend: FlowAction::Resend.name(),
            resend_after: self.resend_after_seconds(),
            restart: self.accepts_action(FlowAction::Restart).then_some(FlowAction::Restart.name()),
            error: self.form_error(),
        }
        .render(frame)
    }

    /// In whole seconds, rounded up.
    fn resend_after_seconds(&self) -> u64 {
        self.resend_after.as_duration().as_millis().div_ceil(1000).try_into().unwrap_or_default()
    }
}
