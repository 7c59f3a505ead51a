//! Switching a connection off works whatever it is set to, as deleting it does: nobody is sent there any more, so it does
//! not matter whether anybody could be. What is needed to send people there is looked at when it is switched on.

use super::{Shown, Wanted, authentication};
use crate::single_sign_on::opened;
use crate::{Engine, Failed};
use sinete_core::fault::Faults;
use sinete_core::provider::connection::Authentication;
use sinete_store::connections;

/// Whether nothing is wanted but that nobody is sent there.
pub(super) fn only_stops(shown: &Shown, wanted: &Wanted) -> bool {
    let Wanted { chosen, secret, domains, is_enabled, metadata } = wanted;
    let is_same = *chosen == shown.connection.chosen && secret.is_none() && metadata.is_none();
    is_same && !is_enabled && shown.domains.iter().map(ToString::to_string).eq(domains.iter().cloned())
}

/// Where people are to be sent there from now on, the secret that is kept must open.
pub(super) async fn must_open(
    engine: &Engine,
    shown: &Shown,
    wanted: &Wanted,
    faults: &mut Faults,
) -> Result<(), Failed> {
    let before = &shown.connection;
    let begins = wanted.is_enabled && !before.is_enabled;
    let is_kept = before.has_secret && wanted.secret.is_none();
    if !begins || !is_kept || authentication(&wanted.chosen) != Some(Authentication::ClientSecret) {
        return Ok(());
    }
    let sealed = connections::sealed_secret(engine.store(), before.id).await?;
    if sealed.and_then(|sealed| opened(engine, before.id, &sealed)).is_none() {
        faults.add("/client_secret", "the one that is kept cannot be opened: give it again");
    }
    Ok(())
}
