//! The person's own page: who they are here, how they sign in, where they are, and who acts for them.

use crate::display_time::DisplayTime;
use crate::form::PageForm;
use crate::form_error::FormError;
use crate::language::UiLanguage;
use crate::lasting_access::AccessChoice;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use crate::sign_in_method::SignInMethod;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct MyAccountView<'a> {
    /// Where the forms go.
    pub form: PageForm<'a>,
    /// What waits for the person's answer.
    pub requests: &'a [ApprovalRequestItem<'a>],
    /// The person's name.
    pub name: &'a str,
    /// The language the person chose.
    pub locale: Option<UiLanguage>,
    /// E-mail addresses.
    pub emails: &'a [ContactItem<'a>],
    /// Telephone numbers.
    pub phones: &'a [ContactItem<'a>],
    /// Whether digits are sent to telephones, so that a number is worth adding.
    pub texts: bool,
    /// What was not right about an address or number, and how it was typed.
    pub typed: Option<(ContactInput, &'a str)>,
    /// Passkeys.
    pub passkeys: &'a [PasskeyItem<'a>],
    /// When the password was set, if there is one.
    pub password_set: Option<DisplayTime>,
    /// The authenticator app, if there is one.
    pub totp: Option<TotpItem<'a>>,
    /// What can be added or replaced here.
    pub enrols: &'a [SignInMethod],
    /// How many recovery codes are left, where there were any.
    pub recovery_left: Option<u32>,
    /// The providers of the person's organizations that know who they are, and those that could.
    pub providers: &'a [ProviderItem<'a>],
    /// Where the person is signed in.
    pub sessions: &'a [SessionItem<'a>],
    /// What acts for the person without a session, and ends when they sign out everywhere.
    pub access: &'a [AccessChoice<'a>],
    /// What acts for the person.
    pub applications: &'a [AuthorizedApplicationItem<'a>],
    /// Where the person belongs.
    pub memberships: &'a [MembershipItem<'a>],
    /// Whether the person has something to manage on the console.
    pub manages: bool,
    /// What happened lately.
    pub events: &'a [ActivityItem<'a>],
    /// Whether something was just saved.
    pub saved: bool,
    /// What was not right.
    pub trouble: Option<FormError>,
}

/// What an application asks the person to approve.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalRequestItem<'a> {
    /// By which it is looked at and answered.
    pub id: &'a str,
    /// What the application calls itself.
    pub application: &'a str,
    /// What it asks the person to compare.
    pub message: &'a str,
    /// When it asked.
    pub asked: DisplayTime,
}

/// A provider that somebody can be signed in by.
#[derive(Clone, Copy, Debug)]
pub struct ProviderItem<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Whether it knows whose account this is.
    pub link: ProviderLinkState<'a>,
}

/// Whether a provider knows whose account this is.
#[derive(Clone, Copy, Debug)]
pub enum ProviderLinkState<'a> {
    /// It does, and the person can sign in with it.
    Linked {
        /// What the form names it by.
        id: &'a str,
        /// Since when.
        since: DisplayTime,
    },
    /// It does, and nobody can sign in with it now.
    Unusable {
        /// What the form names it by.
        id: &'a str,
        /// Since when.
        since: DisplayTime,
    },
    /// It could.
    Linkable {
        /// What the form names the connection to it by.
        connection: &'a str,
        /// Whose it is.
        organization: &'a str,
    },
}

/// What somebody typed to be reached at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactInput {
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
}

/// An address or a number.
#[derive(Clone, Copy, Debug)]
pub struct ContactItem<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// The address or number.
    pub value: &'a str,
    /// Whether it was shown to be the person's own.
    pub verified: bool,
    /// Whether it is the one that is used first.
    pub primary: bool,
}

/// A passkey.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyItem<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// What the person calls it.
    pub name: &'a str,
    /// Since when.
    pub added: DisplayTime,
    /// When it was last used.
    pub used: Option<DisplayTime>,
    /// Whether it is copied between devices.
    pub synced: bool,
}

/// An authenticator app.
#[derive(Clone, Copy, Debug)]
pub struct TotpItem<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// Since when.
    pub added: DisplayTime,
}

/// A place where the person is signed in.
#[derive(Clone, Copy, Debug)]
pub struct SessionItem<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// The device, as far as it says.
    pub device: &'a str,
    /// Where it is, as far as that is known.
    pub place: &'a str,
    /// When it was last used.
    pub seen: DisplayTime,
    /// Whether it is the one that reads this.
    pub current: bool,
}

/// An application that acts for the person.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizedApplicationItem<'a> {
    /// What the form names it by.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The organization it is about.
    pub organization: &'a str,
    /// What it may do and know, in plain words.
    pub may: &'a [&'a str],
    /// Since when.
    pub since: DisplayTime,
}

/// An organization the person belongs to.
#[derive(Clone, Copy, Debug)]
pub struct MembershipItem<'a> {
    /// Its name.
    pub organization: &'a str,
    /// The person's roles in it.
    pub roles: &'a str,
    /// Whether it can be used.
    pub state: MembershipState,
}

/// Whether a membership can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MembershipState {
    /// It can.
    Usable,
    /// The organization is suspended.
    Suspended,
    /// The membership is switched off.
    Disabled,
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub struct ActivityItem<'a> {
    /// What, in plain words.
    pub what: &'a str,
    /// The name of what had a part in it, as far as that is known.
    pub about: &'a str,
    /// When.
    pub at: DisplayTime,
    /// Where from, as far as that is known.
    pub place: &'a str,
}

#[derive(Template)]
#[template(path = "my_account.html")]
struct MyAccountPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    who: &'a str,
    view: &'a MyAccountView<'a>,
    trouble: Option<String>,
}

impl MyAccountView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let named = Some(self.name).filter(|name| !name.is_empty());
        let who = named.or(self.emails.first().map(|contact| contact.value)).unwrap_or(words.account.title);
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render_template(&MyAccountPage { frame, words, title: words.account.title, who, view: self, trouble })
    }
}

/// What an event of this kind is to whoever it happened to; nothing for what concerns only those who run the service.
pub fn activity_text(kind: &str, language: UiLanguage) -> Option<&'static str> {
    let words = &language.words().events;
    Some(match kind {
        "account.created" => words.account_created,
        "session.started" => words.session_started,
        "session.renewed" => words.session_renewed,
        "session.ended" => words.session_ended,
        "sign_in.new_device" => words.new_device,
        "sign_in.impossible_travel" => words.impossible_travel,
        "sign_in.disavowed" => words.disavowed,
        "credential.failed" => words.credential_failed,
        "credential.added" => words.credential_added,
        "credential.renamed" => words.credential_renamed,
        "credential.removed" => words.credential_removed,
        "credential.disabled" => words.credential_disabled,
        "password.set" => words.password_set,
        "contact.added" => words.contact_added,
        "contact.verified" => words.contact_verified,
        "contact.made_primary" => words.contact_made_primary,
        "contact.removed" => words.contact_removed,
        "email.changed" => words.email_changed,
        "email.restored" => words.email_restored,
        "account.changed" => words.account_changed,
        "account.exported" => words.account_exported,
        "account.disabled" => words.account_disabled,
        "account.enabled" => words.account_enabled,
        "account.sessions_ended" => words.account_sessions_ended,
        "account.reset_started" => words.account_reset_started,
        "consent.given" => words.consent_given,
        "consent.denied" => words.consent_denied,
        "device.allowed" => words.device_allowed,
        "device.denied" => words.device_denied,
        "approval.given" => words.approval_given,
        "approval.denied" => words.approval_denied,
        "application.removed" => words.application_removed,
        "invitation.accepted" => words.invitation_accepted,
        "membership.ended" => words.membership_ended,
        _ => return None,
    })
}

impl MyAccountPage<'_> {
    /// How many recovery codes are left; none counts too, where there is something they stand in for.
    fn codes_left(&self) -> Option<u32> {
        self.view.recovery_left.or(self.view.totp.map(|_| 0))
    }

    /// Whether a form is open, because what was typed there was not right.
    fn is_open(&self, kind: ContactInput) -> bool {
        self.view.typed.is_some_and(|(typed, _)| typed == kind)
    }

    /// What was typed there.
    fn typed_input(&self, kind: ContactInput) -> &str {
        self.view.typed.filter(|(typed, _)| *typed == kind).map_or("", |(_, text)| text)
    }

    fn can_enroll(&self, way: SignInMethod) -> bool {
        self.view.enrols.contains(&way)
    }

    fn is_chosen(&self, language: &UiLanguage) -> bool {
        self.view.locale == Some(*language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branding::PageBranding;

    const NOTHING: MyAccountView<'static> = MyAccountView {
        form: PageForm { action: "/my-account", csrf: "token" },
        requests: &[],
        name: "Ana",
        locale: None,
        emails: &[],
        phones: &[],
        texts: false,
        typed: None,
        passkeys: &[],
        password_set: None,
        totp: Some(TotpItem { id: "1", added: DisplayTime(0) }),
        enrols: &[],
        recovery_left: None,
        providers: &[],
        sessions: &[],
        access: &[],
        applications: &[],
        memberships: &[],
        manages: false,
        events: &[],
        saved: false,
        trouble: None,
    };

    #[test]
    fn recovery_codes_left_are_counted_in_every_language() {
        let brand = PageBranding::default();
        for (left, english, portuguese) in [
            (None, "None left.", "Não resta nenhum."),
            (Some(1), "One left.", "Resta um."),
            (Some(2), "2 left.", "Restam 2."),
            (Some(10), "10 left.", "Restam 10."),
        ] {
            let view = MyAccountView { recovery_left: left, ..NOTHING };
            let page = |language| view.render(&PageFrame::without_script(language, "", &brand));
            assert!(page(UiLanguage::English).contains(english), "{left:?}");
            assert!(page(UiLanguage::Portuguese).contains(portuguese), "{left:?}");
        }
    }

    #[test]
    fn account_page_refills_invalid_input_and_asks_for_a_phone_only_with_sms() {
        let brand = PageBranding::default();
        let frame = PageFrame::without_script(UiLanguage::English, "", &brand);
        let typed = Some((ContactInput::Email, "\"><b>"));
        let page = MyAccountView { typed, trouble: Some(FormError::BadEmail), ..NOTHING }.render(&frame);
        assert!(
            page.contains("id=\"change-email\" open") && page.contains("value=\"&#34;&#62;&#60;b&#62;\"")
        );
        assert!(!page.contains("id=\"add-phone\"") && !page.contains("<b>"));
        let page = MyAccountView { texts: true, ..NOTHING }.render(&frame);
        assert!(page.contains("id=\"add-phone\"") && !page.contains("id=\"add-phone\" open"));
    }

    #[test]
    fn account_page_shows_pending_requests_and_identity_providers_when_present() {
        let brand = PageBranding::default();
        for language in UiLanguage::ALL {
            let frame = PageFrame::without_script(language, "/id", &brand);
            let page = NOTHING.render(&frame);
            assert!(!page.contains("id=\"requests\"") && !page.contains("id=\"providers\""));
            let request =
                ApprovalRequestItem { id: "7", application: "<b>", message: "4711", asked: DisplayTime(0) };
            let possible = ProviderLinkState::Linkable { connection: "8", organization: "Acme" };
            let linked = ProviderLinkState::Linked { id: "9", since: DisplayTime(0) };
            let providers = [possible, linked].map(|link| ProviderItem { name: "Login", link });
            let page =
                MyAccountView { requests: &[request], providers: &providers, ..NOTHING }.render(&frame);
            assert!(page.contains("href=\"/id/approve?request=7\"") && page.contains("4711"));
            assert!(page.contains("name=\"deny_request\" value=\"7\""));
            assert!(page.contains("name=\"link_identity\" value=\"8\""));
            assert!(page.contains("name=\"unlink_identity\" value=\"9\"") && !page.contains("<b>"));
        }
    }
}
