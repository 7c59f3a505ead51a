//! Signing in: a passkey, a password, or a message to the person's own address. Nothing on the page depends on
//! who is asking, because nobody has said so yet.

use crate::form::{Ceremony, Form};
use crate::page::{Frame, render};
use crate::trouble::{Field, Trouble};
use crate::way::Way;
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct SignIn<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// The application that sent the person here.
    pub application: Option<&'a str>,
    /// Where its makers say what they do with what they learn.
    pub policy: Option<&'a str>,
    /// Where its makers say on what terms it is used.
    pub terms: Option<&'a str>,
    /// The address, as it was typed before.
    pub identifier: &'a str,
    /// What the browser is told to ask a passkey with.
    pub passkey: Option<Ceremony<'a>>,
    /// The other ways that are open.
    pub ways: &'a [Way],
    /// Where a telephone number is asked for instead, where digits are sent to telephones.
    pub by_phone: Option<&'a str>,
    /// Whether an address can lead to a provider of an organization.
    pub by_provider: bool,
    /// The providers of the organization that this is about.
    pub providers: &'a [Provider<'a>],
    /// What was not right.
    pub trouble: Option<Trouble>,
    /// Where a forgotten password is reset.
    pub reset: Option<&'a str>,
    /// Where an account is made.
    pub sign_up: Option<&'a str>,
}

/// A provider at which somebody may sign in.
#[derive(Clone, Copy, Debug)]
pub struct Provider<'a> {
    /// By what it is chosen.
    pub connection: &'a str,
    /// What people know it by.
    pub name: &'a str,
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    view: &'a SignIn<'a>,
    trouble: Option<String>,
    focus: Option<Field>,
}

impl SignIn<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&Page {
            frame,
            words,
            title: words.sign_in.title,
            view: self,
            trouble: self.trouble.map(|trouble| trouble.text(frame.language)),
            focus: self.trouble.and_then(|trouble| trouble.field(&[Field::Identifier, Field::Password])),
        })
    }
}

impl Page<'_> {
    fn has(&self, way: Way) -> bool {
        self.view.ways.contains(&way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brand::Brand;
    use crate::language::Language;

    fn view(ways: &'static [Way]) -> SignIn<'static> {
        SignIn {
            form: Form { action: "/sign-in?flow=1", csrf: "token" },
            application: Some("Acme <b>"),
            policy: Some("https://acme.example/privacy?a=\"><b>"),
            terms: None,
            identifier: "\"><script>",
            passkey: None,
            ways,
            by_phone: None,
            by_provider: false,
            providers: &[],
            trouble: None,
            reset: Some("/reset-password"),
            sign_up: None,
        }
    }

    #[test]
    fn what_scripts_and_password_managers_look_for_is_where_they_look() {
        let brand = Brand::default();
        for language in Language::ALL {
            let page = view(&[Way::Password]).page(&Frame::plain(language, "/id", &brand));
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
    fn a_way_that_is_closed_is_not_offered() {
        let brand = Brand::default();
        let frame = Frame::plain(Language::English, "", &brand);
        let page = view(&[Way::EmailCode]).page(&frame);
        assert!(page.contains("value=\"email\"") && !page.contains("id=\"password\""));
        assert!(!page.contains("use-sms_code") && !page.contains("data-passkey"));
        let page = SignIn { by_phone: Some("/sign-in?flow=1&way=sms_code"), ..view(&[]) }.page(&frame);
        assert!(
            page.contains("href=\"/sign-in?flow=1&#38;way=sms_code\"") && !page.contains("value=\"email\"")
        );
    }

    #[test]
    fn a_provider_is_offered_by_name_where_it_is_known_and_by_address_where_it_is_not() {
        let brand = Brand::default();
        let providers = &[Provider { connection: "01936f5e", name: "Acme <b>" }];
        for language in Language::ALL {
            let frame = Frame::plain(language, "", &brand);
            let page = SignIn { by_provider: true, providers, ..view(&[Way::Password]) }.page(&frame);
            assert!(page.contains("id=\"use-provider\" name=\"action\" value=\"single_sign_on\""), "{page}");
            assert!(
                page.contains("name=\"connection\" value=\"01936f5e\"") && page.contains("Acme &#60;b&#62;")
            );
            let page = view(&[Way::Password]).page(&frame);
            assert!(!page.contains("single_sign_on") && !page.contains("connection"));
        }
    }

    #[test]
    fn trouble_is_announced_and_the_cursor_is_where_it_is() {
        let brand = Brand::default();
        let frame = Frame::plain(Language::English, "", &brand);
        let page = SignIn { trouble: Some(Trouble::WrongProof), ..view(&[Way::Password]) }.page(&frame);
        assert!(page.contains("role=\"alert\"") && page.contains("did not match"));
        let password = page.split("id=\"password\"").nth(1).unwrap();
        assert!(password.split('>').next().unwrap().contains("autofocus aria-invalid=\"true\""));
        assert_eq!(page.matches("autofocus").count(), 1);
    }
}
