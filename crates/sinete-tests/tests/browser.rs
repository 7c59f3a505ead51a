//! The screens in headless Chromium with its virtual authenticator, driven over WebDriver. `./scripts/test` installs
//! the browser and the accessibility checker.

mod accessibility;
mod account_page;
mod api_explorer;
mod authorization;
mod chromium;
mod ciba;
mod consent;
mod console;
mod device_authorization;
mod instance_console;
mod invitations;
mod keyboard;
mod magic_links;
mod mails;
mod page_script;
mod passkeys;
mod preview_server;
mod screens;
mod second_factors;
mod sign_in_flows;
mod single_sign_on;
mod sms_codes;
