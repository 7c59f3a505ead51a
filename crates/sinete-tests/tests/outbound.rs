//! What the program fetches by itself, against real servers on this machine.

mod crowding;
mod reaching;
mod refusing;
mod resolving;
pub mod scripted_server;
