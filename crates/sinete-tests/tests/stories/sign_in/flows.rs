//! Sign-in and sign-up over the JSON API.

mod account_enumeration;
mod browsers;
mod change_email;
mod email_addresses;
mod failed_attempts;
mod invitations;
mod magic_links;
mod message_rate_limits;
mod password_flood;
mod passwords;
pub(crate) mod proven_addresses;
mod races;
mod refused_passwords;
mod sign_in;
mod sign_up;
mod sms_codes;
mod step_up;
