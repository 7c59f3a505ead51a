//! `sinete-bench tokens`: what a token costs, beside the signature and the durable rows that it cannot do without.

use crate::failed::Failed;
use crate::load::Request;
use crate::load::chain::{Chain, member};
use crate::load::connection::Connection;
use crate::measure_http::{Work, compared_row, compared_table, round};
use crate::report::Table;
use crate::server::{Server, start_floor, start_sinete};
use crate::settings::Settings;
use crate::token_instance::{ARCHIVES, INVOICES, LEDGERS, TokenInstance};

const TOKEN: &str = "/connect/token";
const INTROSPECT: &str = "/connect/introspect";

/// Measures introspection, services that ask for themselves with each algorithm, exchanges and refreshes.
pub async fn measure(settings: &Settings) -> Result<Vec<Table>, Failed> {
    let (sinete_folder, floor_folder) = (settings.temporary_folder()?, settings.temporary_folder()?);
    let instance = TokenInstance::prepare(settings, sinete_folder.path()).await?;
    let sinete = start_sinete(&settings.sinete, sinete_folder.path()).await?;
    let floor = start_floor(&settings.floor, floor_folder.path(), 1).await?;
    let own =
        |resource: &str| format!("{}&grant_type=client_credentials&resource={resource}", instance.robot);
    let shown = access_token(&sinete, &own(INVOICES)).await?;
    let shown = format!("{}&token={shown}", instance.robot);
    let exchange = format!(
        "{}&grant_type=token-exchange&subject_token_type=urn:ietf:params:oauth:token-type:access_token\
         &subject_token={}",
        instance.robot,
        access_token(&sinete, &own(INVOICES)).await?
    );
    let mut rows = Vec::new();
    // Introspection comes first, while the token that it is about counts.
    for (name, path, form, floor_path) in [
        ("introspection, ES256", INTROSPECT, shown, "/introspect"),
        ("client credentials, ES256", TOKEN, own(INVOICES), "/credentials"),
        ("client credentials, EdDSA", TOKEN, own(LEDGERS), "/credentials/eddsa"),
        ("client credentials, RS256", TOKEN, own(ARCHIVES), "/credentials/rs256"),
        ("exchange", TOKEN, exchange, "/exchange"),
    ] {
        settings.progress(&format!("tokens: {name}"));
        let (mut floors, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..settings.rounds {
            let theirs = Work::Script(vec![Request::post_form(floor_path, "")]);
            floors.push(round(settings, &floor, theirs).await?);
            ours.push(round(settings, &sinete, Work::Script(vec![Request::post_form(path, &form)])).await?);
        }
        rows.push(compared_row(name, &floors, &ours));
    }
    settings.progress("tokens: refresh");
    let (mut floors, mut ours) = (Vec::new(), Vec::new());
    let form = format!("{}&grant_type=refresh_token&refresh_token=", instance.app);
    // A line of refresh tokens goes on where its round left off only if nobody starts it anew: each round has
    // lines of its own.
    for line in instance.refresh_tokens.chunks(settings.connections).take(settings.rounds as usize) {
        let chain = |token: &String| Chain {
            path: TOKEN,
            form: form.clone(),
            member: "refresh_token",
            next: token.clone(),
        };
        floors.push(round(settings, &floor, Work::Script(vec![Request::post_form("/rotate", "")])).await?);
        ours.push(round(settings, &sinete, Work::Chains(line.iter().map(chain).collect())).await?);
    }
    rows.push(compared_row("refresh", &floors, &ours));
    sinete.end().await?;
    floor.end().await?;
    Ok(vec![compared_table("Tokens: Sinete beside the floor", rows)])
}

async fn access_token(server: &Server, form: &str) -> Result<String, Failed> {
    let mut connection = Connection::to(server.address);
    let answer = connection
        .exchange(Request::post_form(TOKEN, form).bytes())
        .await
        .map_err(|fault| Failed::Unexpected(format!("could not get a token: {fault}")))?;
    member(answer.bytes, "access_token").ok_or_else(|| {
        Failed::Unexpected(format!("no token was issued: {}", String::from_utf8_lossy(answer.bytes)))
    })
}
