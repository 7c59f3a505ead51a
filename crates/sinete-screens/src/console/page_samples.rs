//! Samples of pages on a page of blocks.

/// Samples of pages, each a document of its own within the page.
#[derive(Clone, Debug, Default)]
pub struct SamplesBlock {
    /// The heading.
    pub title: String,
    /// The sentence below it.
    pub introduction: String,
    /// The samples.
    pub samples: Vec<PageSample>,
}

/// A sample of a page.
#[derive(Clone, Debug)]
pub struct PageSample {
    /// What it shows.
    pub title: String,
    /// The color scheme.
    pub scheme: SampleScheme,
    /// The document. It gets the policy of the page and runs nothing.
    pub document: String,
}

/// The color scheme of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleScheme {
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl SampleScheme {
    pub(crate) const fn class(&self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}
