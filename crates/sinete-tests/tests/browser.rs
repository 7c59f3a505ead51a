//! The screens in a real browser: headless Chromium with its virtual authenticator, driven over WebDriver.
//! `./scripts/test` brings the browser and the accessibility checker along.

mod accessibility;
mod applications;
mod approvals;
mod chromium;
mod consent;
mod console;
mod devices;
mod gallery;
mod joining;
mod journeys;
mod keyboard;
mod links;
mod own_page;
mod passkeys;
mod script;
mod second_factors;
mod showroom;
mod single_sign_on;
mod telephones;
