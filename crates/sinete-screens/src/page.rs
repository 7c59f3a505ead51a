//! What every page shares: its frame, and how a template becomes text.

use crate::assets::{SEAL, STYLE};
use crate::language::Language;
use crate::words::Words;
use askama::Template;

/// What the frame around every page needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) language: Language,
    pub(crate) words: &'static Words,
    /// The path of the base address, without its trailing slash: empty at the root of a host.
    pub(crate) base_path: &'a str,
    pub(crate) style_path: &'static str,
    pub(crate) seal_path: &'static str,
}

impl<'a> Frame<'a> {
    pub(crate) const fn new(language: Language, base_path: &'a str) -> Self {
        Self { language, words: language.words(), base_path, style_path: STYLE.path, seal_path: SEAL.path }
    }
}

/// A page that says one thing: a heading, a sentence, and perhaps a reference to quote.
#[derive(Template)]
#[template(path = "message.html")]
pub(crate) struct Message<'a> {
    pub(crate) frame: Frame<'a>,
    pub(crate) title: &'static str,
    pub(crate) detail: &'static str,
    pub(crate) reference: Option<&'a str>,
}

/// The page as text. A template over plain texts cannot fail: only a `Display` of ours could, and none of
/// them does.
pub(crate) fn render(template: &impl Template) -> String {
    template.render().unwrap_or_default()
}
