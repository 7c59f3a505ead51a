//! Selects the page for a stage of a flow. Nothing is decided here: the flow defines the available actions.

mod enrollment;
mod enter_code;

use super::consent;
use crate::screens::flash::FlowFlash;
use crate::sign_in::flow_pages::offers::FlowOfferText;
use crate::sign_in::flow_pages::sign_in_methods::method_for_action;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::action::FlowAction;
use sinete_core::sign_in::flows::purpose::{FlowKind, FlowPurpose};
use sinete_core::sign_in::flows::stage::{FlowStage, OrganizationChoice};
use sinete_core::time::Lifetime;
use sinete_engine::sign_in::flows::FlowContext;
use sinete_screens::form::{PageForm, PageLink, PasskeyCeremony};
use sinete_screens::form_error::FormError;
use sinete_screens::notice::OutcomeNotice;
use sinete_screens::oauth::client_redirect::ContinueView;
use sinete_screens::oauth::user_code::UserCodeView;
use sinete_screens::page::PageFrame;
use sinete_screens::sign_in::address_request::{AddressRequestReason, AddressRequestView};
use sinete_screens::sign_in::choose_organization::{ChooseOrganizationView, OrganizationChoiceView};
use sinete_screens::sign_in::phone_sign_in::PhoneSignInView;
use sinete_screens::sign_in::provider_redirect::ProviderRedirectView;
use sinete_screens::sign_in::second_factor::{SecondFactorMethod, SecondFactorView};
use sinete_screens::sign_in::set_password::{SetPasswordReason, SetPasswordView};
use sinete_screens::sign_in::sign_up::{
    SignUpApplication, SignUpField, SignUpInvitation, SignUpReason, SignUpView,
};
use sinete_screens::sign_in::step_up::StepUpView;
use sinete_screens::sign_in::{SignInProvider, SignInView};
use sinete_screens::sign_in_method::SignInMethod;

/// The data of a page.
pub(super) struct FlowPageData<'a> {
    pub(super) flow: &'a AuthenticationFlow,
    pub(super) context: &'a FlowContext,
    pub(super) flash: &'a FlowFlash,
    pub(super) offers: &'a FlowOfferText,
    /// The selected method, if it is not the default.
    pub(super) method: Option<SignInMethod>,
    /// The time until another message may be sent.
    pub(super) resend_after: Lifetime,
    /// The URL that offers all methods.
    pub(super) all_methods_url: &'a str,
    /// The URL of sign-in by phone number.
    pub(super) phone_method_url: &'a str,
    pub(super) form: PageForm<'a>,
    /// Minimum characters in a password.
    pub(super) password_min: u32,
    /// Where the flow leads when it is finished or left.
    pub(super) finished_page: &'static str,
    /// Whether sign-up is open.
    pub(super) is_sign_up_open: bool,
}

impl FlowPageData<'_> {
    /// Renders the page.
    pub(super) fn stage_page(&self, frame: &PageFrame<'_>) -> String {
        match self.flow.stage() {
            FlowStage::SignIn => self.sign_in_page(frame),
            FlowStage::SecondFactor | FlowStage::Reauthenticate { .. } => self.reauthentication_page(frame),
            FlowStage::Details => self.sign_up_page(frame),
            FlowStage::Address => self.address_request_page(frame),
            FlowStage::MailedProof(challenge) => self.email_code_page(challenge, frame),
            FlowStage::TextedProof(challenge) => self.sms_code_page(challenge, frame),
            FlowStage::NewPassword => self.set_password_page(frame),
            FlowStage::ChooseOrganization { choices } => self.choose_organization_page(choices, frame),
            FlowStage::Consent { question, .. } => {
                consent::consent_page(question, self.account_label(), self.form, self.form_error(), frame)
            }
            FlowStage::Resume => {
                let address = format!("/connect/authorize?flow={}", self.flow.id());
                ContinueView { address: &address, application: self.application_name(frame) }.render(frame)
            }
            FlowStage::UserCode => self.user_code_page(frame),
            FlowStage::AtProvider(_) => match &self.offers.provider_redirect {
                Some(address) => ProviderRedirectView { address }.render(frame),
                None => OutcomeNotice::ProviderUnavailable.render(frame),
            },
            FlowStage::ChooseFactor { factors } => self.choose_factor_page(factors, frame),
            FlowStage::Enroll(pending_enrollment) => self.enrollment_page(pending_enrollment.factor(), frame),
            FlowStage::Refused { .. } => OutcomeNotice::DeviceRefused.render(frame),
            FlowStage::Deciding | FlowStage::Finished(_) => OutcomeNotice::FlowEnded.render(frame),
        }
    }

    fn sign_in_page(&self, frame: &PageFrame<'_>) -> String {
        let is_sms_available = self.accepts_action(FlowAction::SmsCode);
        if is_sms_available && self.method == Some(SignInMethod::SmsCode) {
            return PhoneSignInView {
                form: self.form,
                action: FlowAction::SmsCode.name(),
                number: &self.flash.identifier,
                cancel_url: self.all_methods_url,
                error: self.form_error(),
            }
            .render(frame);
        }
        let default_address = match self.flow.purpose() {
            FlowPurpose::AcceptInvitation { address, .. } => address.as_str(),
            _ => self.hinted_address(),
        };
        let entered_identifier =
            Some(self.flash.identifier.as_str()).filter(|entered_identifier| !entered_identifier.is_empty());
        let is_plain = self.flow.kind() == FlowKind::SignIn;
        let asks = self.accepts_action(FlowAction::SignUp);
        SignInView {
            form: self.form,
            application: self.application_name(frame).or(self.context.organization.as_deref()),
            policy: consent::https_link(self.context.privacy_policy_uri(frame.language.tag())),
            terms: consent::https_link(self.context.terms_of_service_uri(frame.language.tag())),
            identifier: entered_identifier.unwrap_or(default_address),
            passkey: self.passkey_request(),
            methods: &self.sign_in_methods(),
            phone_url: is_sms_available.then_some(self.phone_method_url),
            has_provider_routing: self.accepts_action(FlowAction::SingleSignOn),
            providers: &self.provider_items(),
            error: self.form_error(),
            password_reset_url: Some("/reset-password"),
            sign_up: match (asks, is_plain && self.is_sign_up_open) {
                (true, _) => Some(PageLink::Action(FlowAction::SignUp.name())),
                (false, true) => Some(PageLink::Path("/sign-up")),
                (false, false) => None,
            },
        }
        .render(frame)
    }

    /// The step-up or second factor page: with the selected method, or else the first.
    fn reauthentication_page(&self, frame: &PageFrame<'_>) -> String {
        let sign_in_methods = self.sign_in_methods();
        let is_open = |sign_in_method: &SignInMethod| sign_in_methods.contains(sign_in_method);
        let preferred = if self.flow.needs_only_second_factor() {
            [
                SignInMethod::Totp,
                SignInMethod::Passkey,
                SignInMethod::SmsCode,
                SignInMethod::RecoveryCode,
                SignInMethod::Password,
                SignInMethod::Provider,
            ]
        } else {
            [
                SignInMethod::Passkey,
                SignInMethod::Password,
                SignInMethod::Provider,
                SignInMethod::Totp,
                SignInMethod::SmsCode,
                SignInMethod::RecoveryCode,
            ]
        };
        let sign_in_method = self.method.filter(is_open).or_else(|| preferred.into_iter().find(is_open));
        let others = |shown_methods: &[SignInMethod]| {
            sign_in_methods
                .iter()
                .copied()
                .filter(|sign_in_method| !shown_methods.contains(sign_in_method))
                .collect::<Vec<_>>()
        };
        let method = match sign_in_method {
            // During sign-in it is a second factor, in a session a step-up.
            Some(SignInMethod::Passkey)
                if self.is_second_factor()
                    && let Some(ceremony) = self.passkey_request() =>
            {
                SecondFactorMethod::Passkey(ceremony)
            }
            Some(SignInMethod::Totp) => SecondFactorMethod::Totp,
            Some(SignInMethod::RecoveryCode) => SecondFactorMethod::RecoveryCode,
            Some(SignInMethod::SmsCode) => SecondFactorMethod::Sms,
            Some(SignInMethod::Provider) => SecondFactorMethod::Provider,
            _ => {
                let shown_methods = [SignInMethod::Passkey, SignInMethod::Password];
                return self.step_up_page(is_open(&SignInMethod::Password), &others(&shown_methods), frame);
            }
        };
        let shown_methods: Vec<SignInMethod> = sign_in_method.into_iter().collect();
        SecondFactorView {
            form: self.form,
            method,
            other_methods: &others(&shown_methods),
            error: self.form_error(),
        }
        .render(frame)
    }

    fn is_second_factor(&self) -> bool {
        matches!(self.flow.stage(), FlowStage::SecondFactor)
    }

    fn step_up_page(&self, password: bool, others: &[SignInMethod], frame: &PageFrame<'_>) -> String {
        StepUpView {
            form: self.form,
            account_label: self.account_label(),
            application: self.application_name(frame),
            passkey: self.passkey_request(),
            password,
            other_methods: others,
            error: self.form_error(),
        }
        .render(frame)
    }

    fn application_name(&self, frame: &PageFrame<'_>) -> Option<&str> {
        self.context.application_name(frame.language.tag())
    }

    fn provider_items(&self) -> Vec<SignInProvider<'_>> {
        self.offers.providers.iter().map(|it| SignInProvider { connection: &it.0, name: &it.1 }).collect()
    }

    fn passkey_request(&self) -> Option<PasskeyCeremony<'_>> {
        self.offers.passkey_request.as_deref().map(|options| PasskeyCeremony { options })
    }

    fn passkey_creation(&self) -> Option<PasskeyCeremony<'_>> {
        self.offers.passkey_creation.as_deref().map(|options| PasskeyCeremony { options })
    }

    fn sign_up_page(&self, frame: &PageFrame<'_>) -> String {
        let roles = frame.language.phrases().role_names.join(self.context.roles.iter().map(String::as_str));
        let entered_identifier =
            Some(self.flash.identifier.as_str()).filter(|entered_identifier| !entered_identifier.is_empty());
        let (occasion, email) = match self.flow.purpose() {
            FlowPurpose::AcceptInvitation { address, .. } => {
                let organization = self.context.organization.as_deref().unwrap_or_default();
                let invitation = SignUpInvitation { organization, roles: &roles };
                (SignUpReason::Invitation(invitation), address.as_str())
            }
            FlowPurpose::FirstOperator { .. } => {
                (SignUpReason::FirstOperator, self.flash.identifier.as_str())
            }
            _ => (self.sign_up_reason(frame), entered_identifier.unwrap_or_else(|| self.hinted_address())),
        };
        let asks: &[SignUpField] = if self.flow.has_email_address() {
            &[SignUpField::Name, SignUpField::Password]
        } else {
            &[SignUpField::Name, SignUpField::Email, SignUpField::Password]
        };
        SignUpView {
            form: self.form,
            action: FlowAction::Details.name(),
            reason: occasion,
            fields: asks,
            name: &self.flash.name,
            email,
            passkey: self.passkey_creation(),
            password_min: self.password_min,
            sign_in: match self.flow.kind() {
                FlowKind::SignUp => Some(PageLink::Path("/sign-in")),
                _ if self.accepts_action(FlowAction::Restart) => {
                    Some(PageLink::Action(FlowAction::Restart.name()))
                }
                _ => None,
            },
            error: self.form_error(),
        }
        .render(frame)
    }

    fn sign_up_reason(&self, frame: &PageFrame<'_>) -> SignUpReason<'_> {
        let Some(name) = self.application_name(frame) else { return SignUpReason::SignUp };
        let language = frame.language.tag();
        SignUpReason::Application(SignUpApplication {
            name,
            policy: consent::https_link(self.context.privacy_policy_uri(language)),
            terms: consent::https_link(self.context.terms_of_service_uri(language)),
        })
    }

    /// The `login_hint` of the request, if it is an e-mail address.
    fn hinted_address(&self) -> &str {
        let hint = self.flow.login_hint().filter(|hint| hint.parse::<EmailAddress>().is_ok());
        hint.unwrap_or_default()
    }

    fn address_request_page(&self, frame: &PageFrame<'_>) -> String {
        AddressRequestView {
            form: self.form,
            reason: AddressRequestReason::ForgottenPassword,
            action: FlowAction::Email.name(),
            identifier: &self.flash.identifier,
            cancel_url: "/sign-in",
            error: self.form_error(),
        }
        .render(frame)
    }

    fn set_password_page(&self, frame: &PageFrame<'_>) -> String {
        SetPasswordView {
            form: self.form,
            action: FlowAction::NewPassword.name(),
            account_label: self.account_label(),
            reason: SetPasswordReason::Replace,
            password_min: self.password_min,
            requires_current_password: false,
            access: &self.offers.access_choices(),
            cancel_url: None,
            error: self.form_error(),
        }
        .render(frame)
    }

    fn choose_organization_page(&self, choices: &[OrganizationChoice], frame: &PageFrame<'_>) -> String {
        let ids: Vec<String> = choices.iter().map(|choice| choice.organization.to_string()).collect();
        let choice = |(choice, id)| -> OrganizationChoiceView<'_> {
            let (choice, id): (&OrganizationChoice, &String) = (choice, id);
            OrganizationChoiceView { id, name: &choice.name, slug: &choice.slug }
        };
        let choices: Vec<OrganizationChoiceView<'_>> = choices.iter().zip(&ids).map(choice).collect();
        ChooseOrganizationView {
            form: self.form,
            application: self.application_name(frame),
            choices: &choices,
            error: self.form_error(),
        }
        .render(frame)
    }

    fn user_code_page(&self, frame: &PageFrame<'_>) -> String {
        let prefilled_code = self.flow.purpose().offered_user_code();
        let action = FlowAction::UserCode.name();
        UserCodeView {
            form: self.form,
            action,
            account_label: self.account_label(),
            prefilled_code,
            error: self.form_error(),
        }
        .render(frame)
    }

    fn accepts_action(&self, action: FlowAction) -> bool {
        self.flow.available_actions().contains(&action)
    }

    /// The sign-in methods that a page offers, by the actions that the flow accepts.
    fn sign_in_methods(&self) -> Vec<SignInMethod> {
        let stage = self.flow.stage();
        self.flow
            .available_actions()
            .into_iter()
            .filter_map(|action| method_for_action(action, stage))
            .collect()
    }

    fn account_label(&self) -> &str {
        self.context.account_email.as_deref().unwrap_or_default()
    }

    fn form_error(&self) -> Option<FormError> {
        self.flash.trouble.map(FormError::from)
    }
}
