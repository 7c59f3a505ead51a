//! The roles of an organization, making one, and what one of them confers.

use super::said::Field;
use super::{Desk, Pages, Section};
use crate::page::{Frame, render};
use crate::words::{Words, with};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Roles<'a> {
    /// What stands around it.
    pub desk: Desk<'a>,
    /// The roles on this page.
    pub roles: &'a [Role<'a>],
    /// Where the list goes on.
    pub pages: Pages<'a>,
    /// What a role is made of, where the person may make one.
    pub make: Option<Make<'a>>,
}

/// A role.
#[derive(Clone, Copy, Debug)]
pub struct Role<'a> {
    /// What its page is found under.
    pub id: &'a str,
    /// What it is called.
    pub name: &'a str,
    /// What it is for.
    pub about: &'a str,
    /// Whether every organization has it.
    pub built_in: bool,
    /// How much it confers.
    pub permissions: usize,
}

/// A role that is being made.
#[derive(Clone, Copy, Debug)]
pub struct Make<'a> {
    /// What makes sure that a form which is sent twice makes one role.
    pub once: &'a str,
    /// Whether the form stands open.
    pub open: bool,
    /// What it is to be.
    pub fields: Fields<'a>,
}

/// What can be typed about a role.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What it is for.
    pub about: &'a str,
    /// What there is to be conferred.
    pub permissions: &'a [Permission<'a>],
    /// Whether there is more that the person may not see.
    pub hides_some: bool,
}

/// Something that a role can confer.
#[derive(Clone, Copy, Debug)]
pub struct Permission<'a> {
    /// How it is written.
    pub permission: &'a str,
    /// What it means, where we know.
    pub about: &'a str,
    /// Whether the role confers it.
    pub chosen: bool,
    /// Whether the person could choose otherwise.
    pub free: bool,
}

/// One role.
#[derive(Clone, Copy, Debug)]
pub struct OneRole<'a> {
    /// What stands around it.
    pub desk: Desk<'a>,
    /// The role.
    pub role: Role<'a>,
    /// Whether it is the owners', which confers more than is listed.
    pub is_owners: bool,
    /// The version that was read, which a change names.
    pub version: i64,
    /// What stands in the fields of its form.
    pub fields: Fields<'a>,
    /// What the page showed, as the form carries it.
    pub shown: &'a str,
    /// Whether the person may change it.
    pub may_change: bool,
}

#[derive(Template)]
#[template(path = "console/all_roles.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    desk: &'a Desk<'a>,
    view: &'a Roles<'a>,
}

#[derive(Template)]
#[template(path = "console/role.html")]
struct OnePage<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'a str,
    desk: &'a Desk<'a>,
    view: &'a OneRole<'a>,
}

impl Roles<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&Page { frame, words, title: words.console.roles, desk: &self.desk, view: self })
    }
}

impl OneRole<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&OnePage { frame, words, title: self.role.name, desk: &self.desk, view: self })
    }

    /// Whether there is anything that it confers.
    pub(crate) fn confers_any(&self) -> bool {
        self.fields.permissions.iter().any(|it| it.chosen)
    }
}

impl Role<'_> {
    pub(crate) fn how_much(&self, words: &Words) -> String {
        match self.permissions {
            0 => words.conferring.nothing.to_owned(),
            1 => words.conferring.one_permission.to_owned(),
            many => with(words.conferring.permissions, many),
        }
    }
}

impl Desk<'_> {
    /// The page of a role.
    pub(crate) fn role(&self, frame: &Frame<'_>, id: &str) -> String {
        self.link(frame, &format!("{}/{id}", Section::Roles.path()))
    }
}
