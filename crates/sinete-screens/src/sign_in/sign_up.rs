//! The sign-up page: a new account, an invitation, or the first operator.

use crate::form::{PageForm, PageLink, PasskeyCeremony};
use crate::form_error::{FormError, FormField};
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct SignUpView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The action that the form requests.
    pub action: &'a str,
    /// The reason for the account.
    pub reason: SignUpReason<'a>,
    /// The requested fields.
    pub fields: &'a [SignUpField],
    /// The name, as entered before.
    pub name: &'a str,
    /// The address: as entered before, or the known one if it is not requested.
    pub email: &'a str,
    /// The options to create a passkey in place of a password.
    pub passkey: Option<PasskeyCeremony<'a>>,
    /// The minimum number of characters in a password.
    pub password_min: u32,
    /// The link to sign-in.
    pub sign_in: Option<PageLink<'a>>,
    /// The form error.
    pub error: Option<FormError>,
}

/// Why an account is created.
#[derive(Clone, Copy, Debug)]
pub enum SignUpReason<'a> {
    /// Self-service sign-up.
    SignUp,
    /// Self-service sign-up to use an application.
    Application(SignUpApplication<'a>),
    /// An invitation.
    Invitation(SignUpInvitation<'a>),
    /// The first operator of a new instance.
    FirstOperator,
}

/// The application that the account is created for.
#[derive(Clone, Copy, Debug)]
pub struct SignUpApplication<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its privacy policy URL.
    pub policy: Option<&'a str>,
    /// Its terms of service URL.
    pub terms: Option<&'a str>,
}

/// The invitation.
#[derive(Clone, Copy, Debug)]
pub struct SignUpInvitation<'a> {
    /// The organization's name.
    pub organization: &'a str,
    /// The offered roles, if known.
    pub roles: &'a str,
}

/// A requested field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignUpField {
    /// The name.
    Name,
    /// The e-mail address.
    Email,
    /// A password.
    Password,
}

#[derive(Template)]
#[template(path = "sign_up.html")]
struct SignUpPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: String,
    introduction: String,
    submit: &'static str,
    view: &'a SignUpView<'a>,
    error: Option<String>,
    focus: Option<FormField>,
}

impl SignUpView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let up_phrases = &phrases.sign_up;
        let (title, introduction, submit) = match self.reason {
            SignUpReason::SignUp => {
                (up_phrases.title.to_owned(), up_phrases.lead.to_owned(), up_phrases.submit)
            }
            SignUpReason::Application(application) => (
                up_phrases.title.to_owned(),
                phrases.sign_in.to_continue(application.name),
                up_phrases.submit,
            ),
            SignUpReason::Invitation(invitation) => (
                up_phrases.invitation_title(invitation.organization),
                up_phrases.invitation_lead.to_owned(),
                up_phrases.invitation_accept,
            ),
            SignUpReason::FirstOperator => (
                up_phrases.operator_title.to_owned(),
                up_phrases.operator_lead.to_owned(),
                up_phrases.operator_submit,
            ),
        };
        let fields: Vec<FormField> = self.fields.iter().map(|ask| ask.form_field()).collect();
        let focus = self.error.and_then(|error| error.focused_field(&fields));
        let error_text = self.error.map(|error| error.text(frame.language));
        render_template(&SignUpPage {
            frame,
            phrases,
            title,
            introduction,
            submit,
            view: self,
            error: error_text,
            focus,
        })
    }
}

impl SignUpField {
    const fn form_field(self) -> FormField {
        match self {
            Self::Name => FormField::Name,
            Self::Email => FormField::Identifier,
            Self::Password => FormField::Password,
        }
    }
}

impl SignUpPage<'_> {
    const fn invitation_roles_text(&self) -> Option<&SignUpInvitation<'_>> {
        match &self.view.reason {
            SignUpReason::Invitation(invitation) if !invitation.roles.is_empty() => Some(invitation),
            SignUpReason::Invitation(_)
            | SignUpReason::SignUp
            | SignUpReason::Application(_)
            | SignUpReason::FirstOperator => None,
        }
    }

    const fn application(&self) -> Option<SignUpApplication<'_>> {
        match self.view.reason {
            SignUpReason::Application(application) => Some(application),
            SignUpReason::Invitation(_) | SignUpReason::SignUp | SignUpReason::FirstOperator => None,
        }
    }

    fn has_field(&self, ask: SignUpField) -> bool {
        self.view.fields.contains(&ask)
    }
}
