//! The names of the months.

use crate::MonthsPhrases;

impl MonthsPhrases {
    /// The name of a month, from 1 to 12.
    pub const fn name(&self, month: u8) -> &'static str {
        match month {
            1 => self.january,
            2 => self.february,
            3 => self.march,
            4 => self.april,
            5 => self.may,
            6 => self.june,
            7 => self.july,
            8 => self.august,
            9 => self.september,
            10 => self.october,
            11 => self.november,
            _ => self.december,
        }
    }
}
