//! *Try it now*: the console signs the administrator in with a test client, and shows the decoded tokens once.

use super::super::{ActionOutcome, Outcome, PageContext, parse_page_id};
use crate::oauth::authorize::response::redirect_response;
use serde_json::{Map, Value};
use sinete_core::client_id::ClientId;
use sinete_core::identity_providers::oidc::authorization_request::append_query;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::oauth::test_sign_in::{ApplicationTest, DecodedToken, TestResponse, TestTokens};
use sinete_engine::{Error, Failure};
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::application_test::{ApplicationTestView, DecodedTokenText, TestResultView};
use sinete_server::reply::HandlerResult;

/// Starts a test: creates the test client, and redirects to the authorization endpoint.
pub(super) async fn start_test(
    context: &PageContext<'_>,
    access: &OrganizationAccess,
    application: &ClientId,
) -> Outcome {
    let redirect_uri = format!("{}{}/test", context.engine().settings().issuer, context.path);
    let test = ApplicationTest {
        access,
        account: context.access.holder.account(),
        application,
        redirect_uri: &redirect_uri,
    };
    let parameters = test.start(context.engine()).await?;
    let parameters: Vec<(&str, &str)> =
        parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let endpoint = format!("{}/connect/authorize", context.engine().settings().issuer);
    let address = append_query(&endpoint, &parameters).ok_or(Failure::Interrupted)?;
    Ok(ActionOutcome::Response(redirect_response(&address)))
}

/// Shows the result of a test, once: the test client is removed.
pub(in crate::console) async fn show_test_result(context: &PageContext<'_>, id: &str) -> HandlerResult {
    let application: ClientId = parse_page_id(id)?;
    context.state.rate_limit(context.request).check_account_write(context.access.holder.account())?;
    let redirect_uri = format!("{}{}", context.engine().settings().issuer, context.path);
    let test = ApplicationTest {
        access: context.access.organization_access(),
        account: context.access.holder.account(),
        application: &application,
        redirect_uri: &redirect_uri,
    };
    let read = |name: &str| context.query.get(name).unwrap_or_default();
    let response =
        TestResponse { code: context.query.get("code"), state: read("state"), issuer: read("iss") };
    let (tokens, refused) = match test.finish(context.engine(), &response, &context.access.holder.cause).await
    {
        Ok(tokens) => (tokens.as_ref().map(TestTokenText::from_tokens), None),
        Err(Error::Refused(refusal)) => {
            context.request.context().record_refusal(&refusal);
            (None, Some(refusal))
        }
        Err(Error::Failed(failure)) => return Err(failure.into()),
    };
    let result = match (&tokens, &refused) {
        (Some(tokens), _) => tokens.to_view(),
        (None, Some(_)) => TestResultView::Unavailable,
        (None, None) => TestResultView::Error { code: read("error"), description: read("error_description") },
    };
    let page = ApplicationTestView {
        layout: context.layout(ConsoleSection::Applications),
        application: application.as_str(),
        result,
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// The texts of the tokens.
struct TestTokenText {
    id_token: Option<(String, String)>,
    access_token: (String, String),
    scope: String,
    seconds: i64,
}

impl TestTokenText {
    fn from_tokens(tokens: &TestTokens) -> Self {
        let token_texts = |token: &DecodedToken| (indented_json(&token.header), indented_json(&token.claims));
        Self {
            id_token: tokens.id_token.as_ref().map(token_texts),
            access_token: token_texts(&tokens.access_token),
            scope: tokens.scope.to_string(),
            seconds: tokens.seconds,
        }
    }

    fn to_view(&self) -> TestResultView<'_> {
        TestResultView::Tokens {
            id_token: self.id_token.as_ref().map(|(header, claims)| DecodedTokenText { header, claims }),
            access_token: DecodedTokenText { header: &self.access_token.0, claims: &self.access_token.1 },
            scope: &self.scope,
            seconds: self.seconds,
        }
    }
}

fn indented_json(members: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(members).unwrap_or_default()
}
