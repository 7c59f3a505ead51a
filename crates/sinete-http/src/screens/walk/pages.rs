//! From where a flow stands to the page that shows it. Nothing is decided here: what can be said at a stage is what
//! the flow says it takes.

use super::consent;
use super::methods::method_of;
use super::offered::FlowOfferText;
use crate::screens::flash::FlowFlash;
use sinete_core::flow::AuthenticationFlow;
use sinete_core::flow::action::FlowAction;
use sinete_core::flow::credential::enrolling::EnrollableFactor;
use sinete_core::flow::purpose::{FlowKind, FlowPurpose};
use sinete_core::flow::stage::{EmailChallenge, FlowStage, OrganizationChoice as Chosen, SmsChallenge};
use sinete_core::time::Lifetime;
use sinete_engine::flows::FlowContext;
use sinete_screens::choose_organization::{ChooseOrganizationView, OrganizationChoiceView};
use sinete_screens::confirm::{ConfirmationQuestion, ConfirmationView};
use sinete_screens::enrol_totp::TotpEnrolmentView;
use sinete_screens::enter_code::{self, EnterCodeView};
use sinete_screens::form::{PageForm, PasskeyCeremony};
use sinete_screens::notice::OutcomeNotice;
use sinete_screens::offer_passkey::PasskeyOfferView;
use sinete_screens::onward::ContinueView;
use sinete_screens::page::PageFrame;
use sinete_screens::reset_password::{AddressRequestReason, AddressRequestView};
use sinete_screens::second_factor::{SecondFactorMethod, SecondFactorView};
use sinete_screens::set_password::{SetPasswordReason as PasswordOccasion, SetPasswordView};
use sinete_screens::sign_in::{SignInProvider, SignInView};
use sinete_screens::sign_in_by_phone::PhoneSignInView;
use sinete_screens::sign_up::{SignUpField, SignUpInvitation, SignUpReason, SignUpView};
use sinete_screens::step_up::StepUpView;
use sinete_screens::to_provider::ProviderRedirectView;
use sinete_screens::trouble::FormError;
use sinete_screens::user_code::UserCodeView;
use sinete_screens::way::SignInMethod;

/// Everything a page is made of.
pub(super) struct FlowPageData<'a> {
    pub(super) flow: &'a AuthenticationFlow,
    pub(super) around: &'a FlowContext,
    pub(super) flash: &'a FlowFlash,
    pub(super) offers: &'a FlowOfferText,
    /// The way that was asked for, where another would be shown first.
    pub(super) way: Option<SignInMethod>,
    /// How long it takes until another message may leave.
    pub(super) resend_after: Lifetime,
    /// Where every way to sign in is offered.
    pub(super) other_ways: &'a str,
    /// Where a telephone number is asked for.
    pub(super) by_phone: &'a str,
    pub(super) form: PageForm<'a>,
    /// The least number of characters of a password.
    pub(super) password_min: u32,
    /// Whether anybody may make an account.
    pub(super) is_open: bool,
}

impl FlowPageData<'_> {
    /// The page.
    pub(super) fn page(&self, frame: &PageFrame<'_>) -> String {
        match self.flow.stage() {
            FlowStage::SignIn => self.sign_in(frame),
            FlowStage::SecondFactor | FlowStage::Reauthenticate { .. } => self.again(frame),
            FlowStage::Details => self.details(frame),
            FlowStage::Address => self.address(frame),
            FlowStage::MailedProof(mailed) => self.mailed(mailed, frame),
            FlowStage::TextedProof(texted) => self.texted(texted, frame),
            FlowStage::NewPassword => self.new_password(frame),
            FlowStage::ChooseOrganization { choices } => self.organizations(choices, frame),
            FlowStage::Consent { question, .. } => {
                consent::page(question, self.person(), self.form, self.trouble(), frame)
            }
            FlowStage::Resume => {
                let address = format!("/connect/authorize?flow={}", self.flow.id());
                ContinueView { address: &address, application: self.application(frame) }.page(frame)
            }
            FlowStage::UserCode => self.user_code(frame),
            FlowStage::AtProvider(_) => match &self.offers.go_to {
                Some(address) => ProviderRedirectView { address }.page(frame),
                None => OutcomeNotice::ProviderAway.page(frame),
            },
            FlowStage::Enroll(enrolling) => self.enrol(enrolling.factor(), frame),
            FlowStage::Refused { .. } => OutcomeNotice::DeviceRefused.page(frame),
            FlowStage::Deciding | FlowStage::Finished(_) => OutcomeNotice::FlowOver.page(frame),
        }
    }

    fn sign_in(&self, frame: &PageFrame<'_>) -> String {
        let texts = self.takes(FlowAction::SmsCode);
        if texts && self.way == Some(SignInMethod::SmsCode) {
            return PhoneSignInView {
                form: self.form,
                action: FlowAction::SmsCode.name(),
                number: &self.flash.identifier,
                back: self.other_ways,
                trouble: self.trouble(),
            }
            .page(frame);
        }
        let known = match self.flow.purpose() {
            FlowPurpose::AcceptInvitation { address, .. } => address.as_str(),
            _ => "",
        };
        let typed = Some(self.flash.identifier.as_str()).filter(|typed| !typed.is_empty());
        let is_plain = self.flow.kind() == FlowKind::SignIn;
        SignInView {
            form: self.form,
            application: self.application(frame).or(self.around.organization.as_deref()),
            policy: consent::paper(self.around.privacy_policy_in(frame.language.tag())),
            terms: consent::paper(self.around.terms_in(frame.language.tag())),
            identifier: typed.unwrap_or(known),
            passkey: self.request(),
            ways: &self.ways(),
            by_phone: texts.then_some(self.by_phone),
            by_provider: self.takes(FlowAction::SingleSignOn),
            providers: &self.providers(),
            trouble: self.trouble(),
            reset: Some("/reset-password"),
            sign_up: (is_plain && self.is_open).then_some("/sign-up"),
        }
        .page(frame)
    }

    /// Somebody proves more, or proves it again: with what was asked for, or else with what comes first.
    fn again(&self, frame: &PageFrame<'_>) -> String {
        let ways = self.ways();
        let is_open = |way: &SignInMethod| ways.contains(way);
        let preferred = if self.flow.lacks_only_a_second() {
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
        let way = self.way.filter(is_open).or_else(|| preferred.into_iter().find(is_open));
        let others = |shown: &[SignInMethod]| {
            ways.iter().copied().filter(|way| !shown.contains(way)).collect::<Vec<_>>()
        };
        let asked = match way {
            // Whoever is signing in has a second thing to show; whoever is signed in shows once more who they are.
            Some(SignInMethod::Passkey)
                if self.is_second()
                    && let Some(ceremony) = self.request() =>
            {
                SecondFactorMethod::Passkey(ceremony)
            }
            Some(SignInMethod::Totp) => SecondFactorMethod::Totp,
            Some(SignInMethod::RecoveryCode) => SecondFactorMethod::RecoveryCode,
            Some(SignInMethod::SmsCode) => SecondFactorMethod::Sms,
            Some(SignInMethod::Provider) => SecondFactorMethod::Provider,
            _ => {
                let shown = [SignInMethod::Passkey, SignInMethod::Password];
                return self.known_person(is_open(&SignInMethod::Password), &others(&shown), frame);
            }
        };
        let shown: Vec<SignInMethod> = way.into_iter().collect();
        SecondFactorView { form: self.form, way: asked, others: &others(&shown), trouble: self.trouble() }
            .page(frame)
    }

    fn is_second(&self) -> bool {
        matches!(self.flow.stage(), FlowStage::SecondFactor)
    }

    fn known_person(&self, password: bool, others: &[SignInMethod], frame: &PageFrame<'_>) -> String {
        StepUpView {
            form: self.form,
            person: self.person(),
            application: self.application(frame),
            passkey: self.request(),
            password,
            others,
            trouble: self.trouble(),
        }
        .page(frame)
    }

    fn enrol(&self, factor: EnrollableFactor, frame: &PageFrame<'_>) -> String {
        let back = "/my-account";
        match (factor, self.creation(), &self.offers.totp) {
            (EnrollableFactor::Passkey, Some(ceremony), _) => PasskeyOfferView {
                form: self.form,
                action: FlowAction::PasskeyRegistration.name(),
                ceremony,
                names: true,
                skip: Some(back),
                trouble: self.trouble(),
            }
            .page(frame),
            (EnrollableFactor::Totp, _, Some(totp)) => TotpEnrolmentView {
                form: self.form,
                action: FlowAction::TotpConfirmation.name(),
                picture: &totp.qr_svg,
                secret: &totp.secret,
                back: Some(back),
                trouble: self.trouble(),
            }
            .page(frame),
            (EnrollableFactor::RecoveryCodes, _, _) => ConfirmationView {
                form: self.form,
                question: ConfirmationQuestion::RecoveryCodes,
                action: FlowAction::RecoveryCodes.name(),
                hidden: &[],
                back: Some(back),
                trouble: self.trouble(),
            }
            .page(frame),
            (EnrollableFactor::Passkey | EnrollableFactor::Totp, _, _) => OutcomeNotice::FlowOver.page(frame),
        }
    }

    fn application(&self, frame: &PageFrame<'_>) -> Option<&str> {
        self.around.application_in(frame.language.tag())
    }

    fn providers(&self) -> Vec<SignInProvider<'_>> {
        self.offers.providers.iter().map(|it| SignInProvider { connection: &it.0, name: &it.1 }).collect()
    }

    fn request(&self) -> Option<PasskeyCeremony<'_>> {
        self.offers.request.as_deref().map(|options| PasskeyCeremony { options })
    }

    fn creation(&self) -> Option<PasskeyCeremony<'_>> {
        self.offers.creation.as_deref().map(|options| PasskeyCeremony { options })
    }

    fn details(&self, frame: &PageFrame<'_>) -> String {
        let roles = frame.language.words().roles.read(self.around.roles.iter().map(String::as_str));
        let (occasion, email) = match self.flow.purpose() {
            FlowPurpose::AcceptInvitation { address, .. } => {
                let organization = self.around.organization.as_deref().unwrap_or_default();
                let invitation = SignUpInvitation { organization, roles: &roles };
                (SignUpReason::Invitation(invitation), address.as_str())
            }
            FlowPurpose::FirstOperator { .. } => {
                (SignUpReason::FirstOperator, self.flash.identifier.as_str())
            }
            _ => (SignUpReason::SignUp, self.flash.identifier.as_str()),
        };
        let asks: &[SignUpField] = if self.flow.knows_address() {
            &[SignUpField::Name, SignUpField::Password]
        } else {
            &[SignUpField::Name, SignUpField::Email, SignUpField::Password]
        };
        SignUpView {
            form: self.form,
            action: FlowAction::Details.name(),
            occasion,
            asks,
            name: &self.flash.name,
            email,
            passkey: self.creation(),
            password_min: self.password_min,
            sign_in: (self.flow.kind() == FlowKind::SignUp).then_some("/sign-in"),
            trouble: self.trouble(),
        }
        .page(frame)
    }

    fn address(&self, frame: &PageFrame<'_>) -> String {
        AddressRequestView {
            form: self.form,
            reason: AddressRequestReason::ForgottenPassword,
            action: FlowAction::Email.name(),
            identifier: &self.flash.identifier,
            back: "/sign-in",
            trouble: self.trouble(),
        }
        .page(frame)
    }

    fn mailed(&self, mailed: &EmailChallenge, frame: &PageFrame<'_>) -> String {
        use enter_code::CodePurpose::{Reset, SignIn, VerifyEmail};
        EnterCodeView {
            form: self.form,
            purpose: match self.flow.kind() {
                FlowKind::SignUp | FlowKind::VerifyEmail | FlowKind::ChangeEmail => VerifyEmail,
                FlowKind::ResetPassword => Reset,
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
            sent_to: mailed.address.as_str(),
            resend: FlowAction::Resend.name(),
            resend_after: self.resend_after(),
            restart: self.takes(FlowAction::Restart).then_some(FlowAction::Restart.name()),
            trouble: self.trouble(),
        }
        .page(frame)
    }

    /// Digits were sent to a telephone. Whoever has not typed its number here is shown only how it ends.
    fn texted(&self, texted: &SmsChallenge, frame: &PageFrame<'_>) -> String {
        let number = texted.number.as_str();
        let end = number.get(number.len().saturating_sub(2)..).unwrap_or_default();
        let (purpose, sent_to) = match (self.flow.kind(), texted.from.as_deref()) {
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
            resend_after: self.resend_after(),
            restart: self.takes(FlowAction::Restart).then_some(FlowAction::Restart.name()),
            trouble: self.trouble(),
        }
        .page(frame)
    }

    fn new_password(&self, frame: &PageFrame<'_>) -> String {
        SetPasswordView {
            form: self.form,
            action: FlowAction::NewPassword.name(),
            person: self.person(),
            occasion: PasswordOccasion::Replace,
            password_min: self.password_min,
            asks_current: false,
            access: &self.offers.choices(),
            back: None,
            trouble: self.trouble(),
        }
        .page(frame)
    }

    fn organizations(&self, choices: &[Chosen], frame: &PageFrame<'_>) -> String {
        let ids: Vec<String> = choices.iter().map(|choice| choice.organization.to_string()).collect();
        let choice = |(choice, id)| -> OrganizationChoiceView<'_> {
            let (choice, id): (&Chosen, &String) = (choice, id);
            OrganizationChoiceView { id, name: &choice.name, slug: &choice.slug }
        };
        let choices: Vec<OrganizationChoiceView<'_>> = choices.iter().zip(&ids).map(choice).collect();
        ChooseOrganizationView {
            form: self.form,
            application: self.application(frame),
            choices: &choices,
            trouble: self.trouble(),
        }
        .page(frame)
    }

    fn user_code(&self, frame: &PageFrame<'_>) -> String {
        let offered = self.flow.purpose().offered();
        let action = FlowAction::UserCode.name();
        UserCodeView { form: self.form, action, person: self.person(), offered, trouble: self.trouble() }
            .page(frame)
    }

    /// In whole seconds, rounded up.
    fn resend_after(&self) -> u64 {
        self.resend_after.as_duration().as_millis().div_ceil(1000).try_into().unwrap_or_default()
    }

    fn takes(&self, action: FlowAction) -> bool {
        self.flow.actions().contains(&action)
    }

    /// The sign-in methods that a page offers, by the actions that the flow accepts.
    fn ways(&self) -> Vec<SignInMethod> {
        let stage = self.flow.stage();
        self.flow.actions().into_iter().filter_map(|action| method_of(action, stage)).collect()
    }

    fn person(&self) -> &str {
        self.around.person.as_deref().unwrap_or_default()
    }

    fn trouble(&self) -> Option<FormError> {
        self.flash.trouble.map(FormError::from)
    }
}
