//! Samples of the pages that branding changes, with sample data and without a script. The console shows them.

use crate::form::{PageForm, PageLink, PasskeyCeremony};
use crate::language::UiLanguage;
use crate::oauth::consent::{ConsentDetail, ConsentPermission, ConsentView, TrustLabel};
use crate::page::PageFrame;
use crate::sign_in::SignInView;
use crate::sign_in_method::SignInMethod;

/// A page of which there is a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplePage {
    /// The sign-in page.
    SignIn,
    /// The consent page.
    Consent,
    /// A message. It is not rendered here.
    Email,
}

impl SamplePage {
    /// All samples.
    pub const ALL: [Self; 3] = [Self::SignIn, Self::Consent, Self::Email];

    /// The name in a form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::Consent => "consent",
            Self::Email => "email",
        }
    }

    /// Finds a sample by its name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|page| page.name() == name)
    }
}

/// Renders the sign-in page or the consent page of an organization or the instance; `None` for a message.
pub fn render_sample_page(page: SamplePage, frame: &PageFrame<'_>) -> Option<String> {
    // The sample runs no script and leads nowhere.
    let frame = PageFrame { nonce: "", current_path: "", ..*frame };
    match page {
        SamplePage::SignIn => Some(sample_sign_in().render(&frame)),
        SamplePage::Consent => {
            let trust = match &frame.brand.instance_name {
                Some(_) => TrustLabel::Organization(&frame.brand.name),
                None => TrustLabel::Operator,
            };
            let view = ConsentView { trust, details: &[], ..sample_consent(frame.language) };
            Some(view.render(&frame))
        }
        SamplePage::Email => None,
    }
}

pub(crate) const FORM: PageForm<'static> = PageForm { action: "/sign-in?flow=01936f5e", csrf: "specimen" };
pub(crate) const PASSKEY_ASSERTION: PasskeyCeremony<'static> = PasskeyCeremony {
    options: r#"{"challenge":"c3BlY2ltZW4","rpId":"localhost","userVerification":"required"}"#,
};

const SIGN_IN: SignInView<'static> = SignInView {
    form: FORM,
    application: Some("Ledger"),
    policy: Some("https://ledger.example.com/privacy"),
    terms: Some("https://ledger.example.com/terms"),
    identifier: "",
    passkey: Some(PASSKEY_ASSERTION),
    methods: &[SignInMethod::Password, SignInMethod::EmailCode],
    phone_url: Some("/sign-in?flow=01936f5e&way=sms_code"),
    has_provider_routing: true,
    providers: &[],
    error: None,
    password_reset_url: Some("/reset-password"),
    sign_up: Some(PageLink::Path("/sign-up")),
};

/// The sign-in page.
pub(crate) const fn sample_sign_in() -> SignInView<'static> {
    SIGN_IN
}

const fn sample_permission(text: &'static str) -> ConsentPermission<'static> {
    ConsentPermission { text, new: false, irreversible: false }
}

const CONSENT: ConsentView<'static> = ConsentView {
    form: FORM,
    application: "Ledger",
    agent: false,
    trust: TrustLabel::Operator,
    account_label: "ana@example.org",
    organization: "Padaria da Esquina",
    redirect_host: "ledger.example.com",
    loopback: false,
    device: None,
    approval: None,
    permissions: &[
        sample_permission("Read invoices"),
        ConsentPermission { text: "Send payments", new: true, irreversible: true },
    ],
    claims: &[
        sample_permission("Know that it is you"),
        sample_permission("See your e-mail address"),
        ConsentPermission { text: "See your date of birth", new: true, irreversible: false },
    ],
    details: &[ConsentDetail {
        name: "payment",
        facts: &[("amount", "120.00"), ("currency", "EUR"), ("creditor", "Moinho Velho, Lda.")],
    }],
    policy: Some("https://ledger.example.com/privacy"),
    terms: None,
    error: None,
};

const CONSENT_IN_PORTUGUESE: ConsentView<'static> = ConsentView {
    permissions: &[
        sample_permission("Ler faturas"),
        ConsentPermission { text: "Enviar pagamentos", new: true, irreversible: true },
    ],
    claims: &[
        sample_permission("Saber que é você"),
        sample_permission("Ver seu endereço de e-mail"),
        ConsentPermission { text: "Ver sua data de nascimento", new: true, irreversible: false },
    ],
    ..CONSENT
};

/// The consent page with texts in this language, as APIs provide them.
pub(crate) const fn sample_consent(language: UiLanguage) -> ConsentView<'static> {
    language.choose_description(CONSENT, CONSENT_IN_PORTUGUESE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::{BrandMark, PageBranding};

    #[test]
    fn sample_pages_show_the_branding_and_have_no_script() {
        let page_branding =
            PageBranding::default().for_organization("Padaria".to_owned(), None, Some("/c.css".into()));
        let brand = PageBranding {
            mark: BrandMark::Inline("data:image/png;base64,AAAA".to_owned()),
            ..page_branding
        };
        for language in UiLanguage::ALL {
            let frame = PageFrame {
                nonce: "n",
                current_path: "/x",
                ..PageFrame::without_script(language, "/id", &brand)
            };
            for page in [SamplePage::SignIn, SamplePage::Consent] {
                let html = render_sample_page(page, &frame).unwrap();
                assert!(html.contains("Padaria") && html.contains("/id/c.css"), "{html}");
                assert!(html.contains("src=\"data:image/png;base64,AAAA\""), "{html}");
                assert!(!html.contains("<script"), "{html}");
                assert_eq!(SamplePage::from_name(page.name()), Some(page));
            }
            assert_eq!(render_sample_page(SamplePage::Email, &frame), None);
        }
        assert_eq!(SamplePage::from_name("other"), None);
    }
}
