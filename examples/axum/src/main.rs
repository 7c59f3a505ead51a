//! A web application with axum and the crate openidconnect: authorization code flow with PKCE, and userinfo.

use axum::extract::{Query, State};
use axum::response::{Html, Redirect};
use axum::{Router, routing::get};
use openidconnect::core::{CoreAuthenticationFlow, CoreClient, CoreProviderMetadata, CoreUserInfoClaims};
use openidconnect::{
    AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointMaybeSet, EndpointNotSet, EndpointSet,
};
use openidconnect::{
    IssuerUrl, Nonce, OAuth2TokenResponse as _, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope, reqwest,
};
use std::{env, error::Error, sync::Arc};
use tower_sessions::{MemoryStore, Session, SessionManagerLayer, cookie::SameSite};

type Provider =
    CoreClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointMaybeSet, EndpointMaybeSet>;
type App = Arc<(Provider, reqwest::Client)>;
type Failure = (axum::http::StatusCode, String);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let issuer = env::var("ISSUER").unwrap_or("http://localhost:8080".into());
    let base_url = format!("http://localhost:{}", env::var("PORT").unwrap_or("3000".into()));
    let http = reqwest::ClientBuilder::new().redirect(reqwest::redirect::Policy::none()).build()?;
    let metadata = CoreProviderMetadata::discover_async(IssuerUrl::new(issuer)?, &http).await?;
    let secret = ClientSecret::new(env::var("CLIENT_SECRET")?);
    let provider = CoreClient::from_provider_metadata(metadata, ClientId::new("quickstart-axum".into()), Some(secret))
        .set_redirect_uri(RedirectUrl::new(format!("{base_url}/callback"))?);
    // Cookies need https in production: leave `with_secure(false)` out there.
    let sessions = SessionManagerLayer::new(MemoryStore::default()).with_secure(false).with_same_site(SameSite::Lax);
    let routes = Router::new().route("/", get(home)).route("/login", get(login)).route("/callback", get(callback));
    let app = routes.layer(sessions).with_state(Arc::new((provider, http)));
    let listener = tokio::net::TcpListener::bind(base_url.trim_start_matches("http://")).await?;
    println!("Open {base_url}");
    Ok(axum::serve(listener, app).await?)
}

async fn home(session: Session) -> Result<Html<String>, Failure> {
    let user: Option<String> = session.get("user").await.map_err(fail)?;
    Ok(Html(match user {
        Some(user) => format!("<p>Signed in as {}</p>", user.replace('&', "&amp;").replace('<', "&lt;")),
        None => "<a href=\"/login\">Sign in</a>".into(),
    }))
}

async fn login(State(app): State<App>, session: Session) -> Result<Redirect, Failure> {
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let flow = CoreAuthenticationFlow::AuthorizationCode;
    let request = app.0.authorize_url(flow, CsrfToken::new_random, Nonce::new_random).set_pkce_challenge(challenge);
    let (url, state, nonce) = request.add_scopes(["profile", "email"].map(|it| Scope::new(it.into()))).url();
    session.insert("sign_in", (state, nonce, verifier)).await.map_err(fail)?;
    Ok(Redirect::to(url.as_str()))
}

#[derive(serde::Deserialize)]
struct Callback {
    code: String,
    state: CsrfToken,
}

async fn callback(
    State(app): State<App>,
    session: Session,
    Query(query): Query<Callback>,
) -> Result<Redirect, Failure> {
    let pending: Option<(CsrfToken, Nonce, PkceCodeVerifier)> = session.remove("sign_in").await.map_err(fail)?;
    let (_, nonce, verifier) =
        pending.filter(|it| it.0.secret() == query.state.secret()).ok_or(fail("no sign-in was started here"))?;
    let (provider, http) = &*app;
    let request = provider.exchange_code(AuthorizationCode::new(query.code)).map_err(fail)?.set_pkce_verifier(verifier);
    let tokens = request.request_async(http).await.map_err(fail)?;
    let id_token = tokens.extra_fields().id_token().ok_or(fail("no ID token"))?;
    let subject = id_token.claims(&provider.id_token_verifier(), &nonce).map_err(fail)?.subject().clone();
    let request = provider.user_info(tokens.access_token().clone(), Some(subject)).map_err(fail)?;
    let claims: CoreUserInfoClaims = request.request_async(http).await.map_err(fail)?;
    let name = claims.name().and_then(|names| names.get(None)).map_or("", |name| name);
    session.cycle_id().await.map_err(fail)?;
    session.insert("user", format!("{name} ({})", claims.email().map_or("", |email| email))).await.map_err(fail)?;
    Ok(Redirect::to("/"))
}

fn fail(reason: impl ToString) -> Failure {
    (axum::http::StatusCode::BAD_REQUEST, reason.to_string())
}
