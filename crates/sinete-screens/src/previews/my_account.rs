//! Previews of the consent page and the account page.

use super::PagePreview;
use super::sign_in::{FORM, LONG_LIVED_ACCESS, PASSKEY_CREATION};
use crate::accounts::activity::ActivityItem;
use crate::accounts::my_account::{
    ApprovalRequestItem, AuthorizedApplicationItem, ContactItem, MembershipItem, MembershipState,
    MyAccountView, PasskeyItem, ProviderItem, ProviderLinkState, SessionItem, TotpItem,
};
use crate::display_time::DisplayTime;
use crate::form_error::FormError;
use crate::language::UiLanguage;
use crate::notice::OutcomeNotice;
use crate::oauth::client_redirect::ContinueView;
use crate::oauth::consent::{ConsentApproval, ConsentDevice, ConsentView, TrustLabel};
use crate::oauth::user_code::UserCodeView;
use crate::sample_pages::sample_consent;
use crate::sign_in::passkey_offer::PasskeyOfferView;
use crate::sign_in::recovery_codes::RecoveryCodesView;
use crate::sign_in::totp_enrolment::TotpEnrolmentView;
use crate::sign_in_method::SignInMethod;

const ANA: &str = "ana@example.org";

const PICTURE: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 21 21" shape-rendering="crispEdges"><path d="M0 0h7v7H0zM1 1v5h5V1zM2 2h3v3H2zM14 0h7v7h-7zM15 1v5h5V1zM16 2h3v3h-3zM0 14h7v7H0zM1 15v5h5v-5zM2 16h3v3H2zM9 0h1v2H9zM11 1h2v1h-2zM8 3h2v1H8zM12 4h1v3h-1zM9 6h2v1H9zM0 8h2v1H0zM4 8h3v2H4zM9 8h2v2H9zM13 9h2v1h-2zM17 8h3v1h-3zM2 11h2v1H2zM7 11h1v2H7zM11 11h3v2h-3zM16 11h2v2h-2zM20 10h1v3h-1zM9 14h2v2H9zM13 14h1v3h-1zM16 15h3v1h-3zM10 18h2v2h-2zM15 18h1v3h-1zM18 17h3v2h-3z" fill="#000" fill-rule="evenodd"/></svg>"##;

const NOW: i64 = 1_794_722_700;
const DAY: i64 = 86_400;

const LEDGER: AuthorizedApplicationItem<'static> = AuthorizedApplicationItem {
    id: "1",
    name: "Ledger",
    organization: "Padaria da Esquina",
    permissions: &["Read invoices", "Send payments", "See your e-mail address"],
    since: DisplayTime(NOW - 12 * DAY),
    used: Some(DisplayTime(NOW - DAY)),
};

const CLERK: AuthorizedApplicationItem<'static> = AuthorizedApplicationItem {
    id: "2",
    name: "Invoice clerk",
    organization: "Padaria da Esquina",
    permissions: &["Read invoices"],
    since: DisplayTime(NOW - 3 * DAY),
    used: Some(DisplayTime(NOW)),
};

const fn current_session(device: &str) -> SessionItem<'_> {
    SessionItem { id: "1", device, location: "Lisboa, PT", last_used: DisplayTime(NOW), current: true }
}

const fn other_session(device: &str) -> SessionItem<'_> {
    SessionItem {
        id: "2",
        device,
        location: "São Paulo, BR",
        last_used: DisplayTime(NOW - 2 * DAY),
        current: false,
    }
}

const fn sign_in_event(event: &str) -> ActivityItem<'_> {
    ActivityItem { event, object: "", at: DisplayTime(NOW), location: "Lisboa, PT" }
}

const fn consent_event(event: &str) -> ActivityItem<'_> {
    ActivityItem { event, object: "Ledger", at: DisplayTime(NOW - 12 * DAY), location: "Lisboa, PT" }
}

const ACCOUNT: MyAccountView<'static> = MyAccountView {
    form: FORM,
    requests: &[ApprovalRequestItem {
        id: "1",
        application: "Ledger Agent",
        message: "4711",
        requested_at: DisplayTime(NOW),
    }],
    name: "Ana Sousa",
    picture: None,
    locale: None,
    emails: &[
        ContactItem { id: "1", value: ANA, verified: true, primary: true },
        ContactItem { id: "2", value: "ana.sousa@work.example.com", verified: false, primary: false },
    ],
    phones: &[ContactItem { id: "3", value: "+5581999990000", verified: true, primary: false }],
    is_sms_available: true,
    rejected_contact: None,
    passkeys: &[
        PasskeyItem {
            id: "1",
            name: "iPhone",
            added: DisplayTime(NOW - 90 * DAY),
            used: Some(DisplayTime(NOW)),
            synced: true,
        },
        PasskeyItem {
            id: "2",
            name: "Security key",
            added: DisplayTime(NOW - 30 * DAY),
            used: None,
            synced: false,
        },
    ],
    password_set: Some(DisplayTime(NOW - 200 * DAY)),
    totp: Some(TotpItem { id: "3", added: DisplayTime(NOW - 60 * DAY) }),
    enrollable_methods: &[
        SignInMethod::Passkey,
        SignInMethod::Password,
        SignInMethod::Totp,
        SignInMethod::RecoveryCode,
    ],
    recovery_codes_left: Some(8),
    providers: &[
        ProviderItem {
            name: "Padaria da Esquina",
            link: ProviderLinkState::Linked { id: "1", since: DisplayTime(NOW - 90 * DAY) },
        },
        ProviderItem {
            name: "Acme",
            link: ProviderLinkState::Linkable { connection: "2", organization: "Acme" },
        },
    ],
    sessions: &[current_session("Firefox on Linux"), other_session("Safari on iPhone")],
    access: LONG_LIVED_ACCESS,
    agents: &[CLERK],
    applications: &[LEDGER],
    memberships: &[
        MembershipItem { organization: "Padaria da Esquina", roles: "owner", state: MembershipState::Usable },
        MembershipItem { organization: "Acme", roles: "billing", state: MembershipState::Suspended },
    ],
    console_path: Some("/console"),
    events: &[
        sign_in_event(UiLanguage::English.phrases().activity.session_started),
        consent_event(UiLanguage::English.phrases().activity.consent_given),
    ],
    saved: false,
    error: None,
};

const ACCOUNT_IN_PORTUGUESE: MyAccountView<'static> = MyAccountView {
    sessions: &[current_session("Firefox no Linux"), other_session("Safari no iPhone")],
    agents: &[AuthorizedApplicationItem {
        name: "Assistente de faturas",
        permissions: &["Ler faturas"],
        ..CLERK
    }],
    applications: &[AuthorizedApplicationItem {
        permissions: &["Ler faturas", "Enviar pagamentos", "Ver seu endereço de e-mail"],
        ..LEDGER
    }],
    events: &[
        sign_in_event(UiLanguage::Portuguese.phrases().activity.session_started),
        consent_event(UiLanguage::Portuguese.phrases().activity.consent_given),
    ],
    ..ACCOUNT
};

/// The account page with texts in this language.
const fn sample_account(language: UiLanguage) -> MyAccountView<'static> {
    language.choose_description(ACCOUNT, ACCOUNT_IN_PORTUGUESE)
}

const NEW_ACCOUNT: MyAccountView<'static> = MyAccountView {
    requests: &[],
    providers: &[],
    name: "",
    picture: None,
    phones: &[],
    passkeys: &[],
    password_set: None,
    totp: None,
    recovery_codes_left: None,
    access: &[],
    agents: &[],
    applications: &[],
    memberships: &[],
    console_path: None,
    events: &[],
    saved: true,
    ..ACCOUNT
};

pub(super) const PREVIEWS: &[PagePreview] = &[
    PagePreview { name: "consent", page: |frame| sample_consent(frame.language).render(frame) },
    PagePreview {
        name: "consent-unverified",
        page: |frame| {
            ConsentView {
                application: "Notebook Agent",
                agent: true,
                trust: TrustLabel::Unverified,
                redirect_host: "127.0.0.1",
                loopback: true,
                permissions: &sample_consent(frame.language).permissions[..1],
                claims: &[],
                details: &[],
                policy: None,
                ..sample_consent(frame.language)
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "device-code",
        page: |frame| {
            UserCodeView {
                form: FORM,
                action: "user_code",
                account_label: ANA,
                prefilled_code: None,
                error: Some(FormError::WrongUserCode),
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "device-compare",
        page: |frame| {
            UserCodeView {
                form: FORM,
                action: "user_code",
                account_label: ANA,
                prefilled_code: Some("WDJB-MJHT"),
                error: None,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "device-confirm",
        page: |frame| {
            let device = ConsentDevice {
                name: "curl, Linux",
                from: "Recife, Brasil (203.0.113.7)",
                requested_at: DisplayTime(NOW),
            };
            ConsentView {
                application: "Ledger TV",
                redirect_host: "",
                device: Some(device),
                details: &[],
                ..sample_consent(frame.language)
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "approve",
        page: |frame| {
            let consent_approval = ConsentApproval {
                message: "Pay 120.00 EUR to Moinho Velho, Lda.",
                from: "Recife, Brasil (203.0.113.7)",
                requested_at: DisplayTime(NOW),
            };
            ConsentView {
                agent: true,
                redirect_host: "",
                approval: Some(consent_approval),
                ..sample_consent(frame.language)
            }
            .render(frame)
        },
    },
    PagePreview { name: "request-approved", page: |frame| OutcomeNotice::RequestApproved.render(frame) },
    PagePreview { name: "request-denied", page: |frame| OutcomeNotice::RequestDenied.render(frame) },
    PagePreview { name: "request-refused", page: |frame| OutcomeNotice::RequestRefused.render(frame) },
    PagePreview { name: "request-expired", page: |frame| OutcomeNotice::RequestClosed.render(frame) },
    PagePreview { name: "device-approved", page: |frame| OutcomeNotice::DeviceAllowed.render(frame) },
    PagePreview { name: "device-denied", page: |frame| OutcomeNotice::DeviceDenied.render(frame) },
    PagePreview { name: "device-refused", page: |frame| OutcomeNotice::DeviceRefused.render(frame) },
    PagePreview {
        name: "redirect",
        page: |frame| {
            // An empty address, so that the preview does not navigate away.
            ContinueView { address: "", application: Some("Ledger") }
                .render(frame)
                .replace("http-equiv=\"refresh\"", "name=\"onward\"")
        },
    },
    PagePreview { name: "my-account", page: |frame| sample_account(frame.language).render(frame) },
    PagePreview {
        name: "my-account-new",
        page: |frame| {
            MyAccountView { sessions: sample_account(frame.language).sessions, ..NEW_ACCOUNT }.render(frame)
        },
    },
    PagePreview {
        name: "add-passkey",
        page: |frame| {
            PasskeyOfferView {
                form: FORM,
                action: "passkey",
                ceremony: PASSKEY_CREATION,
                can_name_passkey: true,
                skip: Some("/my-account"),
                restart: None,
                error: None,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "enrol-totp",
        page: |frame| {
            TotpEnrolmentView {
                form: FORM,
                action: "totp",
                picture: PICTURE,
                secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                uri: "otpauth://totp/localhost:ana?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=localhost",
                cancel_url: Some("/my-account"),
                restart: None,
                error: None,
            }
            .render(frame)
        },
    },
    PagePreview {
        name: "recovery-codes",
        page: |frame| {
            let codes = &[
                "k7mq-2x9d-tw4e-8c5h-n3vz-6rjp-y2ba",
                "p3vb-8rzc-n6ya-4tqk-w9ds-2mxf-h7ge",
                "h5jt-4kwm-q2sd-7xbn-c8yr-5vpa-z3ef",
                "w9xe-7bnp-c3gr-2jqh-t6mv-8dks-y4az",
                "m2yd-6tqh-z8fk-5wcr-b7np-3gxe-v9sj",
                "r4ac-9vsj-e7xb-6dkt-q2wm-8hnz-p5yf",
                "t6gn-3pmw-k5hq-9rcx-y7bd-4vje-s2za",
                "b8zr-5dyc-j2vt-3fkn-x6hq-7mwp-e9ga",
                "q2wk-7hxe-m9sn-4pbd-r5vy-8tcz-j3fa",
                "y3fp-4cbj-r6gd-9xwm-k2tn-7qhs-v5ez",
            ];
            RecoveryCodesView { continue_url: "/my-account", codes }.render(frame)
        },
    },
];
