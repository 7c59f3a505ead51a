//! In which organization somebody wants to work.

use super::with_language;
use crate::language::Language;
use crate::page::{Frame, render};
use crate::words::Words;
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Choose<'a> {
    /// The organizations in which the person has something to manage.
    pub workplaces: &'a [Workplace<'a>],
    /// The language that was asked for in the address.
    pub asked: Option<Language>,
}

/// An organization to work in.
#[derive(Clone, Copy, Debug)]
pub struct Workplace<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its pages are found under.
    pub slug: &'a str,
    /// The person's roles in it.
    pub roles: &'a str,
    /// Whether it is suspended.
    pub suspended: bool,
}

#[derive(Template)]
#[template(path = "console/choose.html")]
struct Page<'a> {
    frame: &'a Frame<'a>,
    words: &'static Words,
    title: &'static str,
    view: &'a Choose<'a>,
}

impl Choose<'_> {
    /// The page.
    pub fn page(&self, frame: &Frame<'_>) -> String {
        let words = frame.words();
        render(&Page { frame, words, title: words.console.choose, view: self })
    }

    pub(crate) fn link(&self, frame: &Frame<'_>, path: &str) -> String {
        with_language(format!("{}{path}", frame.base_path), self.asked)
    }

    pub(crate) fn to(&self, frame: &Frame<'_>, workplace: &Workplace<'_>) -> String {
        self.link(frame, &format!("/console/{}", workplace.slug))
    }
}
