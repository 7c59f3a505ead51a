//! Every check by its name, against an authenticator that can be told to write anything.

mod assertion;
mod device;
mod malformed;
mod registration;
