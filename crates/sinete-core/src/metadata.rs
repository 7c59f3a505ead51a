//! What the service publishes about itself and about the APIs it guards: what is done, and nothing that is not.

pub mod discovery;
pub mod policy_decision_point;
pub mod protected_resource;
