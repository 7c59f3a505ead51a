//! The page sizes that a reader of a list can choose. A page has at most 60,000 characters with each of them, so that lists
//! with much in a row have smaller ones (docs/contribute/decisions/0333-console-pages-within-60000-characters.md).

/// The page sizes of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSizes {
    choices: &'static [u32],
    default_size: u32,
}

/// Most columns of a table whose rows count as short, and as long.
const SHORT_COLUMNS_MAX: usize = 4;
const LONG_COLUMNS_MAX: usize = 6;

impl PageSizes {
    /// Of a list with one or two short lines in a row.
    pub const SHORT_ROWS: Self = Self { choices: &[25, 50, 100], default_size: 50 };
    /// Of a list with more in a row.
    pub const LONG_ROWS: Self = Self { choices: &[25, 50], default_size: 50 };
    /// Of a list with several values and buttons in a row.
    pub const RICH_ROWS: Self = Self { choices: &[10, 25], default_size: 25 };

    /// Of a table with this number of columns.
    pub const fn for_columns(columns: usize) -> Self {
        if columns <= SHORT_COLUMNS_MAX {
            Self::SHORT_ROWS
        } else if columns <= LONG_COLUMNS_MAX {
            Self::LONG_ROWS
        } else {
            Self::RICH_ROWS
        }
    }

    /// The sizes to choose from.
    pub const fn choices(self) -> &'static [u32] {
        self.choices
    }

    /// The requested size. Any other than the choices is the usual one.
    pub fn choose(self, requested: Option<&str>) -> u32 {
        let requested = requested.and_then(|size| size.parse().ok());
        requested.filter(|size| self.choices.contains(size)).unwrap_or(self.default_size)
    }

    /// Whether it is the size without a choice.
    pub const fn is_default(self, size: u32) -> bool {
        self.default_size == size
    }
}

impl Default for PageSizes {
    fn default() -> Self {
        Self::SHORT_ROWS
    }
}

#[cfg(test)]
mod tests {
    use super::PageSizes;

    #[test]
    fn page_size_that_is_not_offered_is_the_default() {
        for (sizes, requested, expected) in [
            (PageSizes::SHORT_ROWS, Some("100"), 100),
            (PageSizes::SHORT_ROWS, Some("10"), 50),
            (PageSizes::LONG_ROWS, Some("100"), 50),
            (PageSizes::LONG_ROWS, None, 50),
            (PageSizes::RICH_ROWS, Some("10"), 10),
            (PageSizes::RICH_ROWS, Some("50"), 25),
            (PageSizes::RICH_ROWS, Some("x"), 25),
        ] {
            assert_eq!(sizes.choose(requested), expected, "{sizes:?} {requested:?}");
        }
    }

    #[test]
    fn page_sizes_shrink_with_the_columns_of_a_table() {
        let largest = |columns| PageSizes::for_columns(columns).choices().last().copied();
        assert_eq!(
            [largest(1), largest(4), largest(5), largest(6), largest(9)].map(Option::unwrap),
            [100, 100, 50, 50, 25]
        );
        assert!(PageSizes::for_columns(6).is_default(50) && PageSizes::for_columns(7).is_default(25));
    }
}
