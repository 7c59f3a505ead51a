//! A page of the console that is put together from blocks: facts, tables, forms and notices. One template renders
//! all of them, so that a further page is only its content.

pub use super::list_links::{ColumnSort, SizeLink};

use super::ConsoleLayout;
pub use super::block_form::{BlockField, ColourBound, FieldInput, FormBlock};
use super::chart::ChartBlock;
use super::figures::{FiguresBlock, ViewsBlock};
use super::page_samples::SamplesBlock;
use crate::display_time::DisplayTime;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Debug)]
pub struct BlockPageView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The heading.
    pub title: String,
    /// The sentence below it; empty for none.
    pub introduction: String,
    /// The blocks.
    pub blocks: Vec<PageBlock>,
}

/// A link: a text, and a path below the base URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockLink {
    /// The text.
    pub text: String,
    /// The path.
    pub path: String,
}

/// A part of a page.
#[derive(Clone, Debug)]
pub enum PageBlock {
    /// Facts about one thing.
    Facts(FactsBlock),
    /// A table.
    Table(TableBlock),
    /// A form.
    Form(FormBlock),
    /// Steps to do, ticked by facts.
    Steps(StepsBlock),
    /// A secret, shown once.
    Secret(SecretBlock),
    /// Single numbers.
    Figures(FiguresBlock),
    /// A chart.
    Chart(ChartBlock),
    /// Other views of the page.
    Views(ViewsBlock),
    /// Samples of pages.
    Samples(SamplesBlock),
}

/// Facts about one thing.
#[derive(Clone, Debug)]
pub struct FactsBlock {
    /// The id of the section.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The facts.
    pub facts: Vec<(String, BlockCell)>,
    /// Links below the facts.
    pub links: Vec<BlockLink>,
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct TableBlock {
    /// The id of the section.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The sentence below it; empty for none.
    pub introduction: String,
    /// The headings of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<TableRow>,
    /// The text if there is no row.
    pub empty: String,
    /// The filters; empty if the table cannot be filtered.
    pub filters: Vec<BlockField>,
    /// Whether a filter is in use.
    pub is_filtered: bool,
    /// The path of the first page, if this is not the first.
    pub first: Option<String>,
    /// The path of the next page, if there is one.
    pub next: Option<String>,
    /// The files that the whole list can be downloaded as: the name of the format, and its path.
    pub downloads: Vec<BlockLink>,
    /// The items as lines of JSON, for a file.
    pub json_lines: Vec<String>,
    /// The order by each column; empty if the table cannot be sorted.
    pub sorts: Vec<ColumnSort>,
    /// The page sizes to choose from; empty if there is no choice.
    pub sizes: Vec<SizeLink>,
    /// A sentence above the rows; empty for none.
    pub notice: String,
    /// What the buttons of the rows ask before they act; `None` if they act at once.
    pub confirmation: Option<RowConfirmation>,
}

/// The question behind the button of a row.
#[derive(Clone, Debug)]
pub struct RowConfirmation {
    /// What happens then.
    pub consequence: String,
    /// The text of the button that acts.
    pub button: String,
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct TableRow {
    /// The cells.
    pub cells: Vec<BlockCell>,
    /// The button of the row, if any.
    pub button: Option<RowButton>,
}

/// The button of a row.
#[derive(Clone, Debug)]
pub struct RowButton {
    /// The value of `action`, which all buttons of a table share.
    pub action: String,
    /// The id of the row, submitted as `item`.
    pub item: String,
    /// The text.
    pub text: String,
    /// What the row is called, for the accessible name.
    pub row_name: String,
}

/// The content of a cell, in one or more parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockCell(pub Vec<CellPart>);

/// A part of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellPart {
    /// Text.
    Text(String),
    /// Text in English, whatever the language of the page.
    English(String),
    /// An identifier, which can be copied.
    Code(String),
    /// A fixed name, without a button to copy it.
    Keyword(String),
    /// A link.
    Link(BlockLink),
    /// A time.
    Time(DisplayTime),
    /// A state.
    Tag(String, CellTone),
}

/// The longest word that is not broken in a table.
const UNBROKEN_CHARACTERS_MAX: usize = 16;

impl CellPart {
    /// Whether it is one short word, which is not broken inside.
    pub(crate) fn is_short_word(&self) -> bool {
        matches!(self, Self::Text(text) if text.chars().count() <= UNBROKEN_CHARACTERS_MAX && !text.contains(' '))
    }

    /// Whether it is an identifier that needs several lines in a table.
    pub(crate) fn is_long(&self) -> bool {
        matches!(self, Self::Code(text) if text.chars().count() > UNBROKEN_CHARACTERS_MAX)
    }
}

/// The tone of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellTone {
    /// As it should be.
    Good,
    /// It needs attention.
    Warn,
    /// Neither.
    Plain,
}

/// Steps to do.
#[derive(Clone, Debug)]
pub struct StepsBlock {
    /// The heading.
    pub title: String,
    /// How many are done.
    pub progress: String,
    /// The steps.
    pub steps: Vec<ChecklistStep>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct ChecklistStep {
    /// The id of the element.
    pub id: String,
    /// What is to do.
    pub title: String,
    /// How, or what was found.
    pub text: String,
    /// Whether it is done.
    pub is_done: bool,
    /// Where it is done, if on a page.
    pub link: Option<BlockLink>,
}

/// A secret, shown once.
#[derive(Clone, Debug)]
pub struct SecretBlock {
    /// The heading.
    pub title: String,
    /// The secrets: what each is, and its value.
    pub secrets: Vec<(String, String)>,
    /// Where to continue.
    pub next: BlockLink,
}

impl BlockCell {
    /// A text; an empty one is nothing.
    pub fn text(text: impl Into<String>) -> Self {
        Self(Some(text.into()).filter(|text| !text.is_empty()).map(CellPart::Text).into_iter().collect())
    }

    /// A text in English.
    pub fn english_text(text: impl Into<String>) -> Self {
        Self(Some(text.into()).filter(|text| !text.is_empty()).map(CellPart::English).into_iter().collect())
    }

    /// An identifier that can be copied.
    pub fn code(text: impl Into<String>) -> Self {
        Self(Some(text.into()).filter(|text| !text.is_empty()).map(CellPart::Code).into_iter().collect())
    }

    /// A fixed name.
    pub fn keyword(text: impl Into<String>) -> Self {
        Self(vec![CellPart::Keyword(text.into())])
    }

    /// A link.
    pub fn link(text: impl Into<String>, path: impl Into<String>) -> Self {
        Self(vec![CellPart::Link(BlockLink { text: text.into(), path: path.into() })])
    }

    /// A state.
    pub fn tag(text: impl Into<String>, tone: CellTone) -> Self {
        Self(vec![CellPart::Tag(text.into(), tone)])
    }

    /// A time, or nothing.
    pub fn time(at: Option<DisplayTime>) -> Self {
        Self(at.map(CellPart::Time).into_iter().collect())
    }

    /// With these parts added.
    #[must_use]
    pub fn append(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The text for a file.
    pub fn plain_text(&self) -> String {
        let part = |part: &CellPart| match part {
            CellPart::Text(text)
            | CellPart::English(text)
            | CellPart::Code(text)
            | CellPart::Keyword(text)
            | CellPart::Tag(text, _) => text.clone(),
            CellPart::Link(link) => link.text.clone(),
            CellPart::Time(at) => at.rfc3339(),
        };
        self.0.iter().map(part).collect::<Vec<_>>().join(" ")
    }
}

impl CellTone {
    pub(crate) const fn class(&self) -> &'static str {
        match self {
            Self::Good => "tag good",
            Self::Warn => "tag warn",
            Self::Plain => "tag",
        }
    }
}

impl TableBlock {
    /// Whether a row has a button.
    pub(crate) fn has_buttons(&self) -> bool {
        self.rows.iter().any(|row| row.button.is_some())
    }

    /// The action of the buttons, if there are any. The buttons of a table have one action and one form, so that a row
    /// has no form of its own.
    pub(crate) fn row_action(&self) -> Option<&str> {
        self.rows.iter().find_map(|row| row.button.as_ref()).map(|button| button.action.as_str())
    }

    /// Whether the number of rows can be chosen.
    pub(crate) fn has_sizes(&self) -> bool {
        !self.sizes.is_empty() && (!self.rows.is_empty() || self.first.is_some())
    }

    /// Whether there is something below the table.
    pub(crate) fn has_footer(&self) -> bool {
        self.first.is_some() || self.next.is_some() || !self.downloads.is_empty() || self.has_sizes()
    }

    /// The order by a column, if the table can be sorted.
    pub(crate) fn column_sort(&self, index: &usize) -> Option<&ColumnSort> {
        self.sorts.get(*index)
    }

    /// The heading of a column.
    pub(crate) fn column_name(&self, index: &usize) -> &str {
        self.columns.get(*index).map_or("", String::as_str)
    }
}

impl ConsoleLayout<'_> {
    /// A URL in the selected language.
    pub(crate) fn url(&self, frame: &PageFrame<'_>, path: &str) -> String {
        super::with_language(format!("{}{path}", frame.base_path), self.url_language)
    }
}

#[derive(Template)]
#[template(path = "console/block_page.html")]
struct BlockPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'a str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a BlockPageView<'a>,
}

impl BlockPageView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        render_template(&BlockPage {
            frame,
            phrases: frame.phrases(),
            title: &self.title,
            layout: &self.layout,
            view: self,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_without_rows_has_no_empty_footer() {
        let sizes =
            vec![SizeLink { size: "25".to_owned(), path: "/x?limit=25".to_owned(), is_current: true }];
        let empty = TableBlock { sizes, ..TableBlock::default() };
        assert!(!empty.has_sizes() && !empty.has_footer());
        let row = TableRow { cells: vec![BlockCell::text("membership")], button: None };
        let filled = TableBlock { rows: vec![row], ..empty.clone() };
        assert!(filled.has_sizes() && filled.has_footer());
        let next = TableBlock { next: Some("/x?cursor=y".to_owned()), ..empty };
        assert!(!next.has_sizes() && next.has_footer());
    }

    #[test]
    fn table_cell_breaks_long_words_only() {
        let text = |text: &str| CellPart::Text(text.to_owned());
        assert!(text("membership").is_short_word() && text("organização").is_short_word());
        assert!(
            !text("a.very.long.address@example.com").is_short_word() && !text("two words").is_short_word()
        );
        let code = |text: &str| CellPart::Code(text.to_owned());
        assert!(code("01936f5e-7c2a-7def-8a1b-2c3d4e5f6070").is_long() && !code("acme").is_long());
        assert!(!code("acme").is_short_word() && !text("membership").is_long());
    }
}
