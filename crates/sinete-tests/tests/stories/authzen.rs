//! Fine-grained authorization: relationships, models, evaluation and search.

mod client_authentication;
mod evaluation;
mod evaluations;
mod models;
mod relationships;
mod removed_subjects;
mod search;
mod token_subjects;
