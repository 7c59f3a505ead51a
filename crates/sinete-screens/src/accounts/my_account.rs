//! The account page: profile, contacts, credentials, sessions, applications and recent activity.

use super::activity::ActivityItem;
use crate::display_time::DisplayTime;
use crate::form::PageForm;
use crate::form_error::FormError;
use crate::language::UiLanguage;
use crate::locales::LocalePhrases;
use crate::long_lived_access::LongLivedAccessItem;
use crate::page::{PageFrame, render_template};
use crate::sign_in_method::SignInMethod;
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct MyAccountView<'a> {
    /// The forms' action and CSRF token.
    pub form: PageForm<'a>,
    /// The CIBA requests that wait for the user's response.
    pub requests: &'a [ApprovalRequestItem<'a>],
    /// The user's name.
    pub name: &'a str,
    /// The path of the picture, if the user set one.
    pub picture: Option<&'a str>,
    /// The user's preferred language.
    pub locale: Option<UiLanguage>,
    /// E-mail addresses.
    pub emails: &'a [ContactItem<'a>],
    /// Phone numbers.
    pub phones: &'a [ContactItem<'a>],
    /// Whether SMS delivery is configured, so that phone numbers can be added.
    pub is_sms_available: bool,
    /// The rejected contact and its input, if the form is shown again.
    pub rejected_contact: Option<(ContactInput, &'a str)>,
    /// Passkeys.
    pub passkeys: &'a [PasskeyItem<'a>],
    /// When the password was set, if there is one.
    pub password_set: Option<DisplayTime>,
    /// The authenticator app, if there is one.
    pub totp: Option<TotpItem<'a>>,
    /// The credential kinds that can be added or replaced.
    pub enrollable_methods: &'a [SignInMethod],
    /// The number of unused recovery codes, if there were any.
    pub recovery_codes_left: Option<u32>,
    /// The identity providers of the user's organizations that are linked or can be linked.
    pub providers: &'a [ProviderItem<'a>],
    /// The user's sessions.
    pub sessions: &'a [SessionItem<'a>],
    /// Access without a session that ends when the user signs out everywhere.
    pub access: &'a [LongLivedAccessItem<'a>],
    /// The agents that act for the user.
    pub agents: &'a [AuthorizedApplicationItem<'a>],
    /// The applications that the user authorized.
    pub applications: &'a [AuthorizedApplicationItem<'a>],
    /// The user's memberships.
    pub memberships: &'a [MembershipItem<'a>],
    /// Where the console begins for the user, if they may use it.
    pub console_path: Option<&'static str>,
    /// Recent activity.
    pub events: &'a [ActivityItem<'a>],
    /// Whether a form was just saved.
    pub saved: bool,
    /// The form error.
    pub error: Option<FormError>,
}

/// A CIBA request that waits for approval.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalRequestItem<'a> {
    /// The id, for viewing and responding.
    pub id: &'a str,
    /// The application's name.
    pub application: &'a str,
    /// The binding message.
    pub message: &'a str,
    /// When it was made.
    pub requested_at: DisplayTime,
}

/// An identity provider.
#[derive(Clone, Copy, Debug)]
pub struct ProviderItem<'a> {
    /// The name.
    pub name: &'a str,
    /// Whether it is linked to this account.
    pub link: ProviderLinkState<'a>,
}

/// Whether an identity provider is linked to this account.
#[derive(Clone, Copy, Debug)]
pub enum ProviderLinkState<'a> {
    /// Linked, and can be used to sign in.
    Linked {
        /// The id that the form submits.
        id: &'a str,
        /// The date it was added.
        since: DisplayTime,
    },
    /// Linked, but currently not usable.
    Unusable {
        /// The id that the form submits.
        id: &'a str,
        /// The date it was added.
        since: DisplayTime,
    },
    /// Not linked, but can be.
    Linkable {
        /// The connection id that the form submits.
        connection: &'a str,
        /// The organization's name.
        organization: &'a str,
    },
}

/// The kind of contact that the user entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactInput {
    /// An e-mail address.
    Email,
    /// A phone number.
    Phone,
}

/// A contact.
#[derive(Clone, Copy, Debug)]
pub struct ContactItem<'a> {
    /// The id that the form submits.
    pub id: &'a str,
    /// The address or number.
    pub value: &'a str,
    /// Whether it is verified.
    pub verified: bool,
    /// Whether it is the primary one.
    pub primary: bool,
}

/// A passkey.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyItem<'a> {
    /// The id that the form submits.
    pub id: &'a str,
    /// The user's name for it.
    pub name: &'a str,
    /// The date it was added.
    pub added: DisplayTime,
    /// When it was last used.
    pub used: Option<DisplayTime>,
    /// Whether it is synced between devices.
    pub synced: bool,
}

/// An authenticator app.
#[derive(Clone, Copy, Debug)]
pub struct TotpItem<'a> {
    /// The id that the form submits.
    pub id: &'a str,
    /// The date it was added.
    pub added: DisplayTime,
}

/// A session.
#[derive(Clone, Copy, Debug)]
pub struct SessionItem<'a> {
    /// The id that the form submits.
    pub id: &'a str,
    /// The device, as far as known.
    pub device: &'a str,
    /// The location, as far as known.
    pub location: &'a str,
    /// When it was last used.
    pub last_used: DisplayTime,
    /// Whether it is the current session.
    pub current: bool,
}

/// An authorized application.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizedApplicationItem<'a> {
    /// The id that the form submits.
    pub id: &'a str,
    /// The name.
    pub name: &'a str,
    /// The organization it was authorized for.
    pub organization: &'a str,
    /// The granted permissions and claims, as display texts.
    pub permissions: &'a [&'a str],
    /// The date it was added.
    pub since: DisplayTime,
    /// When it last got tokens, if that is known.
    pub used: Option<DisplayTime>,
}

/// A membership.
#[derive(Clone, Copy, Debug)]
pub struct MembershipItem<'a> {
    /// The organization's name.
    pub organization: &'a str,
    /// The user's roles in it.
    pub roles: &'a str,
    /// Whether it is active.
    pub state: MembershipState,
}

/// Whether a membership is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MembershipState {
    /// Active.
    Usable,
    /// The organization is suspended.
    Suspended,
    /// The membership is disabled.
    Disabled,
}

#[derive(Template)]
#[template(path = "my_account.html")]
struct MyAccountPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    account_label: &'a str,
    view: &'a MyAccountView<'a>,
    error: Option<String>,
}

impl MyAccountView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let display_name = Some(self.name).filter(|name| !name.is_empty());
        let account_label = display_name
            .or(self.emails.first().map(|contact| contact.value))
            .unwrap_or(phrases.account.title);
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&MyAccountPage {
            frame,
            phrases,
            title: phrases.account.title,
            account_label,
            view: self,
            error: error_text,
        })
    }
}

impl MyAccountPage<'_> {
    /// The number of unused recovery codes to display: also zero, if there is a second factor that they
    /// replace.
    fn codes_left(&self) -> Option<u32> {
        self.view.recovery_codes_left.or(self.view.totp.map(|_| 0))
    }

    /// Whether a contact form is open because its input was rejected.
    fn is_open(&self, kind: ContactInput) -> bool {
        self.view.rejected_contact.is_some_and(|(input, _)| input == kind)
    }

    /// The rejected input.
    fn typed_input(&self, kind: ContactInput) -> &str {
        self.view.rejected_contact.filter(|(input, _)| *input == kind).map_or("", |(_, text)| text)
    }

    fn can_enroll(&self, sign_in_method: SignInMethod) -> bool {
        self.view.enrollable_methods.contains(&sign_in_method)
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
        picture: None,
        locale: None,
        emails: &[],
        phones: &[],
        is_sms_available: false,
        rejected_contact: None,
        passkeys: &[],
        password_set: None,
        totp: Some(TotpItem { id: "1", added: DisplayTime(0) }),
        enrollable_methods: &[],
        recovery_codes_left: None,
        providers: &[],
        sessions: &[],
        access: &[],
        agents: &[],
        applications: &[],
        memberships: &[],
        console_path: None,
        events: &[],
        saved: false,
        error: None,
    };

    #[test]
    fn recovery_codes_left_are_counted_in_every_language() {
        let brand = PageBranding::default();
        for (remaining_codes, english, portuguese) in [
            (None, "None left.", "Não resta nenhum."),
            (Some(1), "1 left.", "Resta 1."),
            (Some(2), "2 left.", "Restam 2."),
            (Some(10), "10 left.", "Restam 10."),
        ] {
            let view = MyAccountView { recovery_codes_left: remaining_codes, ..NOTHING };
            let page = |language| view.render(&PageFrame::without_script(language, "", &brand));
            assert!(page(UiLanguage::English).contains(english), "{remaining_codes:?}");
            assert!(page(UiLanguage::Portuguese).contains(portuguese), "{remaining_codes:?}");
        }
    }

    #[test]
    fn account_page_refills_invalid_input_and_has_a_phone_field_only_with_sms() {
        let brand = PageBranding::default();
        let frame = PageFrame::without_script(UiLanguage::English, "", &brand);
        let submitted_contact = Some((ContactInput::Email, "\"><b>"));
        let page = MyAccountView {
            rejected_contact: submitted_contact,
            error: Some(FormError::BadEmail),
            ..NOTHING
        }
        .render(&frame);
        assert!(
            page.contains("id=\"change-email\" open") && page.contains("value=\"&#34;&#62;&#60;b&#62;\"")
        );
        assert!(!page.contains("id=\"add-phone\"") && !page.contains("<b>"));
        let page = MyAccountView { is_sms_available: true, ..NOTHING }.render(&frame);
        assert!(page.contains("id=\"add-phone\"") && !page.contains("id=\"add-phone\" open"));
    }

    #[test]
    fn account_page_shows_pending_requests_and_identity_providers_when_present() {
        let brand = PageBranding::default();
        for language in UiLanguage::ALL {
            let frame = PageFrame::without_script(language, "/id", &brand);
            let page = NOTHING.render(&frame);
            assert!(!page.contains("id=\"requests\"") && !page.contains("id=\"providers\""));
            let request = ApprovalRequestItem {
                id: "7",
                application: "<b>",
                message: "4711",
                requested_at: DisplayTime(0),
            };
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
