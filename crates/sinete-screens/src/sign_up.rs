//! Becoming somebody: a new account, an invitation, the first operator.

use crate::form::{Ceremony, Form};
use crate::page::{Frame, render};
use crate::trouble::{Field, Trouble};
use crate::words::{Words, with};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct SignUp<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// The action it asks for.
    pub action: &'a str,
    /// Why an account is made.
    pub occasion: Occasion<'a>,
    /// What is asked.
    pub asks: &'a [Ask],
    /// The name, as it was typed before.
    pub name: &'a str,
    /// The address: as it was typed before, or as it is known if it is not asked for.
    pub email: &'a str,
    /// What the browser is told to make a passkey with, in place of a password.
    pub passkey: Option<Ceremony<'a>>,
    /// The least number of characters of a password.
    pub password_min: u32,
    /// Where somebody who has an account signs in.
    pub sign_in: Option<&'a str>,
    /// What was not right.
    pub trouble: Option<Trouble>,
}

/// Why an account is made.
#[derive(Clone, Copy, Debug)]
pub enum Occasion<'a> {
    /// Somebody wants one.
    SignUp,
    /// Somebody was invited.
    Invitation(Invitation<'a>),
    /// The instance is new.
    FirstOperator,
}

/// Where somebody was invited to.
#[derive(Clone, Copy, Debug)]
pub struct Invitation<'a> {
    /// The organization's name.
    pub organization: &'a str,
    /// The roles that come with it, where they are known.
    pub roles: &'a str,
}

/// Something that is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The name.
    Name,
    /// The e-mail address.
    Email,
    /// A password.
    Password,
}

#[derive(Template)]
#[template(path = "sign_up.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: String,
    lead: String,
    submit: &'static str,
    view: &'a SignUp<'a>,
    trouble: Option<String>,
    focus: Option<Field>,
}

impl SignUp<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        let own = &words.sign_up;
        let (title, lead, submit) = match self.occasion {
            Occasion::SignUp => (own.title.to_owned(), own.lead.to_owned(), own.submit),
            Occasion::Invitation(invitation) => (
                with(own.invitation_title, invitation.organization),
                own.invitation_lead.to_owned(),
                own.invitation_accept,
            ),
            Occasion::FirstOperator => {
                (own.operator_title.to_owned(), own.operator_lead.to_owned(), own.operator_submit)
            }
        };
        let fields: Vec<Field> = self.asks.iter().map(|ask| ask.field()).collect();
        let focus = self.trouble.and_then(|trouble| trouble.field(&fields));
        let trouble = self.trouble.map(|trouble| trouble.text(frame.language));
        render(&Page { frame, words, title, lead, submit, view: self, trouble, focus })
    }
}

impl Ask {
    const fn field(self) -> Field {
        match self {
            Self::Name => Field::Name,
            Self::Email => Field::Identifier,
            Self::Password => Field::Password,
        }
    }
}

impl Page<'_> {
    const fn invitation_with_roles(&self) -> Option<&Invitation<'_>> {
        match &self.view.occasion {
            Occasion::Invitation(invitation) if !invitation.roles.is_empty() => Some(invitation),
            Occasion::Invitation(_) | Occasion::SignUp | Occasion::FirstOperator => None,
        }
    }

    fn asks(&self, ask: Ask) -> bool {
        self.view.asks.contains(&ask)
    }
}
