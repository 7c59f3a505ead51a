//! Relationships: who keeps them, what they confer, and how APIs ask.

mod client_authentication;
mod evaluation;
mod evaluations;
mod models;
mod relationships;
mod removed_subjects;
mod search;
mod token_subjects;
