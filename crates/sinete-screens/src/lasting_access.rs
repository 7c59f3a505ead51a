//! What acts for a person whether or not they are signed in, listed where it is about to end, so that they can keep some of it.

use crate::display_time::DisplayTime;

/// Something that acts for the person.
#[derive(Clone, Copy, Debug)]
pub struct AccessChoice<'a> {
    /// By what it is kept.
    pub id: &'a str,
    /// What it is called.
    pub name: &'a str,
    /// The organization it acts in.
    pub organization: &'a str,
    /// Whether it is an API key.
    pub is_key: bool,
    /// Since when.
    pub since: DisplayTime,
}
