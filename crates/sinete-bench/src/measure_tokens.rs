//! `sinete-bench tokens`: the cost of a token, compared with the unavoidable signature and durable rows.

use crate::failed::BenchError;
use crate::load::LoadRequest;
use crate::load::chain::{CodeFlow, RenewalChain, RequestChain, extract_member};
use crate::load::connection::HttpConnection;
use crate::measure_http::{RoundWork, comparison_row, comparison_table, run_round};
use crate::report::{ReportTable, TableCell};
use crate::server::{ChildServer, start_floor, start_sinete_with};
use crate::settings::BenchSettings;
use crate::throwaway::TemporaryDatabase;
use crate::token_instance::{ARCHIVES, INVOICES, LEDGERS, TokenInstance};

pub(crate) const TOKEN: &str = "/connect/token";
pub(crate) const INTROSPECT: &str = "/connect/introspect";
/// RFC 7636, appendix B.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Measures introspection, client credentials with each algorithm, token exchange, refresh tokens and code
/// flows, on SQLite and, if configured, on PostgreSQL.
pub async fn measure(settings: &BenchSettings) -> Result<Vec<ReportTable>, BenchError> {
    let sqlite =
        comparison_table("Tokens: Sinete and the floor, SQLite", measure_rows(settings, None).await?);
    let Some(cluster) = &settings.postgres else { return Ok(vec![sqlite]) };
    let (ours, theirs) =
        (TemporaryDatabase::create(cluster).await?, TemporaryDatabase::create(cluster).await?);
    let rows = measure_rows(settings, Some((&ours.url, &theirs.url))).await;
    ours.remove().await?;
    theirs.remove().await?;
    Ok(vec![sqlite, comparison_table("Tokens: Sinete and the floor, PostgreSQL", rows?)])
}

/// Both servers, each with its own database.
struct ComparedServers<'a> {
    settings: &'a BenchSettings,
    sinete: ChildServer,
    floor: ChildServer,
}

async fn measure_rows(
    settings: &BenchSettings,
    databases: Option<(&str, &str)>,
) -> Result<Vec<Vec<TableCell>>, BenchError> {
    let (sinete_folder, floor_folder) = (settings.temporary_folder()?, settings.temporary_folder()?);
    let (ours, theirs) = databases.unzip();
    let instance = TokenInstance::prepare_at(settings, sinete_folder.path(), ours).await?;
    let variables: Vec<_> = ours.map(|url| ("SINETE_DATABASE_URL", url)).into_iter().collect();
    let sinete = start_sinete_with(&settings.sinete, sinete_folder.path(), &variables).await?;
    let floor = start_floor(&settings.floor, floor_folder.path(), 1, theirs).await?;
    let sides = ComparedServers { settings, sinete, floor };
    let introspection_form =
        format!("{}&token={}", instance.robot, request_access_token(&sides.sinete, &instance).await?);
    let exchange = token_exchange_form(&instance, &request_access_token(&sides.sinete, &instance).await?);
    let mut rows = Vec::new();
    // Introspection comes first, while its token is valid.
    for (name, path, form, floor_path) in [
        ("introspection of a known token, ES256", INTROSPECT, introspection_form, "/introspect"),
        ("client credentials, ES256", TOKEN, client_credentials_form(&instance, INVOICES), "/credentials"),
        (
            "client credentials, EdDSA",
            TOKEN,
            client_credentials_form(&instance, LEDGERS),
            "/credentials/eddsa",
        ),
        (
            "client credentials, RS256",
            TOKEN,
            client_credentials_form(&instance, ARCHIVES),
            "/credentials/rs256",
        ),
        ("exchange of a known token", TOKEN, exchange, "/exchange"),
    ] {
        let script = || RoundWork::Script(vec![LoadRequest::post_form(path, &form)]);
        rows.extend(sides.compare(name, &[floor_path], |_| script()).await?);
    }
    let renewals = |turn: usize| build_renewals(settings, &instance, turn);
    rows.extend(sides.compare("refresh", &["/rotate"], renewals).await?);
    let flow = RequestChain::CodeFlow(build_code_flow(&instance));
    let flows = |_| RoundWork::Chains(vec![flow.clone(); settings.connections]);
    rows.extend(sides.compare("code flow with a session", &["/authorize", "/redeem"], flows).await?);
    sides.sinete.stop().await?;
    sides.floor.stop().await?;
    Ok(rows)
}

impl ComparedServers<'_> {
    /// Runs rounds of both sides in turn, unless the workload is excluded by a filter.
    async fn compare(
        &self,
        name: &str,
        floor_paths: &[&str],
        ours: impl Fn(usize) -> RoundWork,
    ) -> Result<Option<Vec<TableCell>>, BenchError> {
        if !self.settings.only.as_deref().is_none_or(|only| name.contains(only)) {
            return Ok(None);
        }
        self.settings.progress(&format!("tokens: {name}"));
        let (mut floor_rounds, mut our_rounds) = (Vec::new(), Vec::new());
        for turn in 0..self.settings.rounds as usize {
            let script = floor_paths.iter().map(|path| LoadRequest::post_form(path, "")).collect();
            floor_rounds.push(run_round(self.settings, &self.floor, RoundWork::Script(script)).await?);
            our_rounds.push(run_round(self.settings, &self.sinete, ours(turn)).await?);
        }
        Ok(Some(comparison_row(name, &floor_rounds, &our_rounds)))
    }
}

/// The form of a client credentials request.
pub(crate) fn client_credentials_form(instance: &TokenInstance, resource: &str) -> String {
    format!("{}&grant_type=client_credentials&resource={resource}", instance.robot)
}

/// The form of a token exchange.
pub(crate) fn token_exchange_form(instance: &TokenInstance, subject_token: &str) -> String {
    format!(
        "{}&grant_type=token-exchange&subject_token_type=urn:ietf:params:oauth:token-type:access_token\
         &subject_token={subject_token}",
        instance.robot,
    )
}

/// Chains of refreshes. A refresh token family can be used by one round only, so each round has its own.
pub(crate) fn build_renewals(settings: &BenchSettings, instance: &TokenInstance, turn: usize) -> RoundWork {
    let mut lines = instance.refresh_tokens.chunks(settings.connections);
    let renewal = |token: &String| {
        let form = format!("{}&grant_type=refresh_token&refresh_token=", instance.app);
        RequestChain::Renewal(RenewalChain {
            path: TOKEN,
            form,
            member: "refresh_token",
            next: token.clone(),
        })
    };
    RoundWork::Chains(lines.nth(turn).unwrap_or_default().iter().map(renewal).collect())
}

/// A code flow of a signed-in user with an existing consent.
pub(crate) fn build_code_flow(instance: &TokenInstance) -> CodeFlow {
    let query = format!(
        "response_type=code&client_id=app&redirect_uri=https://app.example/callback&scope=openid%20invoices:read\
         &resource={INVOICES}&state=s&nonce=n&code_challenge={CHALLENGE}&code_challenge_method=S256"
    );
    CodeFlow {
        authorize: LoadRequest::get_in_session(&format!("/connect/authorize?{query}"), &instance.session),
        path: TOKEN,
        form: format!(
            "{}&grant_type=authorization_code&redirect_uri=https://app.example/callback\
             &code_verifier={VERIFIER}&code=",
            instance.app
        ),
    }
}

/// Requests an access token with client credentials.
pub(crate) async fn request_access_token(
    server: &ChildServer,
    instance: &TokenInstance,
) -> Result<String, BenchError> {
    let mut connection = HttpConnection::new(server.address);
    let answer = connection
        .exchange(LoadRequest::post_form(TOKEN, &client_credentials_form(instance, INVOICES)).bytes())
        .await
        .map_err(|fault| BenchError::Unexpected(format!("could not get a token: {fault}")))?;
    extract_member(answer.bytes, "access_token").ok_or_else(|| {
        BenchError::Unexpected(format!("no token was issued: {}", String::from_utf8_lossy(answer.bytes)))
    })
}
