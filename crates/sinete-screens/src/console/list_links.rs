//! The links of a list that sort it and choose its page size.

/// The order by a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnSort {
    /// The path of the list sorted by it, or the other way around if it is.
    pub path: String,
    /// Whether the list is sorted by it, and in ascending order.
    pub is_ascending: Option<bool>,
}

/// A page size to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SizeLink {
    /// The number of rows.
    pub size: String,
    /// The path of the list with it.
    pub path: String,
    /// Whether the list has it now.
    pub is_current: bool,
}

/// An order of a list without columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderLink {
    /// What comes first.
    pub text: String,
    /// The path of the list in this order.
    pub path: String,
    /// Whether the list is in it now.
    pub is_current: bool,
}

impl ColumnSort {
    /// The value of `aria-sort`.
    pub(crate) const fn aria_value(&self) -> &'static str {
        match self.is_ascending {
            Some(true) => "ascending",
            Some(false) => "descending",
            None => "none",
        }
    }
}
