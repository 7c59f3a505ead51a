//! Every check by its name, against an authenticator that can be told to write anything.

mod device;
mod registering;
mod shapes;
mod signing;
