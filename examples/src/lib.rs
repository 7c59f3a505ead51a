//! Two small programs that use a Sinete instance: an API it guards, and a web application that signs people in.
//! Nothing here depends on Sinete's own crates: they use what any program would, the standards.

pub mod guard;
pub mod protected_api;
pub mod web_app;
