//! What a new account will be made of, and whether that will do.

use super::super::{Judged, attempts};
use super::{hashed, read_address};
use crate::{Engine, Failed};
use sinete_core::fault::Faults;
use sinete_core::flow::Flow;
use sinete_core::flow::answer::Answer;
use sinete_core::flow::purpose::{FlowKind, Purpose};
use sinete_core::flow::stage::Mailed;
use sinete_core::id::AccountId;
use sinete_core::people::address::EmailAddress;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_store::Act;
use sinete_store::contacts::{self, Kind};

/// The account as it will be. An address that is somebody's already shows in nothing until it is proven.
pub(super) async fn judge(
    engine: &Engine,
    flow: &Flow,
    email: Option<&str>,
    password: &str,
    name: Option<&str>,
) -> Result<Result<Judged, Refusal>, Failed> {
    let (address, name) = match well_formed(flow, email, name) {
        Ok(read) => read,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let hash = match hashed(engine, password, &[address.as_str()]).await? {
        Ok(hash) => hash,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let lookup = address.lookup();
    let mut act = Act::new();
    if flow.kind() == FlowKind::SignUp {
        match attempts::pay_for_message(engine, &lookup).await? {
            Ok(paid) => act = act.with(paid),
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    let owner = contacts::find_verified(engine.store(), Kind::Email, &lookup).await?;
    if owner.is_some() && flow.kind() != FlowKind::SignUp {
        let public = "an account with this address is there already: sign in to it";
        return Ok(Err(Refusal::new(RefusalCode::Conflict, public, "the address is taken")));
    }
    let mailed = Mailed {
        address,
        account: owner.map(|contact| contact.account),
        new_account: Some(AccountId::mint(engine.now(), engine.entropy())),
        password: Some(hash),
        name,
    };
    Ok(Ok(Judged { answer: Answer::Drafted(mailed), act }))
}

fn well_formed(
    flow: &Flow,
    email: Option<&str>,
    name: Option<&str>,
) -> Result<(EmailAddress, Option<String>), Refusal> {
    let mut faults = Faults::default();
    if let Some(name) = name {
        faults.display_text("/name", name);
    }
    let address = match (flow.purpose(), email) {
        (Purpose::AcceptInvitation { address, .. }, None) => Some(address.clone()),
        (Purpose::AcceptInvitation { .. }, Some(_)) => {
            faults.add("/email", "the invitation says for which address it is");
            None
        }
        (_, Some(email)) => match read_address(email) {
            Ok(address) => Some(address),
            Err(refusal) => {
                faults.nest("", refusal.faults());
                None
            }
        },
        (_, None) => {
            faults.add("/email", "it is missing");
            None
        }
    };
    match address {
        Some(address) if faults.is_empty() => Ok((address, name.map(str::to_owned))),
        Some(_) | None => Err(Refusal::unfit(faults)),
    }
}
