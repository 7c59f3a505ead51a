//! The refused authorization requests on the page of an application.

use crate::display_time::DisplayTime;

/// A refused authorization request.
#[derive(Clone, Copy, Debug)]
pub struct RefusedRequestItem<'a> {
    /// When it was refused.
    pub at: DisplayTime,
    /// The reason, as in the error response.
    pub reason: &'a str,
    /// The description of the error.
    pub description: &'a str,
    /// The refused value; empty if it is not one parameter.
    pub value: &'a str,
    /// The reference that the user saw.
    pub reference: &'a str,
    /// How many requests of a minute it stands for.
    pub count: u32,
}
