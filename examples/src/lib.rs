//! Two small programs that use a Sinete instance: an API it guards, and a web application that signs people in.
//! Nothing here depends on the server's own crates: the API uses the client library, the application the standards.

pub mod protected_api;
pub mod web_app;
