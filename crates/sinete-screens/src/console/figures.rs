//! Figures: single numbers, large enough to be read at a glance.

use super::block_page::BlockLink;

/// Some figures.
#[derive(Clone, Debug, Default)]
pub struct FiguresBlock {
    /// The id of the section.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The figures.
    pub figures: Vec<SingleFigure>,
    /// Links below them.
    pub links: Vec<BlockLink>,
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleFigure {
    /// What it counts.
    pub name: String,
    /// The number.
    pub value: String,
    /// Of which time; empty for none.
    pub note: String,
}

/// Views of the same page, one of which is shown, and files of it.
#[derive(Clone, Debug, Default)]
pub struct ViewsBlock {
    /// What the views differ in.
    pub label: String,
    /// The views, and whether each is shown.
    pub views: Vec<(BlockLink, bool)>,
    /// The files.
    pub downloads: Vec<BlockLink>,
}
