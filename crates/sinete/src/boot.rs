//! Coming up safely: what is there, whether it may serve, and how it begins to.

pub mod delivery;
pub mod examine;
pub mod exposure;
pub mod facts;
pub mod instance_key;
pub mod judgement;
pub mod open;
pub mod open_files;
pub mod private_file;
pub mod samples;
pub mod sign_on;
pub mod signing_keys;
