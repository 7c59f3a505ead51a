//! Signing in and signing up, as a person meets them.

use super::Specimen;
use crate::access::AccessChoice;
use crate::authorization_error::{AuthorizationError, Problem};
use crate::choose_organization::{Choice, ChooseOrganization};
use crate::confirm::{Confirm, Question};
use crate::enter_code::{self, EnterCode};
use crate::form::{Ceremony, Form};
use crate::landing::{Landing, Purpose};
use crate::moment::Moment;
use crate::not_found::NotFound;
use crate::notice::Notice;
use crate::offer_passkey::OfferPasskey;
use crate::reset_password::{AskAddress, Reason};
use crate::second_factor::{Asked, SecondFactor};
use crate::server_error::ServerError;
use crate::set_password::{Occasion as PasswordOccasion, SetPassword};
use crate::sign_in::{Provider, SignIn};
use crate::sign_in_by_phone::SignInByPhone;
use crate::sign_up::{Ask, Invitation, Occasion, SignUp};
use crate::step_up::StepUp;
use crate::to_provider::ToProvider;
use crate::trouble::Trouble;
use crate::unavailable::Unavailable;
use crate::way::Way;

pub(super) const FORM: Form<'static> = Form { action: "/sign-in?flow=01936f5e", csrf: "specimen" };
const ASK: Ceremony<'static> =
    Ceremony { options: r#"{"challenge":"c3BlY2ltZW4","rpId":"localhost","userVerification":"required"}"# };
pub(super) const MAKE: Ceremony<'static> = Ceremony {
    options: r#"{"challenge":"c3BlY2ltZW4","rp":{"id":"localhost","name":"Sinete"},"user":{"id":"c3BlY2ltZW4","name":"ana@example.org","displayName":"Ana Sousa"},"pubKeyCredParams":[{"type":"public-key","alg":-7}]}"#,
};
const ANA: &str = "ana@example.org";

pub(super) const SIGN_IN: SignIn<'static> = SignIn {
    form: FORM,
    application: Some("Ledger"),
    policy: Some("https://ledger.example.com/privacy"),
    terms: Some("https://ledger.example.com/terms"),
    identifier: "",
    passkey: Some(ASK),
    ways: &[Way::Password, Way::EmailCode],
    by_phone: Some("/sign-in?flow=01936f5e&way=sms_code"),
    by_provider: true,
    providers: &[],
    trouble: None,
    reset: Some("/reset-password"),
    sign_up: Some("/sign-up"),
};
const CODE: EnterCode<'static> = EnterCode {
    form: FORM,
    purpose: enter_code::Purpose::SignIn,
    action: "email_code",
    sent_to: ANA,
    resend: "send_code",
    resend_after: 42,
    restart: Some("restart"),
    trouble: None,
};
const SECOND: SecondFactor<'static> = SecondFactor {
    form: FORM,
    way: Asked::Totp,
    others: &[Way::Passkey, Way::RecoveryCode, Way::SmsCode],
    trouble: None,
};
const SIGN_UP: SignUp<'static> = SignUp {
    form: FORM,
    action: "sign_up",
    occasion: Occasion::SignUp,
    asks: &[Ask::Name, Ask::Email, Ask::Password],
    name: "",
    email: "",
    passkey: Some(MAKE),
    password_min: 15,
    sign_in: Some("/sign-in"),
    trouble: None,
};
const LANDING: Confirm<'static> = Confirm {
    form: FORM,
    question: Question::SignIn(Some(ANA)),
    action: "magic_link",
    hidden: &[("token", "specimen")],
    back: None,
    trouble: None,
};

pub(super) const ACCESS: &[AccessChoice<'static>] = &[
    AccessChoice {
        id: "application:01936f5e-7c2a-7def-8a1b-2c3d4e5f6071:ledger",
        name: "Ledger",
        organization: "Padaria da Esquina",
        is_key: false,
        since: Moment(1_790_000_000),
    },
    AccessChoice {
        id: "api_key:01936f5e-7c2a-7def-8a1b-2c3d4e5f6072",
        name: "Nightly report",
        organization: "Padaria da Esquina",
        is_key: true,
        since: Moment(1_780_000_000),
    },
];

pub(super) const SPECIMENS: &[Specimen] = &[
    Specimen { name: "sign-in", page: |frame| SIGN_IN.page(frame) },
    Specimen {
        name: "sign-in-trouble",
        page: |frame| SignIn { identifier: ANA, trouble: Some(Trouble::WrongProof), ..SIGN_IN }.page(frame),
    },
    Specimen {
        name: "sign-in-by-phone",
        page: |frame| {
            SignInByPhone {
                form: FORM,
                action: "sms_code",
                number: "",
                back: "/sign-in?flow=01936f5e",
                trouble: None,
            }
            .page(frame)
        },
    },
    Specimen {
        name: "enter-texted-code",
        page: |frame| {
            let purpose = enter_code::Purpose::SignInByPhone;
            EnterCode { purpose, sent_to: "+5581999990000", ..CODE }.page(frame)
        },
    },
    Specimen { name: "magic-link", page: |frame| LANDING.page(frame) },
    Specimen { name: "enter-code", page: |frame| CODE.page(frame) },
    Specimen {
        name: "enter-code-trouble",
        page: |frame| EnterCode { trouble: Some(Trouble::WrongCode), ..CODE }.page(frame),
    },
    Specimen { name: "second-factor", page: |frame| SECOND.page(frame) },
    Specimen {
        name: "second-factor-recovery",
        page: |frame| SecondFactor { way: Asked::RecoveryCode, others: &[Way::Totp], ..SECOND }.page(frame),
    },
    Specimen {
        name: "second-factor-sms",
        page: |frame| SecondFactor { way: Asked::Sms, others: &[Way::Totp], ..SECOND }.page(frame),
    },
    Specimen {
        name: "second-factor-passkey",
        page: |frame| SecondFactor { way: Asked::Passkey(ASK), ..SECOND }.page(frame),
    },
    Specimen {
        name: "step-up",
        page: |frame| {
            StepUp {
                form: FORM,
                person: ANA,
                application: Some("Ledger"),
                passkey: Some(ASK),
                password: true,
                others: &[],
                trouble: None,
            }
            .page(frame)
        },
    },
    Specimen { name: "sign-up", page: |frame| SIGN_UP.page(frame) },
    Specimen {
        name: "verify-email",
        page: |frame| {
            EnterCode { purpose: enter_code::Purpose::VerifyEmail, restart: None, ..CODE }.page(frame)
        },
    },
    Specimen {
        name: "verify-phone",
        page: |frame| {
            let purpose = enter_code::Purpose::VerifyPhone;
            EnterCode { purpose, sent_to: "+5581999990000", restart: None, ..CODE }.page(frame)
        },
    },
    Specimen {
        name: "verify-email-link",
        page: |frame| Confirm { question: Question::VerifyEmail(Some(ANA)), ..LANDING }.page(frame),
    },
    Specimen { name: "email-verified", page: |frame| Notice::EmailVerified.page(frame) },
    Specimen {
        name: "offer-passkey",
        page: |frame| {
            OfferPasskey {
                form: FORM,
                action: "passkey",
                ceremony: MAKE,
                names: false,
                skip: Some("/my-account"),
                trouble: None,
            }
            .page(frame)
        },
    },
    Specimen {
        name: "reset-password",
        page: |frame| {
            AskAddress {
                form: FORM,
                reason: Reason::ForgottenPassword,
                action: "send_code",
                identifier: "",
                back: "/sign-in",
                trouble: None,
            }
            .page(frame)
        },
    },
    Specimen {
        name: "set-password",
        page: |frame| {
            SetPassword {
                form: FORM,
                action: "set_password",
                person: ANA,
                occasion: PasswordOccasion::Replace,
                password_min: 15,
                asks_current: false,
                access: ACCESS,
                back: None,
                trouble: Some(Trouble::PasswordShort(15)),
            }
            .page(frame)
        },
    },
    Specimen {
        name: "change-password",
        page: |frame| {
            SetPassword {
                form: FORM,
                action: "choose_password",
                person: ANA,
                occasion: PasswordOccasion::Replace,
                password_min: 15,
                asks_current: true,
                access: &[],
                back: Some("/my-account"),
                trouble: None,
            }
            .page(frame)
        },
    },
    Specimen { name: "password-changed", page: |frame| Notice::PasswordChanged.page(frame) },
    Specimen {
        name: "choose-organization",
        page: |frame| {
            ChooseOrganization {
                form: FORM,
                application: Some("Ledger"),
                choices: &[
                    Choice { id: "1", name: "Acme", slug: "acme" },
                    Choice { id: "2", name: "Padaria da Esquina", slug: "padaria-da-esquina" },
                    Choice { id: "3", name: "Home", slug: "home" },
                ],
                trouble: None,
            }
            .page(frame)
        },
    },
    Specimen {
        name: "accept-invitation",
        page: |frame| {
            let invitation = Invitation { organization: "Padaria da Esquina", roles: "billing" };
            SignUp {
                occasion: Occasion::Invitation(invitation),
                asks: &[Ask::Name, Ask::Password],
                email: ANA,
                sign_in: None,
                ..SIGN_UP
            }
            .page(frame)
        },
    },
    Specimen {
        name: "first-operator",
        page: |frame| {
            SignUp {
                occasion: Occasion::FirstOperator,
                asks: &[Ask::Name, Ask::Email, Ask::Password],
                sign_in: None,
                ..SIGN_UP
            }
            .page(frame)
        },
    },
    Specimen {
        name: "confirm-sign-out",
        page: |frame| {
            Confirm { question: Question::SignOut, hidden: &[], back: Some("/my-account"), ..LANDING }
                .page(frame)
        },
    },
    Specimen {
        name: "make-recovery-codes",
        page: |frame| {
            Confirm { question: Question::RecoveryCodes, hidden: &[], back: Some("/my-account"), ..LANDING }
                .page(frame)
        },
    },
    Specimen { name: "signed-out", page: |frame| Notice::SignedOut.page(frame) },
    Specimen { name: "finished-elsewhere", page: |frame| Notice::FinishedElsewhere.page(frame) },
    Specimen { name: "email-restored", page: |frame| Notice::EmailRestored.page(frame) },
    Specimen {
        name: "not-me",
        page: |frame| Confirm { question: Question::NotMe(ACCESS), ..LANDING }.page(frame),
    },
    Specimen { name: "disavowed", page: |frame| Notice::Disavowed.page(frame) },
    Specimen {
        name: "undo-email",
        page: |frame| Confirm { question: Question::UndoEmail, ..LANDING }.page(frame),
    },
    Specimen { name: "form-refused", page: |frame| Notice::FormRefused.page(frame) },
    Specimen { name: "link-spent", page: |frame| Notice::LinkSpent.page(frame) },
    Specimen { name: "provider-away", page: |frame| Notice::ProviderAway.page(frame) },
    Specimen {
        name: "to-provider",
        page: |frame| {
            let page = ToProvider { address: "https://login.acme.example/authorize" }.page(frame);
            // Whoever looks at it is not led away.
            page.replace("http-equiv=\"refresh\"", "name=\"onward\"")
        },
    },
    Specimen {
        name: "sign-in-with-provider",
        page: |frame| {
            let providers = &[Provider { connection: "01936f5e", name: "Acme" }];
            SignIn { providers, ..SIGN_IN }.page(frame)
        },
    },
    Specimen { name: "invited-only", page: |frame| Notice::InvitedOnly.page(frame) },
    Specimen { name: "flow-over", page: |frame| Notice::FlowOver.page(frame) },
    Specimen {
        name: "authorization-error",
        page: |frame| {
            AuthorizationError {
                problem: Problem::Request,
                told: Some(("invalid_request", "the redirect address is not registered")),
                reference: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
                onward: None,
            }
            .page(frame)
        },
    },
    Specimen {
        name: "leaving",
        page: |frame| {
            AuthorizationError {
                problem: Problem::Leaving("agent.example.net"),
                told: None,
                reference: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
                onward: Some(("agent.example.net", "https://agent.example.net/callback?error=access_denied")),
            }
            .page(frame)
        },
    },
    Specimen {
        name: "landing",
        page: |frame| Landing { issuer: "http://localhost:8080", purpose: Purpose::Development }.page(frame),
    },
    Specimen { name: "not-found", page: |frame| NotFound.page(frame) },
    Specimen {
        name: "server-error",
        page: |frame| ServerError { reference: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071" }.page(frame),
    },
    Specimen { name: "unavailable", page: |frame| Unavailable::Ours.page(frame) },
    Specimen { name: "too-many", page: |frame| Unavailable::TooMany.page(frame) },
];
