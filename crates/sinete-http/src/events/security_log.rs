//! `/manage/events`: the security log of the instance, in pages and as an event stream.

pub(crate) mod handlers;
pub(crate) mod status;
