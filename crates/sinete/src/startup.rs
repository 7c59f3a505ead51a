//! Startup: examination of the instance, safety checks, and initialization.

#[cfg(feature = "screens")]
pub(crate) mod branding;
pub mod checks;
pub(crate) mod email;
pub mod engine;
pub mod file_descriptors;
pub mod file_exposure;
pub mod instance_key;
pub mod log_archive;
pub mod sample_secrets;
pub mod signing_keys;
