//! Consent and the person's own page, as a person meets them.

use super::Specimen;
use super::signing_in::{ACCESS, FORM, MAKE};
use crate::consent::{Asking, Consent, Detail, Device, Permission, Vouched};
use crate::enrol_totp::EnrolTotp;
use crate::language::Language;
use crate::moment::Moment;
use crate::my_account::{
    Application, Contact, Event, Link, Membership, MembershipState, MyAccount, Passkey, Provider, Request,
    Session, Totp,
};
use crate::notice::Notice;
use crate::offer_passkey::OfferPasskey;
use crate::onward::Onward;
use crate::recovery_codes::RecoveryCodes;
use crate::trouble::Trouble;
use crate::user_code::UserCode;
use crate::way::Way;

const ANA: &str = "ana@example.org";

const fn permission(text: &'static str) -> Permission<'static> {
    Permission { text, new: false, irreversible: false }
}

const CONSENT: Consent<'static> = Consent {
    form: FORM,
    application: "Ledger",
    agent: false,
    vouched: Vouched::Operator,
    person: ANA,
    organization: "Padaria da Esquina",
    leads_to: "ledger.example.com",
    loopback: false,
    device: None,
    approval: None,
    permissions: &[
        permission("Read invoices"),
        Permission { text: "Send payments", new: true, irreversible: true },
    ],
    claims: &[
        permission("Know that it is you"),
        permission("See your e-mail address"),
        Permission { text: "See your date of birth", new: true, irreversible: false },
    ],
    details: &[Detail {
        name: "payment",
        facts: &[("amount", "120.00"), ("currency", "EUR"), ("creditor", "Moinho Velho, Lda.")],
    }],
    policy: Some("https://ledger.example.com/privacy"),
    terms: None,
    trouble: None,
};

const CONSENT_IN_PORTUGUESE: Consent<'static> = Consent {
    permissions: &[
        permission("Ler faturas"),
        Permission { text: "Enviar pagamentos", new: true, irreversible: true },
    ],
    claims: &[
        permission("Saber que é você"),
        permission("Ver seu endereço de e-mail"),
        Permission { text: "Ver sua data de nascimento", new: true, irreversible: false },
    ],
    ..CONSENT
};

/// The question in the words of the reader, as APIs give them in both languages.
pub(super) const fn consent(language: Language) -> Consent<'static> {
    match language {
        Language::English => CONSENT,
        Language::Portuguese => CONSENT_IN_PORTUGUESE,
    }
}

const PICTURE: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 21 21" shape-rendering="crispEdges"><path d="M0 0h7v7H0zM1 1v5h5V1zM2 2h3v3H2zM14 0h7v7h-7zM15 1v5h5V1zM16 2h3v3h-3zM0 14h7v7H0zM1 15v5h5v-5zM2 16h3v3H2zM9 0h1v2H9zM11 1h2v1h-2zM8 3h2v1H8zM12 4h1v3h-1zM9 6h2v1H9zM0 8h2v1H0zM4 8h3v2H4zM9 8h2v2H9zM13 9h2v1h-2zM17 8h3v1h-3zM2 11h2v1H2zM7 11h1v2H7zM11 11h3v2h-3zM16 11h2v2h-2zM20 10h1v3h-1zM9 14h2v2H9zM13 14h1v3h-1zM16 15h3v1h-3zM10 18h2v2h-2zM15 18h1v3h-1zM18 17h3v2h-3z" fill="#000" fill-rule="evenodd"/></svg>"##;

const NOW: i64 = 1_794_722_700;
const DAY: i64 = 86_400;

const LEDGER: Application<'static> = Application {
    id: "1",
    name: "Ledger",
    organization: "Padaria da Esquina",
    may: &["Read invoices", "Send payments", "See your e-mail address"],
    since: Moment(NOW - 12 * DAY),
};

const fn here(device: &str) -> Session<'_> {
    Session { id: "1", device, place: "Lisboa, PT", seen: Moment(NOW), current: true }
}

const fn elsewhere(device: &str) -> Session<'_> {
    Session { id: "2", device, place: "São Paulo, BR", seen: Moment(NOW - 2 * DAY), current: false }
}

const fn signed_in(what: &str) -> Event<'_> {
    Event { what, about: "", at: Moment(NOW), place: "Lisboa, PT" }
}

const fn allowed(what: &str) -> Event<'_> {
    Event { what, about: "Ledger", at: Moment(NOW - 12 * DAY), place: "Lisboa, PT" }
}

const ACCOUNT: MyAccount<'static> = MyAccount {
    form: FORM,
    requests: &[Request { id: "1", application: "Ledger Agent", message: "4711", asked: Moment(NOW) }],
    name: "Ana Sousa",
    locale: None,
    emails: &[
        Contact { id: "1", value: ANA, verified: true, primary: true },
        Contact { id: "2", value: "ana.sousa@work.example.com", verified: false, primary: false },
    ],
    phones: &[Contact { id: "3", value: "+5581999990000", verified: true, primary: false }],
    texts: true,
    typed: None,
    passkeys: &[
        Passkey {
            id: "1",
            name: "iPhone",
            added: Moment(NOW - 90 * DAY),
            used: Some(Moment(NOW)),
            synced: true,
        },
        Passkey { id: "2", name: "Security key", added: Moment(NOW - 30 * DAY), used: None, synced: false },
    ],
    password_set: Some(Moment(NOW - 200 * DAY)),
    totp: Some(Totp { id: "3", added: Moment(NOW - 60 * DAY) }),
    enrols: &[Way::Passkey, Way::Password, Way::Totp, Way::RecoveryCode],
    recovery_left: Some(8),
    providers: &[
        Provider {
            name: "Padaria da Esquina",
            link: Link::Linked { id: "1", since: Moment(NOW - 90 * DAY) },
        },
        Provider { name: "Acme", link: Link::Possible { connection: "2", organization: "Acme" } },
    ],
    sessions: &[here("Firefox on Linux"), elsewhere("Safari on iPhone")],
    access: ACCESS,
    applications: &[LEDGER],
    memberships: &[
        Membership { organization: "Padaria da Esquina", roles: "owner", state: MembershipState::Usable },
        Membership { organization: "Acme", roles: "billing", state: MembershipState::Suspended },
    ],
    manages: true,
    events: &[
        signed_in(crate::words::ENGLISH.events.session_started),
        allowed(crate::words::ENGLISH.events.consent_given),
    ],
    saved: false,
    trouble: None,
};

const ACCOUNT_IN_PORTUGUESE: MyAccount<'static> = MyAccount {
    sessions: &[here("Firefox no Linux"), elsewhere("Safari no iPhone")],
    applications: &[Application {
        may: &["Ler faturas", "Enviar pagamentos", "Ver seu endereço de e-mail"],
        ..LEDGER
    }],
    events: &[
        signed_in(crate::words::PORTUGUESE.events.session_started),
        allowed(crate::words::PORTUGUESE.events.consent_given),
    ],
    ..ACCOUNT
};

/// The page in the words of the reader.
const fn account(language: Language) -> MyAccount<'static> {
    match language {
        Language::English => ACCOUNT,
        Language::Portuguese => ACCOUNT_IN_PORTUGUESE,
    }
}

const NEW_HERE: MyAccount<'static> = MyAccount {
    requests: &[],
    providers: &[],
    name: "",
    phones: &[],
    passkeys: &[],
    password_set: None,
    totp: None,
    recovery_left: None,
    access: &[],
    applications: &[],
    memberships: &[],
    manages: false,
    events: &[],
    saved: true,
    ..ACCOUNT
};

pub(super) const SPECIMENS: &[Specimen] = &[
    Specimen { name: "consent", page: |frame| consent(frame.language).page(frame) },
    Specimen {
        name: "consent-unverified",
        page: |frame| {
            Consent {
                application: "Notebook Agent",
                agent: true,
                vouched: Vouched::Nobody,
                leads_to: "127.0.0.1",
                loopback: true,
                permissions: &consent(frame.language).permissions[..1],
                claims: &[],
                details: &[],
                policy: None,
                ..CONSENT
            }
            .page(frame)
        },
    },
    Specimen {
        name: "device-code",
        page: |frame| {
            UserCode {
                form: FORM,
                action: "user_code",
                person: ANA,
                offered: None,
                trouble: Some(Trouble::WrongUserCode),
            }
            .page(frame)
        },
    },
    Specimen {
        name: "device-compare",
        page: |frame| {
            UserCode {
                form: FORM,
                action: "user_code",
                person: ANA,
                offered: Some("WDJB-MJHT"),
                trouble: None,
            }
            .page(frame)
        },
    },
    Specimen {
        name: "device-confirm",
        page: |frame| {
            let device =
                Device { name: "curl, Linux", from: "Recife, Brasil (203.0.113.7)", asked: Moment(NOW) };
            Consent {
                application: "Ledger TV",
                leads_to: "",
                device: Some(device),
                details: &[],
                ..consent(frame.language)
            }
            .page(frame)
        },
    },
    Specimen {
        name: "approve",
        page: |frame| {
            let asking = Asking {
                message: "Pay 120.00 EUR to Moinho Velho, Lda.",
                from: "Recife, Brasil (203.0.113.7)",
                asked: Moment(NOW),
            };
            Consent { agent: true, leads_to: "", approval: Some(asking), ..consent(frame.language) }
                .page(frame)
        },
    },
    Specimen { name: "request-approved", page: |frame| Notice::RequestApproved.page(frame) },
    Specimen { name: "request-denied", page: |frame| Notice::RequestDenied.page(frame) },
    Specimen { name: "request-refused", page: |frame| Notice::RequestRefused.page(frame) },
    Specimen { name: "request-over", page: |frame| Notice::RequestOver.page(frame) },
    Specimen { name: "device-allowed", page: |frame| Notice::DeviceAllowed.page(frame) },
    Specimen { name: "device-denied", page: |frame| Notice::DeviceDenied.page(frame) },
    Specimen { name: "device-refused", page: |frame| Notice::DeviceRefused.page(frame) },
    Specimen {
        name: "onward",
        page: |frame| {
            // Stays where it is, so that it can be looked at.
            Onward { address: "", application: Some("Ledger") }
                .page(frame)
                .replace("http-equiv=\"refresh\"", "name=\"onward\"")
        },
    },
    Specimen { name: "my-account", page: |frame| account(frame.language).page(frame) },
    Specimen {
        name: "my-account-new",
        page: |frame| MyAccount { sessions: account(frame.language).sessions, ..NEW_HERE }.page(frame),
    },
    Specimen {
        name: "add-passkey",
        page: |frame| {
            OfferPasskey {
                form: FORM,
                action: "passkey",
                ceremony: MAKE,
                names: true,
                skip: Some("/my-account"),
                trouble: None,
            }
            .page(frame)
        },
    },
    Specimen {
        name: "enrol-totp",
        page: |frame| {
            EnrolTotp {
                form: FORM,
                action: "totp",
                picture: PICTURE,
                secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                back: Some("/my-account"),
                trouble: None,
            }
            .page(frame)
        },
    },
    Specimen {
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
            RecoveryCodes { done: "/my-account", codes }.page(frame)
        },
    },
];
