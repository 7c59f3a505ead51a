//! Previews of sign-in and sign-up.

use super::PagePreview;
use crate::confirmation::{ConfirmationQuestion, ConfirmationView};
use crate::display_time::DisplayTime;
use crate::form::{PageLink, PasskeyCeremony};
use crate::form_error::FormError;
use crate::long_lived_access::LongLivedAccessItem;
use crate::notice::OutcomeNotice;
pub(super) use crate::sample_pages::FORM;
use crate::sample_pages::{PASSKEY_ASSERTION, sample_sign_in};
use crate::sign_in::address_request::{AddressRequestReason, AddressRequestView};
use crate::sign_in::choose_organization::{ChooseOrganizationView, OrganizationChoiceView};
use crate::sign_in::enter_code;
use crate::sign_in::enter_code::EnterCodeView;
use crate::sign_in::passkey_offer::PasskeyOfferView;
use crate::sign_in::phone_sign_in::PhoneSignInView;
use crate::sign_in::provider_redirect::ProviderRedirectView;
use crate::sign_in::second_factor::{SecondFactorMethod, SecondFactorView};
use crate::sign_in::set_password::{SetPasswordReason, SetPasswordView};
use crate::sign_in::sign_up::{SignUpField, SignUpInvitation, SignUpReason, SignUpView};
use crate::sign_in::step_up::StepUpView;
use crate::sign_in::{SignInProvider, SignInView};
use crate::sign_in_method::SignInMethod;

pub(super) const PASSKEY_CREATION: PasskeyCeremony<'static> = PasskeyCeremony {
    options: r#"{"challenge":"c3BlY2ltZW4","rp":{"id":"localhost","name":"Sinete"},"user":{"id":"c3BlY2ltZW4","name":"ana@example.org","displayName":"Ana Sousa"},"pubKeyCredParams":[{"type":"public-key","alg":-7}]}"#,
};
const ANA: &str = "ana@example.org";

const CODE: EnterCodeView<'static> = EnterCodeView {
    form: FORM,
    purpose: enter_code::CodePurpose::SignIn,
    action: "email_code",
    sent_to: ANA,
    resend: "send_code",
    resend_after: 42,
    restart: Some("restart"),
    error: None,
};
const SECOND_FACTOR: SecondFactorView<'static> = SecondFactorView {
    form: FORM,
    method: SecondFactorMethod::Totp,
    other_methods: &[SignInMethod::Passkey, SignInMethod::RecoveryCode, SignInMethod::SmsCode],
    error: None,
};
const SIGN_UP: SignUpView<'static> = SignUpView {
    form: FORM,
    action: "sign_up",
    reason: SignUpReason::SignUp,
    fields: &[SignUpField::Name, SignUpField::Email, SignUpField::Password],
    name: "",
    email: "",
    passkey: Some(PASSKEY_CREATION),
    password_min: 15,
    sign_in: Some(PageLink::Path("/sign-in")),
    error: None,
};
const MAGIC_LINK_CONFIRMATION: ConfirmationView<'static> = ConfirmationView {
    form: FORM,
    question: ConfirmationQuestion::SignIn(Some(ANA)),
    action: "magic_link",
    hidden: &[("token", "specimen")],
    cancel_url: None,
    error: None,
};

pub(super) const LONG_LIVED_ACCESS: &[LongLivedAccessItem<'static>] = &[
    LongLivedAccessItem {
        id: "application:01936f5e-7c2a-7def-8a1b-2c3d4e5f6071:ledger",
        name: "Ledger",
        organization: "Padaria da Esquina",
        is_key: false,
        since: DisplayTime(1_790_000_000),
    },
    LongLivedAccessItem {
        id: "api_key:01936f5e-7c2a-7def-8a1b-2c3d4e5f6072",
        name: "Nightly report",
        organization: "Padaria da Esquina",
        is_key: true,
        since: DisplayTime(1_780_000_000),
    },
];

pub(super) const PREVIEWS: &[PagePreview] = &[
    PagePreview { name: "sign-in", page: |frame| sample_sign_in().render(frame) },
    PagePreview {
        name: "sign-in-error",
        page: |frame| {
            SignInView { identifier: ANA, error: Some(FormError::WrongCredentials), ..sample_sign_in() }
                .render(frame)
        },
    },
    PagePreview {
        name: "sign-in-by-phone",
        page: |frame| {
            PhoneSignInView {
                form: FORM,
                action: "sms_code",
                number: "",
                cancel_url: "/sign-in?flow=01936f5e",
                error: None,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "enter-sms-code",
        page: |frame| {
            let purpose = enter_code::CodePurpose::SignInByPhone;
            EnterCodeView { purpose, sent_to: "+5581999990000", ..CODE }.render(frame)
        },
    },
    PagePreview { name: "magic-link", page: |frame| MAGIC_LINK_CONFIRMATION.render(frame) },
    PagePreview { name: "enter-code", page: |frame| CODE.render(frame) },
    PagePreview {
        name: "enter-code-error",
        page: |frame| EnterCodeView { error: Some(FormError::WrongCode), ..CODE }.render(frame),
    },
    PagePreview { name: "second-factor", page: |frame| SECOND_FACTOR.render(frame) },
    PagePreview {
        name: "second-factor-recovery",
        page: |frame| {
            SecondFactorView {
                method: SecondFactorMethod::RecoveryCode,
                other_methods: &[SignInMethod::Totp],
                ..SECOND_FACTOR
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "second-factor-sms",
        page: |frame| {
            SecondFactorView {
                method: SecondFactorMethod::Sms,
                other_methods: &[SignInMethod::Totp],
                ..SECOND_FACTOR
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "second-factor-passkey",
        page: |frame| {
            SecondFactorView { method: SecondFactorMethod::Passkey(PASSKEY_ASSERTION), ..SECOND_FACTOR }
                .render(frame)
        },
    },
    PagePreview {
        name: "step-up",
        page: |frame| {
            StepUpView {
                form: FORM,
                account_label: ANA,
                application: Some("Ledger"),
                passkey: Some(PASSKEY_ASSERTION),
                password: true,
                other_methods: &[],
                error: None,
            }
            .render(frame)
        },
    },
    PagePreview { name: "sign-up", page: |frame| SIGN_UP.render(frame) },
    PagePreview {
        name: "verify-email",
        page: |frame| {
            EnterCodeView { purpose: enter_code::CodePurpose::VerifyEmail, restart: None, ..CODE }
                .render(frame)
        },
    },
    PagePreview {
        name: "verify-phone",
        page: |frame| {
            let purpose = enter_code::CodePurpose::VerifyPhone;
            EnterCodeView { purpose, sent_to: "+5581999990000", restart: None, ..CODE }.render(frame)
        },
    },
    PagePreview {
        name: "verify-email-link",
        page: |frame| {
            ConfirmationView {
                question: ConfirmationQuestion::VerifyEmail(Some(ANA)),
                ..MAGIC_LINK_CONFIRMATION
            }
            .render(frame)
        },
    },
    PagePreview { name: "email-verified", page: |frame| OutcomeNotice::EmailVerified.render(frame) },
    PagePreview {
        name: "offer-passkey",
        page: |frame| {
            PasskeyOfferView {
                form: FORM,
                action: "passkey",
                ceremony: PASSKEY_CREATION,
                can_name_passkey: false,
                skip: Some("/my-account"),
                restart: None,
                error: None,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "reset-password",
        page: |frame| {
            AddressRequestView {
                form: FORM,
                reason: AddressRequestReason::ForgottenPassword,
                action: "send_code",
                identifier: "",
                cancel_url: "/sign-in",
                error: None,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "set-password",
        page: |frame| {
            SetPasswordView {
                form: FORM,
                action: "set_password",
                account_label: ANA,
                reason: SetPasswordReason::Replace,
                password_min: 15,
                requires_current_password: false,
                access: LONG_LIVED_ACCESS,
                cancel_url: None,
                error: Some(FormError::PasswordShort(15)),
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "change-password",
        page: |frame| {
            SetPasswordView {
                form: FORM,
                action: "choose_password",
                account_label: ANA,
                reason: SetPasswordReason::Replace,
                password_min: 15,
                requires_current_password: true,
                access: &[],
                cancel_url: Some("/my-account"),
                error: None,
            }
            .render(frame)
        },
    },
    PagePreview { name: "password-changed", page: |frame| OutcomeNotice::PasswordChanged.render(frame) },
    PagePreview {
        name: "choose-organization",
        page: |frame| {
            ChooseOrganizationView {
                form: FORM,
                application: Some("Ledger"),
                choices: &[
                    OrganizationChoiceView { id: "1", name: "Acme", slug: "acme" },
                    OrganizationChoiceView {
                        id: "2",
                        name: "Padaria da Esquina",
                        slug: "padaria-da-esquina",
                    },
                    OrganizationChoiceView { id: "3", name: "Home", slug: "home" },
                ],
                error: None,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "accept-invitation",
        page: |frame| {
            let invitation = SignUpInvitation { organization: "Padaria da Esquina", roles: "billing" };
            SignUpView {
                reason: SignUpReason::Invitation(invitation),
                fields: &[SignUpField::Name, SignUpField::Password],
                email: ANA,
                sign_in: None,
                ..SIGN_UP
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "first-operator",
        page: |frame| {
            SignUpView {
                reason: SignUpReason::FirstOperator,
                fields: &[SignUpField::Name, SignUpField::Email, SignUpField::Password],
                sign_in: None,
                ..SIGN_UP
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "confirm-sign-out",
        page: |frame| {
            ConfirmationView {
                question: ConfirmationQuestion::SignOut,
                hidden: &[],
                cancel_url: Some("/my-account"),
                ..MAGIC_LINK_CONFIRMATION
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "make-recovery-codes",
        page: |frame| {
            ConfirmationView {
                question: ConfirmationQuestion::RecoveryCodes,
                hidden: &[],
                cancel_url: Some("/my-account"),
                ..MAGIC_LINK_CONFIRMATION
            }
            .render(frame)
        },
    },
    PagePreview { name: "signed-out", page: |frame| OutcomeNotice::SignedOut.render(frame) },
    PagePreview {
        name: "flow-finished-elsewhere",
        page: |frame| OutcomeNotice::OpenedInOtherBrowser.render(frame),
    },
    PagePreview { name: "email-restored", page: |frame| OutcomeNotice::EmailRestored.render(frame) },
    PagePreview {
        name: "report-sign-in",
        page: |frame| {
            ConfirmationView {
                question: ConfirmationQuestion::ReportSignIn(LONG_LIVED_ACCESS),
                ..MAGIC_LINK_CONFIRMATION
            }
            .render(frame)
        },
    },
    PagePreview { name: "sign-in-reported", page: |frame| OutcomeNotice::SignInReported.render(frame) },
    PagePreview {
        name: "undo-email-change",
        page: |frame| {
            ConfirmationView { question: ConfirmationQuestion::UndoEmail, ..MAGIC_LINK_CONFIRMATION }
                .render(frame)
        },
    },
    PagePreview { name: "form-rejected", page: |frame| OutcomeNotice::FormRefused.render(frame) },
    PagePreview { name: "link-used", page: |frame| OutcomeNotice::LinkUsedOrExpired.render(frame) },
    PagePreview {
        name: "provider-unavailable",
        page: |frame| OutcomeNotice::ProviderUnavailable.render(frame),
    },
    PagePreview {
        name: "provider-redirect",
        page: |frame| {
            let page = ProviderRedirectView { address: "https://login.acme.example/authorize" }.render(frame);
            // Disables the refresh, so that the preview does not navigate away.
            page.replace("http-equiv=\"refresh\"", "name=\"onward\"")
        },
    },
    PagePreview {
        name: "sign-in-with-provider",
        page: |frame| {
            let providers = &[SignInProvider { connection: "01936f5e", name: "Acme" }];
            SignInView { providers, ..sample_sign_in() }.render(frame)
        },
    },
    PagePreview {
        name: "invitation-required",
        page: |frame| OutcomeNotice::InvitationRequired.render(frame),
    },
    PagePreview { name: "flow-expired", page: |frame| OutcomeNotice::FlowEnded.render(frame) },
];
