//! What is typed about an application, as the management API writes it, and what the console calls what is wrong with it.

use super::super::members::chosen;
use super::super::{Trouble, Work};
use crate::extract::pairs::Pairs;
use crate::manage::clients::{ClientPatch, NewClient};
use crate::reply::Declined;
use serde_json::{Map, Value, json};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::Failed;
use sinete_engine::clients::{Changed, Shown, Wanted};
use sinete_screens::console::applications::GRANTS;
use sinete_screens::console::said::Said;

/// The application that a form asks for. Whoever registers an agent answers for it.
pub(super) fn wanted(work: &Work<'_>, form: &Pairs) -> Result<Result<Wanted, Trouble>, Declined> {
    let kind = form.get("kind").unwrap_or("application");
    let mut metadata = Map::new();
    write(&mut metadata, form);
    let mut body = json!({
        "kind": kind,
        "purpose": form.get("purpose").unwrap_or_default().trim(),
        "roles": chosen(form),
        "metadata": metadata,
    });
    if kind == "agent" {
        body["owner"] = json!(work.at.membership);
    }
    // A kind that there is not, or a way of proving oneself, was not chosen from what was offered.
    let Ok(new) = serde_json::from_value::<NewClient>(body) else {
        return Ok(Err(Trouble::Said(Said::NotPossible)));
    };
    told(new.wanted())
}

/// What a form makes of an application. What the form does not speak of stays as it is.
pub(super) fn changed(before: &Shown, form: &Pairs) -> Result<Result<Changed, Trouble>, Declined> {
    let mut body = serde_json::to_value(ClientPatch::of(before)?).map_err(|_| Failed::Interrupted)?;
    body["purpose"] = json!(form.get("purpose").unwrap_or_default().trim());
    if let Some(metadata) = body["metadata"].as_object_mut() {
        write(metadata, form);
    }
    if form.get("with_roles").is_some() {
        let carried: Vec<_> =
            before.member.iter().flat_map(|it| it.roles.iter().map(|role| role.id)).collect();
        let ticked = chosen(form);
        let stay = ticked.len() == carried.len() && carried.iter().all(|role| ticked.contains(role));
        body["roles"] = json!(if stay { carried } else { ticked });
    }
    let Ok(patch) = serde_json::from_value::<ClientPatch>(body) else {
        return Ok(Err(Trouble::Said(Said::NotPossible)));
    };
    told(patch.changed(before))
}

/// Puts what was typed in the place of what was there.
fn write(metadata: &mut Map<String, Value>, form: &Pairs) {
    let typed = |name: &str| form.get(name).unwrap_or_default().trim();
    let lines: Vec<&str> =
        typed("redirects").lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let ticked = GRANTS.iter().filter(|grant| form.get(&format!("grant.{}", grant.name)).is_some());
    metadata.insert("client_name".to_owned(), json!(typed("name")));
    metadata.insert("redirect_uris".to_owned(), json!(lines));
    metadata.insert("grant_types".to_owned(), json!(ticked.map(|grant| grant.wire).collect::<Vec<_>>()));
    let proof = form.get("proof").unwrap_or("client_secret_basic");
    metadata.insert("token_endpoint_auth_method".to_owned(), json!(proof));
    for (name, value) in [("jwks_uri", typed("keys")), ("scope", typed("scope"))] {
        match value {
            "" => metadata.remove(name),
            value => metadata.insert(name.to_owned(), json!(value)),
        };
    }
}

fn told<T>(read: Result<T, Declined>) -> Result<Result<T, Trouble>, Declined> {
    match read {
        Ok(read) => Ok(Ok(read)),
        Err(Declined::Refused(refusal)) => Ok(Err(trouble(refusal, Said::NotPossible))),
        Err(declined) => Err(declined),
    }
}

/// A form about an application was refused. The first thing that is wrong is told beside its field.
pub(super) fn trouble(refusal: Refusal, conflict: Said) -> Trouble {
    let first = refusal.faults().iter().next().map(|fault| fault.pointer.clone());
    match (refusal.code(), first) {
        (RefusalCode::Unprocessable, Some(pointer)) => Trouble::Said(said_of(&pointer)),
        _ => Trouble::Refused(refusal, conflict),
    }
}

/// What is wrong at this place of the document that the API takes.
fn said_of(pointer: &str) -> Said {
    let place = pointer.strip_prefix("/metadata").unwrap_or(pointer);
    let member = place.trim_start_matches('/').split('/').next().unwrap_or_default();
    match member {
        "client_name" => Said::NoName,
        "purpose" => Said::NoPurpose,
        "redirect_uris" => Said::BadRedirects,
        "token_endpoint_auth_method" => Said::MustProve,
        "jwks" | "jwks_uri" => Said::BadPublicKeys,
        "grant_types" | "response_types" => Said::BadGrants,
        "scope" => Said::BadScope,
        "roles" => Said::NeedsRole,
        _ => Said::NotPossible,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_what_the_api_takes_and_what_it_does_not_speak_of_stays() {
        let form = "name=+Ledger+&redirects=https%3A%2F%2Fa.example%2Fcb%0D%0A%0D%0A+http%3A%2F%2Flocalhost%2Fcb&\
                    grant.code=on&grant.own=on&proof=none&keys=&scope=openid+email";
        let mut metadata =
            json!({"client_name": "Old", "jwks_uri": "https://a.example/keys", "contacts": ["c"]});
        write(metadata.as_object_mut().unwrap(), &Pairs::parse(form.as_bytes()).unwrap());
        let expected = json!({
            "client_name": "Ledger",
            "redirect_uris": ["https://a.example/cb", "http://localhost/cb"],
            "grant_types": ["authorization_code", "client_credentials"],
            "token_endpoint_auth_method": "none",
            "scope": "openid email",
            "contacts": ["c"],
        });
        assert_eq!(metadata, expected);
    }

    #[test]
    fn what_is_wrong_is_told_where_it_was_typed() {
        for (pointer, said) in [
            ("/metadata/client_name", Said::NoName),
            ("/metadata/redirect_uris/3", Said::BadRedirects),
            ("/metadata/scope", Said::BadScope),
            ("/metadata/grant_types", Said::BadGrants),
            ("/metadata/token_endpoint_auth_method", Said::MustProve),
            ("/metadata/jwks", Said::BadPublicKeys),
            ("/roles", Said::NeedsRole),
            ("/roles/1", Said::NeedsRole),
            ("/purpose", Said::NoPurpose),
            ("/metadata/logo_uri", Said::NotPossible),
        ] {
            assert_eq!(said_of(pointer), said, "{pointer}");
        }
    }

    #[test]
    fn every_way_of_getting_tokens_is_offered_by_the_name_it_goes_by() {
        use sinete_core::client::metadata::{AuthenticationMethod, GrantType};
        use sinete_screens::console::applications::PROOFS;
        assert_eq!(GRANTS.map(|grant| grant.wire), GrantType::ALL.map(GrantType::as_str));
        let known = AuthenticationMethod::ALL.map(AuthenticationMethod::as_str);
        assert!(PROOFS.iter().all(|proof| known.contains(proof)));
    }
}
