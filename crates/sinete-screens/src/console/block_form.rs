//! Forms and filters of pages that are made of blocks.

/// A form.
#[derive(Clone, Debug, Default)]
pub struct FormBlock {
    /// The value of `action`, also the id of the section.
    pub action: String,
    /// The heading.
    pub title: String,
    /// The sentence below it; empty for none.
    pub introduction: String,
    /// The fields.
    pub fields: Vec<BlockField>,
    /// Fields that are not shown.
    pub hidden: Vec<(String, String)>,
    /// The text of the button; empty if the form has only the other one.
    pub button: String,
    /// Another button before it: its `action`, and its text.
    pub other_button: Option<(String, String)>,
    /// Whether the button ends something.
    pub is_danger: bool,
    /// Whether the form is collapsed; `None` if it is always shown.
    pub open: Option<bool>,
}

/// A field of a form or a filter.
#[derive(Clone, Debug, Default)]
pub struct BlockField {
    /// The name.
    pub name: String,
    /// The label.
    pub label: String,
    /// The hint; empty for none.
    pub hint: String,
    /// The kind of input.
    pub input: FieldInput,
    /// The value; for checkboxes, empty.
    pub value: String,
    /// Whether it must be filled in.
    pub is_required: bool,
    /// The error beside it, if any.
    pub error: Option<String>,
    /// What someone else saved in it since the form was opened; empty for nothing.
    pub stored: String,
}

/// An input.
#[derive(Clone, Debug, Default)]
pub enum FieldInput {
    /// A line of text, of this HTML type.
    #[default]
    Text,
    /// An e-mail address.
    Email,
    /// A number.
    Number,
    /// A day.
    Day,
    /// A search.
    Search,
    /// Several lines.
    Lines(u8),
    /// One of these values, each with its text.
    Choice(Vec<(String, String)>),
    /// Any of these values: the value, its text, and whether it is ticked.
    Checkboxes(Vec<(String, String, bool)>),
    /// A checkbox.
    Checkbox(bool),
    /// A color, checked against this bound while it is typed.
    Color(ColourBound),
    /// A file, which the script of the page encodes into the value: the accepted types, and the most bytes.
    File {
        /// The value of `accept`.
        accept: String,
        /// The most bytes.
        bytes_max: usize,
        /// The text if the file is larger.
        too_large: String,
    },
}

/// The contrast that a color must have.
#[derive(Clone, Debug, Default)]
pub struct ColourBound {
    /// The color of the text, as `#rrggbb`.
    pub text: String,
    /// The least contrast with it.
    pub contrast_min: f64,
    /// The error for a color with less.
    pub problem: String,
}

impl FieldInput {
    pub(crate) const fn html_type(&self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Number => "number",
            Self::Day => "date",
            Self::Search => "search",
            Self::Text
            | Self::Lines(_)
            | Self::Choice(_)
            | Self::Checkboxes(_)
            | Self::Checkbox(_)
            | Self::Color(_)
            | Self::File { .. } => "text",
        }
    }
}

impl BlockField {
    /// The id of the element, unique on the page.
    pub(crate) fn id(&self, form: &str) -> String {
        format!("{form}-{}", self.name.replace(['/', '.', ':'], "-"))
    }
}
