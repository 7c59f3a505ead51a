//! Access without a session, listed before it is revoked so that the user can keep some of it.

use crate::display_time::DisplayTime;

/// An application or API key that acts for the user.
#[derive(Clone, Copy, Debug)]
pub struct LongLivedAccessItem<'a> {
    /// The id that the form submits to keep it.
    pub id: &'a str,
    /// The name.
    pub name: &'a str,
    /// The organization it acts in.
    pub organization: &'a str,
    /// Whether it is an API key.
    pub is_key: bool,
    /// The date it was added.
    pub since: DisplayTime,
}
