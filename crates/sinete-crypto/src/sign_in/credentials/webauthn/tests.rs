//! Each check by name, with an authenticator that can be made to send anything.

mod assertion;
mod device;
mod malformed;
mod registration;
