//! The pages on which a credential is enrolled.

use super::FlowPageData;
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use sinete_core::sign_in::flows::action::FlowAction;
use sinete_screens::confirmation::{ConfirmationQuestion, ConfirmationView};
use sinete_screens::notice::OutcomeNotice;
use sinete_screens::page::PageFrame;
use sinete_screens::sign_in::choose_factor::ChooseFactorView;
use sinete_screens::sign_in::passkey_offer::PasskeyOfferView;
use sinete_screens::sign_in::totp_enrolment::TotpEnrolmentView;

impl FlowPageData<'_> {
    /// The choice of a second factor that an authorization request demands.
    pub(super) fn choose_factor_page(&self, factors: &[EnrollableFactor], frame: &PageFrame<'_>) -> String {
        ChooseFactorView {
            form: self.form,
            action: FlowAction::ChooseFactor.name(),
            application: self.application_name(frame),
            passkey: factors.contains(&EnrollableFactor::Passkey),
            totp: factors.contains(&EnrollableFactor::Totp),
            error: self.form_error(),
        }
        .render(frame)
    }

    pub(super) fn enrollment_page(&self, factor: EnrollableFactor, frame: &PageFrame<'_>) -> String {
        // Within an authorization request, the way back is to choose another factor.
        let restart = self.accepts_action(FlowAction::Restart).then_some(FlowAction::Restart.name());
        let back = restart.is_none().then_some(self.finished_page);
        match (factor, self.passkey_creation(), &self.offers.totp) {
            (EnrollableFactor::Passkey, Some(ceremony), _) => PasskeyOfferView {
                form: self.form,
                action: FlowAction::PasskeyRegistration.name(),
                ceremony,
                can_name_passkey: true,
                skip: back,
                restart,
                error: self.form_error(),
            }
            .render(frame),
            (EnrollableFactor::Totp, _, Some(totp)) => TotpEnrolmentView {
                form: self.form,
                action: FlowAction::TotpConfirmation.name(),
                picture: &totp.qr_svg,
                secret: &totp.secret,
                uri: &totp.uri,
                cancel_url: back,
                restart,
                error: self.form_error(),
            }
            .render(frame),
            (EnrollableFactor::RecoveryCodes, _, _) => ConfirmationView {
                form: self.form,
                question: ConfirmationQuestion::RecoveryCodes,
                action: FlowAction::RecoveryCodes.name(),
                hidden: &[],
                cancel_url: back,
                error: self.form_error(),
            }
            .render(frame),
            (EnrollableFactor::Passkey | EnrollableFactor::Totp, _, _) => {
                OutcomeNotice::FlowEnded.render(frame)
            }
        }
    }
}
