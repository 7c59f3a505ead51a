//! A test sign-in at an identity provider: starts it, and shows what the provider reported and what a sign-in would
//! do with it.

use super::super::{ActionOutcome, Outcome, PageContext, parse_page_id};
use super::provider_away_redirect;
use sinete_core::assurance::AssuranceLevel;
use sinete_core::id::ConnectionId;
use sinete_core::refusal::RefusalCode;
use sinete_engine::Error;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::sign_in::flows::ProviderCallback;
use sinete_engine::sign_in::flows::connection_test::{
    ConnectionTestReport, SignInDecision, SignInObstacle, SignInPreview, finish_connection_test,
    start_connection_test,
};
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, BlockLink, BlockPageView, CellTone, FactsBlock, PageBlock, TableBlock, TableRow,
};
use sinete_screens::locales::LocalePhrases;
use sinete_screens::sign_in::provider_redirect::ProviderRedirectView;
use sinete_server::reply::HandlerResult;

/// Starts a test sign-in. The page of the form ends here and continues at the provider by itself, because the policy
/// of the page allows no redirect of a form to another origin.
pub(super) async fn start_test(
    context: &PageContext<'_>,
    access: &OrganizationAccess,
    id: ConnectionId,
) -> Outcome {
    let account = context.access.holder.account();
    match start_connection_test(context.engine(), access, account, id).await {
        Ok(address) => {
            let page = ProviderRedirectView { address: &address }.render(&context.frame());
            Ok(ActionOutcome::Response(context.page_response(page)))
        }
        Err(Error::Refused(refusal)) if refusal.code() == RefusalCode::Unprocessable => {
            Ok(provider_away_redirect(context, refusal.detail()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Shows the result of a test sign-in, once.
pub(in crate::console) async fn show_test_result(context: &PageContext<'_>, id: &str) -> HandlerResult {
    let connection: ConnectionId = parse_page_id(id)?;
    context.state.rate_limit(context.request).check_account_write(context.access.holder.account())?;
    let read = |name: &str| context.query.get(name).map(str::to_owned);
    let returned = ProviderCallback {
        state: read("state").unwrap_or_default(),
        code: read("code"),
        iss: read("iss"),
        error: read("error"),
        callback_connection: Some(connection),
    };
    let (access, account) = (context.access.organization_access(), context.access.holder.account());
    let result = finish_connection_test(context.engine(), access, account, connection, &returned).await;
    let (phrases, area) = (context.phrases(), context.return_to.organization_path());
    let back = format!("{area}/connections/{connection}");
    let blocks = match result {
        Ok(report) => report_blocks(phrases, &area, &back, &report, context.query.get("error_description")),
        Err(Error::Refused(refusal)) if refusal.code() != RefusalCode::InvalidRequest => {
            return Err(refusal.into());
        }
        Err(Error::Refused(refusal)) => {
            context.request.context().record_refusal(&refusal);
            let facts =
                vec![(phrases.sso_wizard.result.to_owned(), BlockCell::text(phrases.sso_wizard.over))];
            vec![facts_block(phrases, facts, &[(phrases.sso_wizard.back, back.as_str())])]
        }
        Err(Error::Failed(failure)) => return Err(failure.into()),
    };
    let page = BlockPageView {
        layout: context.layout(ConsoleSection::Connections),
        title: phrases.sso_wizard.test.to_owned(),
        introduction: phrases.sso_wizard.result_lead.to_owned(),
        blocks,
    };
    Ok(context.page_response(page.render(&context.frame())))
}

fn facts_block(
    phrases: &LocalePhrases,
    facts: Vec<(String, BlockCell)>,
    links: &[(&str, &str)],
) -> PageBlock {
    let link = |(text, path): &(&str, &str)| BlockLink { text: (*text).to_owned(), path: (*path).to_owned() };
    PageBlock::Facts(FactsBlock {
        id: "result".to_owned(),
        title: phrases.sso_wizard.result.to_owned(),
        facts,
        links: links.iter().map(link).collect(),
    })
}

fn report_blocks(
    phrases: &'static LocalePhrases,
    area: &str,
    back: &str,
    report: &ConnectionTestReport,
    description: Option<&str>,
) -> Vec<PageBlock> {
    let w = &phrases.sso_wizard;
    let mut links = vec![(w.back, back.to_owned())];
    let facts = match &report.outcome {
        Ok(preview) => {
            if let SignInDecision::Refused(
                SignInObstacle::DomainMissing(_) | SignInObstacle::DomainUnverified(_),
            ) = preview.decision
            {
                links.push((phrases.domains.title, format!("{area}/domains")));
            }
            preview_facts(phrases, area, preview)
        }
        Err(reason) => {
            let block_cell = BlockCell::english_text(reason.as_str());
            let described =
                description.map(|it| BlockCell::english_text(it.chars().take(300).collect::<String>()));
            vec![
                (w.decision.to_owned(), BlockCell::tag(w.rejected, CellTone::Warn)),
                (
                    w.reason.to_owned(),
                    described.map_or_else(|| block_cell.clone(), |it| block_cell.clone().append(it)),
                ),
            ]
        }
    };
    let links: Vec<(&str, &str)> = links.iter().map(|(text, path)| (*text, path.as_str())).collect();
    let rows = report.claims.iter().map(|claim| TableRow {
        cells: vec![BlockCell::keyword(claim.name.as_str()), claim_values(&claim.values)],
        button: None,
    });
    let claims = TableBlock {
        id: "claims".to_owned(),
        title: w.claims.to_owned(),
        introduction: w.claims_lead.to_owned(),
        columns: vec![w.claim.to_owned(), w.value.to_owned()],
        rows: rows.collect(),
        empty: w.no_claims.to_owned(),
        ..TableBlock::default()
    };
    vec![facts_block(phrases, facts, &links), PageBlock::Table(claims)]
}

/// The values of a claim, each with a button that copies it.
fn claim_values(values: &[String]) -> BlockCell {
    let values = values.iter().filter(|value| !value.is_empty());
    values.map(BlockCell::code).fold(BlockCell::default(), BlockCell::append)
}

fn preview_facts(
    phrases: &'static LocalePhrases,
    area: &str,
    preview: &SignInPreview,
) -> Vec<(String, BlockCell)> {
    let w = &phrases.sso_wizard;
    let (tag, tone, reason) = match &preview.decision {
        SignInDecision::SignsIn(_) => (w.signs_in, CellTone::Good, w.signs_in_why.to_owned()),
        SignInDecision::ClaimsMembership(_) => (w.takes_over, CellTone::Good, w.takes_over_why.to_owned()),
        SignInDecision::Joins(address) => (w.joins, CellTone::Good, w.joins_why(address.as_str())),
        SignInDecision::Refused(obstacle) => (w.refused, CellTone::Warn, obstacle_text(phrases, obstacle)),
    };
    let mut facts = vec![
        (w.decision.to_owned(), BlockCell::tag(tag, tone)),
        (w.reason.to_owned(), BlockCell::text(reason)),
    ];
    if let SignInDecision::SignsIn(member) | SignInDecision::ClaimsMembership(member) = &preview.decision {
        let name = if member.name.is_empty() { member.id.to_string() } else { member.name.clone() };
        facts.push((w.member.to_owned(), BlockCell::link(name, format!("{area}/members/{}", member.id))));
    }
    if !matches!(preview.decision, SignInDecision::Refused(_)) {
        facts.push((w.roles.to_owned(), BlockCell::text(preview.roles.join(", "))));
        let level = match preview.assurance {
            AssuranceLevel::One => phrases.settings.aal1,
            AssuranceLevel::Two => phrases.settings.aal2,
        };
        facts.push((w.assurance.to_owned(), BlockCell::text(level)));
    }
    facts
}

fn obstacle_text(phrases: &'static LocalePhrases, obstacle: &SignInObstacle) -> String {
    let w = &phrases.sso_wizard;
    match obstacle {
        SignInObstacle::Account => w.account_why.to_owned(),
        SignInObstacle::Membership => w.membership_why.to_owned(),
        SignInObstacle::NoVerifiedEmail => w.no_address_why.to_owned(),
        SignInObstacle::NoEmailAttribute => w.no_attribute_why.to_owned(),
        SignInObstacle::DomainMissing(domain) => w.domain_missing_why(domain.as_str()),
        SignInObstacle::DomainUnverified(domain) => w.domain_unverified_why(domain.as_str()),
        SignInObstacle::DomainNotRouted(domain) => w.domain_elsewhere_why(domain.as_str()),
    }
}
