//! The profile with its picture, the export and the deletion of the account.

use super::AccountAction;
use crate::accounts::export::handlers::export_response;
use crate::screens::flash::FlowNotice;
use crate::screens::see_other;
use crate::sign_in::flow_pages;
use crate::state::HttpState;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use sinete_core::accounts::language::Language;
use sinete_core::accounts::picture::ProfilePicture;
use sinete_core::accounts::standard_claims::StandardClaims;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::accounts::AccountRefusal;
use sinete_engine::accounts::profile::ProfileChange;
use sinete_engine::accounts::{deletion, export, picture, profile};
use sinete_engine::sign_in::account_holder::AccountHolder;
use sinete_engine::{Error, Failure};
use sinete_server::cookies::CookieName;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;

impl AccountAction<'_> {
    /// Sends everything that is stored about the account, as a file.
    pub(super) async fn export_account(&self, form: &FormParams) -> HandlerResult {
        match export::export_account(self.state.engine(), &self.account).await {
            Ok(everything) => export_response(everything, self.account.signed_in.session.id),
            Err(Error::Refused(refusal)) => self.handle_refusal(form, &refusal).await,
            Err(Error::Failed(failure)) => Err(failure.into()),
        }
    }

    /// Deletes the account, if the user confirmed it.
    pub(super) async fn delete_account(&self, form: &FormParams) -> HandlerResult {
        if form.get("confirm_deletion").is_none() {
            return Ok(self.redirect_with_flash(Some(FlowNotice::Missing), ""));
        }
        match deletion::delete_account(self.state.engine(), &self.account).await {
            Ok(()) => {
                let path = flow_pages::with_language("/signed-out", self.query);
                let mut response = see_other(self.state, &path);
                CookieName::Session.clear(&mut response, self.state.scheme());
                CookieName::Device.clear(&mut response, self.state.scheme());
                Ok(response)
            }
            Err(Error::Refused(refusal)) => self.handle_refusal(form, &refusal).await,
            Err(Error::Failed(failure)) => Err(failure.into()),
        }
    }
}

/// Changes the name and the language.
pub(super) async fn change_profile(
    state: &HttpState,
    account_holder: &AccountHolder,
    name: &str,
    locale: Option<Language>,
) -> Result<(), Error> {
    let engine = state.engine();
    let before = profile::show(engine, account_holder).await?;
    let mut profile_claims: Map<String, Value> = before.profile.parse().map_err(Failure::from)?;
    profile_claims.remove("updated_at");
    match name.trim() {
        "" => profile_claims.remove("name"),
        name => profile_claims.insert("name".to_owned(), Value::from(name)),
    };
    let Ok(claims) = serde_json::from_value::<StandardClaims>(Value::Object(profile_claims)) else {
        return Err(Refusal::because(AccountRefusal::NameInvalid, "the name is not valid").into());
    };
    let changed = ProfileChange { claims, language: locale };
    profile::change(engine, account_holder, before.version, &changed).await.map(|_| ())
}

/// Sets the picture, which the page's script scaled down and encoded.
pub(super) async fn set_picture(
    state: &HttpState,
    account_holder: &AccountHolder,
    data: &str,
) -> Result<(), Error> {
    let engine = state.engine();
    let invalid = |reason: String| Refusal::because(AccountRefusal::PictureInvalid, reason);
    let bytes =
        URL_SAFE_NO_PAD.decode(data).map_err(|_| invalid("the picture is not base64url".to_owned()))?;
    let profile_picture =
        ProfilePicture::new(bytes).map_err(|invalid_picture| invalid(invalid_picture.to_string()))?;
    let expected_version = profile::show(engine, account_holder).await?.version;
    picture::set_picture(engine, account_holder, expected_version, &profile_picture).await.map(drop)
}

/// Removes the picture.
pub(super) async fn remove_picture(state: &HttpState, account_holder: &AccountHolder) -> Result<(), Error> {
    let expected_version = profile::show(state.engine(), account_holder).await?.version;
    picture::remove_picture(state.engine(), account_holder, expected_version).await.map(drop)
}
