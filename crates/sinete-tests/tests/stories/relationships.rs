//! Relationships: who keeps them, what they confer, and how APIs ask.

mod asking;
mod keeping;
mod leaving;
mod models;
mod proving;
mod searching;
mod together;
mod tokens;
