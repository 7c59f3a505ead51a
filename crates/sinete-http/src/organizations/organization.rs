//! `/manage/organizations`: the organizations themselves.

pub(crate) mod dto;
pub(crate) mod first_owner;
pub(crate) mod handlers;
pub(crate) mod logo;
pub(crate) mod routes;
