//! Two small programs that use a Sinete issuer: an API that verifies access tokens, and a web application that signs users
//! in. Nothing here depends on the server's own crates: the API uses the client library, the application only the standards.

pub mod protected_api;
pub mod web_app;
