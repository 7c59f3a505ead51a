//! Signing out because an application asked for it, and telling every application of a session that ended.

use crate::authorize::vouching;
use crate::sessions::{self, SignedIn};
use crate::{Cause, Engine, Failed, issue};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::authorize::consent::Vouching;
use sinete_core::client::ClientId;
use sinete_core::client::metadata::ClientMetadata;
use sinete_core::entropy::draw;
use sinete_core::id::{MembershipId, SessionId};
use sinete_core::limits::{LOGOUT_MESSAGES_MAX, SESSION_AGE_MAX};
use sinete_core::logout::{self, Hint, LogoutClaims, Outcome};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::security::event::EventKind;
use sinete_core::signing::Algorithm;
use sinete_crypto::jwt::{self, Expected, TokenType};
use sinete_store::{Act, clients, grants};
use tokio::task::{JoinHandle, JoinSet};

/// What a request says, as it was sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// An ID token that shows who is meant.
    pub id_token_hint: Option<&'a str>,
    /// The client that asks.
    pub client_id: Option<&'a str>,
    /// Where the person is to be sent afterwards.
    pub post_logout_redirect_uri: Option<&'a str>,
    /// What is to be sent along.
    pub state: Option<&'a str>,
}

/// Signs the person out, or says that they have to be asked first.
pub async fn sign_out(
    engine: &Engine,
    asked: Asked<'_>,
    signed_in: Option<&SignedIn>,
    is_confirmed: bool,
    cause: &Cause,
) -> Result<Result<Outcome, Refusal>, Failed> {
    let hint = match asked.id_token_hint.map(|hint| read(engine, hint)).transpose() {
        Ok(hint) => hint,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let client = match &hint {
        Some(hint) => clients::find(engine.store(), &hint.aud).await?,
        None => None,
    };
    let metadata: Option<ClientMetadata> =
        client.as_ref().map(|client| client.metadata.read()).transpose()?;
    let metadata = metadata.unwrap_or_default();
    let proven = logout::Asked {
        hint: hint.as_ref(),
        client: asked.client_id,
        redirect: asked.post_logout_redirect_uri,
        state: asked.state,
        registered: &metadata.post_logout_redirect_uris,
        vouching: client.as_ref().map_or(Vouching::Nobody, vouching),
    };
    let session = signed_in.map(|signed_in| &signed_in.session);
    let outcome = match logout::decide(&proven, session.map(|session| session.id), is_confirmed) {
        Ok(outcome) => outcome,
        Err(unfit) => return Ok(Err(unfit_request(unfit))),
    };
    if let (Outcome::End(_), Some(session)) = (&outcome, session) {
        // Whoever ended it a moment before us told the others too.
        if sessions::end_silently(engine, session.account, session.id, cause).await?.is_ok() {
            telling(engine, vec![session.id], cause).await.map_err(|_| Failed::Interrupted)?;
        }
    }
    Ok(Ok(outcome))
}

/// The hint, if it is an ID token of ours from a time that a session can reach back to.
fn read(engine: &Engine, text: &str) -> Result<Hint, Refusal> {
    let (ring, now) = (engine.keys(), engine.now());
    let expected = Expected {
        of_type: TokenType::Id,
        algorithms: &Algorithm::ALL,
        issuer: &engine.settings().issuer,
        audience: None,
        now,
        tolerance: SESSION_AGE_MAX,
    };
    let claims = jwt::verify(text, ring.published(now), &expected).and_then(jwt::Claims::read);
    claims.map_err(|why| {
        let public = "the ID token that was sent along does not count";
        Refusal::new(RefusalCode::InvalidRequest, public, why.to_string())
    })
}

fn unfit_request(unfit: logout::Unfit) -> Refusal {
    let public = match unfit {
        logout::Unfit::TwoClients => "the request names another application than its ID token",
        logout::Unfit::UnknownAddress => "the address to go on to is not one this application registered",
    };
    Refusal::new(RefusalCode::InvalidRequest, public, public)
}

async fn metadata_of(engine: &Engine, client: &ClientId) -> Result<Option<ClientMetadata>, Failed> {
    let client = clients::find(engine.store(), client).await?;
    Ok(client.map(|client| client.metadata.read()).transpose()?)
}

/// Tells the clients of sessions that have ended, one session after the other, also where whoever ended them does not
/// wait for it.
pub(crate) fn telling(engine: &Engine, ended: Vec<SessionId>, cause: &Cause) -> JoinHandle<()> {
    let (engine, cause) = (engine.clone(), cause.clone());
    tokio::spawn(async move {
        for session in ended {
            if let Err(failed) = tell_clients(&engine, session, &cause).await {
                tracing::warn!(%session, %failed, "not everybody was told that a session ended");
            }
        }
    })
}

/// Tells every client that was granted something in the session that it ended, all at once, and waits for as long
/// as reaching an address may take. Who was not told stands in the log.
async fn tell_clients(engine: &Engine, session: SessionId, cause: &Cause) -> Result<(), Failed> {
    let mut under_way = JoinSet::new();
    for (client, membership) in grants::receivers_in(engine.store(), session, LOGOUT_MESSAGES_MAX).await? {
        let Some(metadata) = metadata_of(engine, &client).await? else { continue };
        let Some(address) = metadata.backchannel_logout_uri.clone() else { continue };
        let token = message(engine, &client, &metadata, (membership, session))?;
        let engine = engine.clone();
        under_way.spawn(async move {
            let form = format!("logout_token={token}");
            let answered = engine.web().post_form(&address, &form).await;
            let is_told = answered.is_ok_and(|answered| matches!(answered.status, 200 | 204));
            (client, is_told)
        });
    }
    let mut act = Act::new();
    while let Some(done) = under_way.join_next().await {
        let Ok((client, is_told)) = done else { return Err(Failed::Interrupted) };
        if !is_told {
            let event = engine.event(EventKind::LogoutNotDelivered, cause, engine.now());
            act = act.record(&event.about("session", session).through(client));
        }
    }
    engine.store().commit(act).await?.map_err(|_| Failed::Contended)?;
    Ok(())
}

/// The signed message for one client.
fn message(
    engine: &Engine,
    client: &ClientId,
    metadata: &ClientMetadata,
    told: (MembershipId, SessionId),
) -> Result<String, Failed> {
    let now = engine.now();
    let jti = URL_SAFE_NO_PAD.encode(draw::<16>(engine.entropy()));
    let claims = LogoutClaims::new(&engine.settings().issuer, client.clone(), told, jti, now);
    let algorithm = metadata.id_token_signed_response_alg.unwrap_or(Algorithm::Rs256);
    issue::sign(engine, algorithm, TokenType::Logout, &claims, now)
}
