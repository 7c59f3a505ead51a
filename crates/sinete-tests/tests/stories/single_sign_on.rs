//! Domains that organizations prove, and signing in at a provider of theirs.

mod domains;
