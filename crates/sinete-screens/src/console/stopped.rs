//! Why somebody cannot begin to work in an organization of theirs yet.

use crate::form::Form;
use crate::page::{Frame, render};
use crate::words::{Words, with};
use askama::Template;

/// What the page says.
#[derive(Clone, Copy, Debug)]
pub struct Stopped<'a> {
    /// Where the form goes.
    pub form: Form<'a>,
    /// The organization's name.
    pub organization: &'a str,
    /// What it takes.
    pub takes: Takes,
}

/// What it takes to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A stronger proof.
    Proof,
    /// A stronger proof, for which something has to be set up first.
    SettingUp,
    /// Another way of signing in.
    OtherWay,
}

#[derive(Template)]
#[template(path = "console/stopped.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    lead: String,
    view: &'a Stopped<'a>,
}

impl Stopped<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        let (title, lead) = match self.takes {
            Takes::Proof => (words.console.prove_title, words.console.prove_lead),
            Takes::SettingUp => (words.console.prove_title, words.console.set_up_lead),
            Takes::OtherWay => (words.console.otherwise_title, words.console.otherwise_lead),
        };
        render(&Page { frame, words, title, lead: with(lead, self.organization), view: self })
    }

    pub(crate) fn takes_proof(&self) -> bool {
        self.takes == Takes::Proof
    }
}
