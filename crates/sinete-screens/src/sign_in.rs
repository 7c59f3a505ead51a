//! The sign-in page: passkey, password, e-mail or identity provider. Nothing on the page depends on the
//! account, because the user is not known yet.

pub mod address_request;
pub mod choose_factor;
pub mod choose_organization;
pub mod enter_code;
pub mod passkey_offer;
pub mod phone_sign_in;
pub mod provider_redirect;
pub mod recovery_codes;
pub mod second_factor;
pub mod set_password;
pub mod sign_up;
pub mod step_up;
pub mod totp_enrolment;

use crate::form::{PageForm, PageLink, PasskeyCeremony};
use crate::form_error::{FormError, FormField};
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use crate::sign_in_method::SignInMethod;
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct SignInView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The application that requested the sign-in.
    pub application: Option<&'a str>,
    /// The application's privacy policy URL.
    pub policy: Option<&'a str>,
    /// The application's terms of service URL.
    pub terms: Option<&'a str>,
    /// The e-mail address, as entered before.
    pub identifier: &'a str,
    /// The options for a passkey.
    pub passkey: Option<PasskeyCeremony<'a>>,
    /// The other available methods.
    pub methods: &'a [SignInMethod],
    /// The URL of sign-in by phone number, if SMS delivery is configured.
    pub phone_url: Option<&'a str>,
    /// Whether an e-mail address can be routed to an organization's identity provider.
    pub has_provider_routing: bool,
    /// The identity providers of the organization in the request.
    pub providers: &'a [SignInProvider<'a>],
    /// The form error.
    pub error: Option<FormError>,
    /// The URL of the password reset.
    pub password_reset_url: Option<&'a str>,
    /// The link to sign-up.
    pub sign_up: Option<PageLink<'a>>,
}

/// An identity provider.
#[derive(Clone, Copy, Debug)]
pub struct SignInProvider<'a> {
    /// The connection id that the form submits.
    pub connection: &'a str,
    /// The display name.
    pub name: &'a str,
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    view: &'a SignInView<'a>,
    error: Option<String>,
    focus: Option<FormField>,
}

impl SignInView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&SignInPage {
            frame,
            phrases,
            title: phrases.sign_in.title,
            view: self,
            error: self.error.map(|error| error.text(frame.language)),
            focus: self
                .error
                .and_then(|error| error.focused_field(&[FormField::Identifier, FormField::Password])),
        })
    }
}

impl SignInPage<'_> {
    fn offers_method(&self, sign_in_method: SignInMethod) -> bool {
        self.view.methods.contains(&sign_in_method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;
    use crate::language::UiLanguage;

    fn view(sign_in_methods: &'static [SignInMethod]) -> SignInView<'static> {
        SignInView {
            form: PageForm { action: "/sign-in?flow=1", csrf: "token" },
            application: Some("Acme <b>"),
            policy: Some("https://acme.example/privacy?a=\"><b>"),
            terms: None,
            identifier: "\"><script>",
            passkey: None,
            methods: sign_in_methods,
            phone_url: None,
            has_provider_routing: false,
            providers: &[],
            error: None,
            password_reset_url: Some("/reset-password"),
            sign_up: None,
        }
    }

    #[test]
    fn sign_in_page_has_the_fields_password_managers_expect() {
        let brand = PageBranding::default();
        for language in UiLanguage::ALL {
            let page =
                view(&[SignInMethod::Password]).render(&PageFrame::without_script(language, "/id", &brand));
            for part in [
                "id=\"identifier\"",
                "autocomplete=\"username webauthn\"",
                "id=\"password\"",
                "autocomplete=\"current-password\"",
                "id=\"sign-in-submit\"",
                "action=\"/id/sign-in?flow=1\"",
                "name=\"csrf\" value=\"token\"",
            ] {
                assert!(page.contains(part), "{part}");
            }
            assert!(!page.contains("<script") && !page.contains("<b>"));
            assert!(page.contains("Acme &#60;b&#62;"));
            assert!(page.contains("href=\"https://acme.example/privacy?a=&#34;&#62;&#60;b&#62;\""), "{page}");
            assert_eq!(page.matches("noreferrer noopener").count(), 1, "there are no terms");
        }
    }

    #[test]
    fn sign_in_page_leads_to_sign_up_by_url_or_by_action() {
        let brand = PageBranding::default();
        let frame = PageFrame::without_script(UiLanguage::English, "/id", &brand);
        let page = |sign_up| SignInView { sign_up, ..view(&[SignInMethod::Password]) }.render(&frame);
        assert!(
            page(Some(PageLink::Path("/sign-up"))).contains("<a id=\"create-account\" href=\"/id/sign-up\"")
        );
        let action_page = page(Some(PageLink::Action("sign_up")));
        assert!(
            action_page.contains("id=\"create-account\" name=\"action\" value=\"sign_up\""),
            "{action_page}"
        );
        assert_eq!(action_page.matches("name=\"csrf\"").count(), 2);
        assert!(!page(None).contains("create-account"));
    }

    #[test]
    fn sign_in_page_hides_locked_methods() {
        let brand = PageBranding::default();
        let frame = PageFrame::without_script(UiLanguage::English, "", &brand);
        let page = view(&[SignInMethod::EmailCode]).render(&frame);
        assert!(page.contains("value=\"email\"") && !page.contains("id=\"password\""));
        assert!(!page.contains("use-sms_code") && !page.contains("data-passkey"));
        let page = SignInView { phone_url: Some("/sign-in?flow=1&way=sms_code"), ..view(&[]) }.render(&frame);
        assert!(
            page.contains("href=\"/sign-in?flow=1&#38;way=sms_code\"") && !page.contains("value=\"email\"")
        );
    }

    #[test]
    fn sign_in_page_offers_identity_providers_by_name_or_by_address() {
        let brand = PageBranding::default();
        let providers = &[SignInProvider { connection: "01936f5e", name: "Acme <b>" }];
        for language in UiLanguage::ALL {
            let frame = PageFrame::without_script(language, "", &brand);
            let page =
                SignInView { has_provider_routing: true, providers, ..view(&[SignInMethod::Password]) }
                    .render(&frame);
            assert!(page.contains("id=\"use-provider\" name=\"action\" value=\"single_sign_on\""), "{page}");
            assert!(
                page.contains("name=\"connection\" value=\"01936f5e\"") && page.contains("Acme &#60;b&#62;")
            );
            let page = view(&[SignInMethod::Password]).render(&frame);
            assert!(!page.contains("single_sign_on") && !page.contains("connection"));
        }
    }

    #[test]
    fn sign_in_page_announces_errors_and_focuses_their_field() {
        let brand = PageBranding::default();
        let frame = PageFrame::without_script(UiLanguage::English, "", &brand);
        let page = SignInView { error: Some(FormError::WrongCredentials), ..view(&[SignInMethod::Password]) }
            .render(&frame);
        assert!(page.contains("role=\"alert\"") && page.contains("That didn’t match"));
        let password = page.split("id=\"password\"").nth(1).unwrap();
        assert!(password.split('>').next().unwrap().contains("autofocus aria-invalid=\"true\""));
        assert_eq!(page.matches("autofocus").count(), 1);
    }
}
