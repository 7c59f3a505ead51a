//! From where a flow stands to the page that shows it. Nothing is decided here: what can be said at a stage is what
//! the flow says it takes.

use super::consent;
use super::offered::Offered;
use crate::screens::flash::Flash;
use sinete_core::flow::Flow;
use sinete_core::flow::action::Action;
use sinete_core::flow::credential::enrolling::Factor;
use sinete_core::flow::purpose::{FlowKind, Purpose};
use sinete_core::flow::stage::{Choice as Chosen, Mailed, Stage, Texted};
use sinete_core::time::Lifetime;
use sinete_engine::flows::Around;
use sinete_screens::choose_organization::{Choice, ChooseOrganization};
use sinete_screens::confirm::{Confirm, Question};
use sinete_screens::enrol_totp::EnrolTotp;
use sinete_screens::enter_code::{self, EnterCode};
use sinete_screens::form::{Ceremony, Form};
use sinete_screens::notice::Notice;
use sinete_screens::offer_passkey::OfferPasskey;
use sinete_screens::onward::Onward;
use sinete_screens::page::Frame;
use sinete_screens::reset_password::{AskAddress, Reason};
use sinete_screens::second_factor::{Asked, SecondFactor};
use sinete_screens::set_password::{Occasion as PasswordOccasion, SetPassword};
use sinete_screens::sign_in::{Provider, SignIn};
use sinete_screens::sign_in_by_phone::SignInByPhone;
use sinete_screens::sign_up::{Ask, Invitation, Occasion, SignUp};
use sinete_screens::step_up::StepUp;
use sinete_screens::to_provider::ToProvider;
use sinete_screens::trouble::Trouble;
use sinete_screens::user_code::UserCode;
use sinete_screens::way::Way;

/// Everything a page is made of.
pub(super) struct Shown<'a> {
    pub(super) flow: &'a Flow,
    pub(super) around: &'a Around,
    pub(super) flash: &'a Flash,
    pub(super) offers: &'a Offered,
    /// The way that was asked for, where another would be shown first.
    pub(super) way: Option<Way>,
    /// How long it takes until another message may leave.
    pub(super) resend_after: Lifetime,
    /// Where every way to sign in is offered.
    pub(super) other_ways: &'a str,
    /// Where a telephone number is asked for.
    pub(super) by_phone: &'a str,
    pub(super) form: Form<'a>,
    /// The least number of characters of a password.
    pub(super) password_min: u32,
    /// Whether anybody may make an account.
    pub(super) is_open: bool,
}

impl Shown<'_> {
    /// The page.
    pub(super) fn page(&self, frame: &Frame<'_>) -> String {
        match self.flow.stage() {
            Stage::SignIn => self.sign_in(frame),
            Stage::SecondFactor | Stage::Reauthenticate { .. } => self.again(frame),
            Stage::Details => self.details(frame),
            Stage::Address => self.address(frame),
            Stage::MailedProof(mailed) => self.mailed(mailed, frame),
            Stage::TextedProof(texted) => self.texted(texted, frame),
            Stage::NewPassword => self.new_password(frame),
            Stage::ChooseOrganization { choices } => self.organizations(choices, frame),
            Stage::Consent { question, .. } => {
                consent::page(question, self.person(), self.form, self.trouble(), frame)
            }
            Stage::Resume => {
                let address = format!("/connect/authorize?flow={}", self.flow.id());
                Onward { address: &address, application: self.application(frame) }.page(frame)
            }
            Stage::UserCode => self.user_code(frame),
            Stage::AtProvider(_) => match &self.offers.go_to {
                Some(address) => ToProvider { address }.page(frame),
                None => Notice::ProviderAway.page(frame),
            },
            Stage::Enroll(enrolling) => self.enrol(enrolling.factor(), frame),
            Stage::Refused { .. } => Notice::DeviceRefused.page(frame),
            Stage::Deciding | Stage::Finished(_) => Notice::FlowOver.page(frame),
        }
    }

    fn sign_in(&self, frame: &Frame<'_>) -> String {
        let texts = self.takes(Action::SmsCode);
        if texts && self.way == Some(Way::SmsCode) {
            return SignInByPhone {
                form: self.form,
                action: Action::SmsCode.name(),
                number: &self.flash.identifier,
                back: self.other_ways,
                trouble: self.trouble(),
            }
            .page(frame);
        }
        let known = match self.flow.purpose() {
            Purpose::AcceptInvitation { address, .. } => address.as_str(),
            _ => "",
        };
        let typed = Some(self.flash.identifier.as_str()).filter(|typed| !typed.is_empty());
        let is_plain = self.flow.kind() == FlowKind::SignIn;
        SignIn {
            form: self.form,
            application: self.application(frame).or(self.around.organization.as_deref()),
            policy: consent::paper(self.around.privacy_policy_in(frame.language.tag())),
            terms: consent::paper(self.around.terms_in(frame.language.tag())),
            identifier: typed.unwrap_or(known),
            passkey: self.request(),
            ways: &self.ways(),
            by_phone: texts.then_some(self.by_phone),
            by_provider: self.takes(Action::SingleSignOn),
            providers: &self.providers(),
            trouble: self.trouble(),
            reset: Some("/reset-password"),
            sign_up: (is_plain && self.is_open).then_some("/sign-up"),
        }
        .page(frame)
    }

    /// Somebody proves more, or proves it again: with what was asked for, or else with what comes first.
    fn again(&self, frame: &Frame<'_>) -> String {
        let ways = self.ways();
        let is_open = |way: &Way| ways.contains(way);
        let preferred = if self.flow.lacks_only_a_second() {
            [Way::Totp, Way::Passkey, Way::SmsCode, Way::RecoveryCode, Way::Password, Way::Provider]
        } else {
            [Way::Passkey, Way::Password, Way::Provider, Way::Totp, Way::SmsCode, Way::RecoveryCode]
        };
        let way = self.way.filter(is_open).or_else(|| preferred.into_iter().find(is_open));
        let others =
            |shown: &[Way]| ways.iter().copied().filter(|way| !shown.contains(way)).collect::<Vec<_>>();
        let asked = match way {
            // Whoever is signing in has a second thing to show; whoever is signed in shows once more who they are.
            Some(Way::Passkey)
                if self.is_second()
                    && let Some(ceremony) = self.request() =>
            {
                Asked::Passkey(ceremony)
            }
            Some(Way::Totp) => Asked::Totp,
            Some(Way::RecoveryCode) => Asked::RecoveryCode,
            Some(Way::SmsCode) => Asked::Sms,
            Some(Way::Provider) => Asked::Provider,
            _ => {
                let shown = [Way::Passkey, Way::Password];
                return self.known_person(is_open(&Way::Password), &others(&shown), frame);
            }
        };
        let shown: Vec<Way> = way.into_iter().collect();
        SecondFactor { form: self.form, way: asked, others: &others(&shown), trouble: self.trouble() }
            .page(frame)
    }

    fn is_second(&self) -> bool {
        matches!(self.flow.stage(), Stage::SecondFactor)
    }

    fn known_person(&self, password: bool, others: &[Way], frame: &Frame<'_>) -> String {
        StepUp {
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

    fn enrol(&self, factor: Factor, frame: &Frame<'_>) -> String {
        let back = "/my-account";
        match (factor, self.creation(), &self.offers.totp) {
            (Factor::Passkey, Some(ceremony), _) => OfferPasskey {
                form: self.form,
                action: Action::PasskeyRegistration.name(),
                ceremony,
                names: true,
                skip: Some(back),
                trouble: self.trouble(),
            }
            .page(frame),
            (Factor::Totp, _, Some(totp)) => EnrolTotp {
                form: self.form,
                action: Action::TotpConfirmation.name(),
                picture: &totp.qr_svg,
                secret: &totp.secret,
                back: Some(back),
                trouble: self.trouble(),
            }
            .page(frame),
            (Factor::RecoveryCodes, _, _) => Confirm {
                form: self.form,
                question: Question::RecoveryCodes,
                action: Action::RecoveryCodes.name(),
                hidden: &[],
                back: Some(back),
                trouble: self.trouble(),
            }
            .page(frame),
            (Factor::Passkey | Factor::Totp, _, _) => Notice::FlowOver.page(frame),
        }
    }

    fn application(&self, frame: &Frame<'_>) -> Option<&str> {
        self.around.application_in(frame.language.tag())
    }

    fn providers(&self) -> Vec<Provider<'_>> {
        self.offers.providers.iter().map(|it| Provider { connection: &it.0, name: &it.1 }).collect()
    }

    fn request(&self) -> Option<Ceremony<'_>> {
        self.offers.request.as_deref().map(|options| Ceremony { options })
    }

    fn creation(&self) -> Option<Ceremony<'_>> {
        self.offers.creation.as_deref().map(|options| Ceremony { options })
    }

    fn details(&self, frame: &Frame<'_>) -> String {
        let roles = frame.language.words().roles.read(self.around.roles.iter().map(String::as_str));
        let (occasion, email) = match self.flow.purpose() {
            Purpose::AcceptInvitation { address, .. } => {
                let organization = self.around.organization.as_deref().unwrap_or_default();
                let invitation = Invitation { organization, roles: &roles };
                (Occasion::Invitation(invitation), address.as_str())
            }
            Purpose::FirstOperator { .. } => (Occasion::FirstOperator, self.flash.identifier.as_str()),
            _ => (Occasion::SignUp, self.flash.identifier.as_str()),
        };
        let asks: &[Ask] = if self.flow.knows_address() {
            &[Ask::Name, Ask::Password]
        } else {
            &[Ask::Name, Ask::Email, Ask::Password]
        };
        SignUp {
            form: self.form,
            action: Action::Details.name(),
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

    fn address(&self, frame: &Frame<'_>) -> String {
        AskAddress {
            form: self.form,
            reason: Reason::ForgottenPassword,
            action: Action::Email.name(),
            identifier: &self.flash.identifier,
            back: "/sign-in",
            trouble: self.trouble(),
        }
        .page(frame)
    }

    fn mailed(&self, mailed: &Mailed, frame: &Frame<'_>) -> String {
        use enter_code::Purpose::{Reset, SignIn, VerifyEmail};
        EnterCode {
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
            action: Action::Code.name(),
            sent_to: mailed.address.as_str(),
            resend: Action::Resend.name(),
            resend_after: self.resend_after(),
            restart: self.takes(Action::Restart).then_some(Action::Restart.name()),
            trouble: self.trouble(),
        }
        .page(frame)
    }

    /// Digits were sent to a telephone. Whoever has not typed its number here is shown only how it ends.
    fn texted(&self, texted: &Texted, frame: &Frame<'_>) -> String {
        let number = texted.number.as_str();
        let end = number.get(number.len().saturating_sub(2)..).unwrap_or_default();
        let (purpose, sent_to) = match (self.flow.kind(), texted.from.as_deref()) {
            (FlowKind::VerifyPhone, _) => (enter_code::Purpose::VerifyPhone, number.to_owned()),
            (_, Some(Stage::SignIn)) => (enter_code::Purpose::SignInByPhone, number.to_owned()),
            (_, _) => (enter_code::Purpose::SecondFactor, format!("••• {end}")),
        };
        EnterCode {
            form: self.form,
            purpose,
            action: Action::Code.name(),
            sent_to: &sent_to,
            resend: Action::Resend.name(),
            resend_after: self.resend_after(),
            restart: self.takes(Action::Restart).then_some(Action::Restart.name()),
            trouble: self.trouble(),
        }
        .page(frame)
    }

    fn new_password(&self, frame: &Frame<'_>) -> String {
        SetPassword {
            form: self.form,
            action: Action::NewPassword.name(),
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

    fn organizations(&self, choices: &[Chosen], frame: &Frame<'_>) -> String {
        let ids: Vec<String> = choices.iter().map(|choice| choice.organization.to_string()).collect();
        let choice = |(choice, id)| -> Choice<'_> {
            let (choice, id): (&Chosen, &String) = (choice, id);
            Choice { id, name: &choice.name, slug: &choice.slug }
        };
        let choices: Vec<Choice<'_>> = choices.iter().zip(&ids).map(choice).collect();
        ChooseOrganization {
            form: self.form,
            application: self.application(frame),
            choices: &choices,
            trouble: self.trouble(),
        }
        .page(frame)
    }

    fn user_code(&self, frame: &Frame<'_>) -> String {
        let offered = self.flow.purpose().offered();
        let action = Action::UserCode.name();
        UserCode { form: self.form, action, person: self.person(), offered, trouble: self.trouble() }
            .page(frame)
    }

    /// In whole seconds, rounded up.
    fn resend_after(&self) -> u64 {
        self.resend_after.as_duration().as_millis().div_ceil(1000).try_into().unwrap_or_default()
    }

    fn takes(&self, action: Action) -> bool {
        self.flow.actions().contains(&action)
    }

    /// The ways that a page offers, by what the flow takes.
    fn ways(&self) -> Vec<Way> {
        let way = |action: Action| match action {
            Action::Password => Some(Way::Password),
            Action::Email => Some(Way::EmailCode),
            // The first page asks for an address; a number is asked for where it is known whose.
            Action::SmsCode if matches!(self.flow.stage(), Stage::SignIn) => None,
            Action::SmsCode => Some(Way::SmsCode),
            Action::Passkey => Some(Way::Passkey),
            Action::Totp => Some(Way::Totp),
            Action::RecoveryCode => Some(Way::RecoveryCode),
            // The first page has a button for it; whoever is known is asked for it by itself.
            Action::SingleSignOn if matches!(self.flow.stage(), Stage::SignIn) => None,
            Action::SingleSignOn => Some(Way::Provider),
            Action::Code
            | Action::Resend
            | Action::Details
            | Action::NewPassword
            | Action::UserCode
            | Action::ChooseOrganization
            | Action::Consent
            | Action::PasskeyRegistration
            | Action::TotpConfirmation
            | Action::RecoveryCodes
            | Action::ProviderAnswer
            | Action::Restart => None,
        };
        self.flow.actions().into_iter().filter_map(way).collect()
    }

    fn person(&self) -> &str {
        self.around.person.as_deref().unwrap_or_default()
    }

    fn trouble(&self) -> Option<Trouble> {
        self.flash.trouble.map(Trouble::from)
    }
}
