//! `/manage/settings`: the settings of the instance.

pub(crate) mod handlers;
