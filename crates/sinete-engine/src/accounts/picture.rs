//! The account's own picture: stored here, and announced as the `picture` claim by its URL.

use super::profile;
use super::profile::{AccountRow, ProfileChange};
use crate::organizations::precondition_failed;
use crate::sign_in::account_holder::AccountHolder;
use crate::{Engine, Error, Failure};
use sinete_core::accounts::language::Language;
use sinete_core::accounts::picture::ProfilePicture;
use sinete_core::accounts::standard_claims::{StandardClaims, WebAddress};
use sinete_core::id::PictureId;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::accounts::AccountRefusal;
use sinete_store::accounts::pictures;
pub use sinete_store::accounts::pictures::PictureRow;

/// The path of a picture below the issuer.
pub const PICTURE_PATH: &str = "/pictures/";

/// Sets or replaces the picture, given the version of the account that was read. The URL changes with the picture.
pub async fn set_picture(
    engine: &Engine,
    account_holder: &AccountHolder,
    expected_version: i64,
    picture: &ProfilePicture,
) -> Result<AccountRow, Error> {
    let id = PictureId::mint(account_holder.now(), engine.entropy());
    let url: WebAddress = format!("{}{PICTURE_PATH}{id}", engine.settings().issuer)
        .parse()
        .map_err(|_| Failure::Interrupted)?;
    let statement =
        pictures::set_account_picture(account_holder.account(), id, picture, account_holder.now());
    let changed = with_picture_claim(engine, account_holder, expected_version, Some(url)).await?;
    profile::commit_change(engine, account_holder, expected_version, &changed, [statement]).await
}

/// Removes the picture.
pub async fn remove_picture(
    engine: &Engine,
    account_holder: &AccountHolder,
    expected_version: i64,
) -> Result<AccountRow, Error> {
    if pictures::find_account_picture(engine.store(), account_holder.account()).await?.is_none() {
        return Err(Refusal::because(AccountRefusal::PictureNotFound, "no picture was set").into());
    }
    let changed = with_picture_claim(engine, account_holder, expected_version, None).await?;
    let statement = pictures::delete_account_picture(account_holder.account());
    profile::commit_change(engine, account_holder, expected_version, &changed, [statement]).await
}

/// The picture with this id. Public, because applications show it by its URL.
pub async fn find_picture(engine: &Engine, id: PictureId) -> Result<Option<PictureRow>, Failure> {
    Ok(pictures::find_picture(engine.store(), id).await?)
}

async fn with_picture_claim(
    engine: &Engine,
    account_holder: &AccountHolder,
    expected_version: i64,
    picture: Option<WebAddress>,
) -> Result<ProfileChange, Error> {
    let account = profile::show(engine, account_holder).await?;
    if account.version != expected_version {
        return Err(precondition_failed().into());
    }
    let claims: StandardClaims = account.profile.parse()?;
    let language = account.language.as_deref().and_then(Language::from_locale_list);
    Ok(ProfileChange { claims: StandardClaims { picture, ..claims }, language })
}
