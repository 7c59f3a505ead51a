//! Checks identity providers and domain verification records. Only `doctor` runs these checks: they never
//! keep the server from starting.

use crate::config::Config;
use crate::config::values::ConfiguredMode;
use crate::exit::CommandError;
use crate::os::SystemClock;
use crate::outbound::dns::DnsClient;
use crate::startup::checks::evaluation::{DoctorCheck, DoctorFinding, FindingSeverity};
use crate::startup::engine;
use sinete_core::identity_providers::connections::{IdentityProviderIssuer, InsecureProviderPolicy};
use sinete_core::identity_providers::oidc::metadata::OidcProviderMetadata;
use sinete_core::identity_providers::owner_confirmation::OwnerConfirmation;
use sinete_core::limits::SAML_CERTIFICATE_EXPIRY_WARNING;
use sinete_core::organizations::domains::DomainRecordCheck;
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_engine::identity_providers::saml;
use sinete_engine::ports::{DnsResolver, OutboundHttp};
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;
use sinete_store::organizations::domains;
use sinete_store::organizations::domains::DomainRow;
use sinete_store::{Store, StoreAccess, StoreOptions};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Maximum providers, and maximum domains, that are checked.
const CHECKED_MAX: u32 = 100;
/// The number of concurrent checks.
const CONCURRENT_CHECKS_MAX: usize = 16;

/// Checks all providers and domains. Returns nothing for an instance without any; database errors are
/// reported elsewhere.
pub async fn check_providers_and_domains(config: &Config) -> Vec<DoctorFinding> {
    let Some((connected, domains)) = load_connections_and_domains(config).await else { return Vec::new() };
    let mut findings = Vec::new();
    let now = SystemClock.now();
    findings.extend(connected.iter().filter_map(|connection| check_saml_certificates(connection, now)));
    findings.extend(connected.iter().filter_map(check_owner_confirmation));
    let others = connected.iter().filter(|connection| connection.settings.saml_settings().is_none());
    let issuers = others.map(|connection| connection.issuer.as_str().to_owned()).collect();
    match engine::build_guarded_http(config, Arc::new(SystemClock)) {
        Ok(web) => findings.extend(check_oidc_issuers(config.mode, web, issuers).await),
        Err(CommandError { message, .. }) => {
            findings.push(warning(DoctorCheck::Providers, message, "fix the keys that begin with outbound."))
        }
    }
    if !domains.is_empty() {
        match DnsClient::new(&config.outbound.dns_servers) {
            Ok(resolver) => findings.extend(check_domain_records(Arc::new(resolver), domains).await),
            Err(reason) => findings.push(warning(DoctorCheck::Domains, reason, "set outbound.dns_servers")),
        }
    }
    findings
}

/// Checks the certificates of a SAML provider, without contacting it.
fn check_saml_certificates(connection: &ConnectionRow, now: Timestamp) -> Option<DoctorFinding> {
    let issuer = &connection.issuer;
    let last =
        saml::parse_certificates(connection.settings.saml_settings()?).iter().map(|it| it.expires_at()).max();
    let day = |at: Timestamp| at.to_string().chars().take(10).collect::<String>();
    let remedy = "see which certificate the provider signs with, and add it to the connection";
    Some(match last {
        None => {
            let summary =
                format!("the provider {issuer} cannot be used: it has no certificate that can be read");
            warning(DoctorCheck::Providers, summary, remedy)
        }
        Some(last) if last <= now => {
            let summary = format!("the last certificate of the provider {issuer} ended on {}", day(last));
            warning(DoctorCheck::Providers, summary, remedy)
        }
        Some(last) if last <= now.plus(SAML_CERTIFICATE_EXPIRY_WARNING) => {
            let summary = format!("the last certificate of the provider {issuer} ends on {}", day(last));
            warning(DoctorCheck::Providers, summary, remedy)
        }
        Some(last) => {
            let summary = format!("the provider {issuer} has a certificate until {}", day(last));
            passed(DoctorCheck::Providers, summary)
        }
    })
}

/// Warns about a connection that should claim provisioned memberships but is not confirmed by an owner.
fn check_owner_confirmation(connection: &ConnectionRow) -> Option<DoctorFinding> {
    let is_missing = connection.confirmation == OwnerConfirmation::Missing;
    (is_missing && connection.settings.external_id_claim.is_some()).then(|| {
        let summary = format!(
            "provisioned memberships are not claimed through the provider {}: no owner confirmed the connection",
            connection.issuer
        );
        warning(DoctorCheck::Providers, summary, "an owner of the organization saves the connection once")
    })
}

/// Loads the enabled connections and the verified domains.
async fn load_connections_and_domains(config: &Config) -> Option<(Vec<ConnectionRow>, Vec<DomainRow>)> {
    let address = &config.database.address;
    if address.path().is_some_and(|path| !path.exists()) {
        return None;
    }
    let options = StoreOptions { connections: 1, ..config.database.store_options(StoreAccess::ReadOnly) };
    let store = Store::open(address, &options).await.ok()?;
    let result = query_connections_and_domains(&store).await;
    store.close().await;
    result
}

async fn query_connections_and_domains(store: &Store) -> Option<(Vec<ConnectionRow>, Vec<DomainRow>)> {
    let version = store.load_info().await.ok()?.schema_version?;
    if version < connections::SCHEMA_VERSION_MIN {
        return None;
    }
    let connected = connections::list_enabled_connections(store, CHECKED_MAX).await.ok()?;
    // Every domain was last checked before tomorrow, so this selects all.
    let tomorrow = SystemClock.now().plus(Lifetime::from_days(1));
    let domains = domains::list_domains_to_check(store, tomorrow, CHECKED_MAX).await.ok()?;
    Some((connected, domains))
}

async fn check_oidc_issuers(
    mode: ConfiguredMode,
    web: Arc<dyn OutboundHttp>,
    issuers: BTreeSet<String>,
) -> Vec<DoctorFinding> {
    let plain = match mode {
        ConfiguredMode::Development => InsecureProviderPolicy::OnLoopback,
        ConfiguredMode::Production => InsecureProviderPolicy::Refused,
    };
    let checks = issuers.into_iter().map(|issuer| {
        let web = Arc::clone(&web);
        async move {
            let error = check_discovery_document(&*web, &issuer, plain).await.err();
            match error {
                None => passed(DoctorCheck::Providers, format!("the provider {issuer} answers")),
                Some(reason) => {
                    let summary = format!("the provider {issuer} cannot be used: {reason}");
                    warning(
                        DoctorCheck::Providers,
                        summary,
                        "users cannot sign in there until it is fixed: test the connection, or contact its operator",
                    )
                }
            }
        }
    });
    run_in_batches(checks).await
}

async fn check_discovery_document(
    web: &dyn OutboundHttp,
    issuer: &str,
    plain: InsecureProviderPolicy,
) -> Result<(), String> {
    let issuer = IdentityProviderIssuer::parse(issuer, plain)
        .map_err(|provider_issuer| provider_issuer.to_string())?;
    let address = issuer.discovery_url();
    let (purpose, owner) = (OutboundPurpose::Diagnosis, OutboundOwner::Instance);
    let target = OutboundTarget { purpose, owner, url: &address };
    let body = web.get(&target).await.map_err(|error| format!("{address}: {}", error.reason()))?;
    OidcProviderMetadata::parse(&body, &issuer, plain)
        .map(drop)
        .map_err(|oidc_metadata| oidc_metadata.to_string())
}

async fn check_domain_records(dns: Arc<dyn DnsResolver>, domains: Vec<DomainRow>) -> Vec<DoctorFinding> {
    let checks = domains.into_iter().map(|domain| {
        let dns = Arc::clone(&dns);
        async move {
            let record = domain.name.record_name();
            let result = dns
                .lookup_txt(&record)
                .await
                .map(|records| DomainRecordCheck::from_records(&records, &domain.proof));
            match result {
                Ok(DomainRecordCheck::Present) => {
                    passed(DoctorCheck::Domains, format!("the record of {} was found", domain.name))
                }
                Ok(DomainRecordCheck::Missing | DomainRecordCheck::NoResponse) => {
                    let summary = format!("the record of {} was not found at {record}", domain.name);
                    warning(
                        DoctorCheck::Domains,
                        summary,
                        "publish the record again, before the domain loses its verification",
                    )
                }
                Err(error) => {
                    let summary =
                        format!("the record of {} could not be looked up: {}", domain.name, error.reason());
                    warning(
                        DoctorCheck::Domains,
                        summary,
                        "check that this machine can query the DNS, or set outbound.dns_servers",
                    )
                }
            }
        }
    });
    run_in_batches(checks).await
}

/// Runs the checks in batches, keeping their order.
async fn run_in_batches<F>(checks: impl Iterator<Item = F>) -> Vec<DoctorFinding>
where
    F: Future<Output = DoctorFinding> + Send + 'static,
{
    let mut findings = Vec::new();
    let mut checks = checks.peekable();
    while checks.peek().is_some() {
        let mut under_way: JoinSet<(usize, DoctorFinding)> = JoinSet::new();
        for (index, one) in checks.by_ref().take(CONCURRENT_CHECKS_MAX).enumerate() {
            under_way.spawn(async move { (index, one.await) });
        }
        let mut some = under_way.join_all().await;
        some.sort_by_key(|(index, _)| *index);
        findings.extend(some.into_iter().map(|(_, finding)| finding));
    }
    findings
}

fn passed(check: DoctorCheck, summary: String) -> DoctorFinding {
    DoctorFinding {
        check,
        verdict: FindingSeverity::Passed,
        message: summary,
        remedy: None,
        is_broken: false,
    }
}

fn warning(check: DoctorCheck, summary: String, remedy: &str) -> DoctorFinding {
    DoctorFinding {
        check,
        verdict: FindingSeverity::Warning,
        message: summary,
        remedy: Some(remedy.to_owned()),
        is_broken: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::id::{ConnectionId, OrganizationId};
    use sinete_core::identity_providers::connections::ConnectionSettings;
    use sinete_engine::ports::OutboundError;
    use std::pin::Pin;

    /// A DNS in which one name has a record and another does not answer.
    struct PublishedProvider;

    impl DnsResolver for PublishedProvider {
        fn lookup_txt<'a>(
            &'a self,
            name: &'a str,
        ) -> Pin<Box<dyn Future<Output = Result<Vec<String>, OutboundError>> + Send + 'a>> {
            Box::pin(std::future::ready(match name {
                "_sinete-challenge.here.example" => Ok(vec!["something else".into(), "proof".into()]),
                "_sinete-challenge.away.example" => Err(OutboundError::new("no response")),
                _ => Ok(vec!["something else".into()]),
            }))
        }
    }

    fn domain(name: &str) -> DomainRow {
        let moment = Timestamp::from_seconds(1_763_208_000);
        DomainRow {
            organization: OrganizationId::from_bytes([1; 16]),
            name: name.parse().unwrap(),
            proof: "proof".to_owned(),
            created_at: moment,
            verified_at: Some(moment),
            checked_at: Some(moment),
            confirmed_at: Some(moment),
            missing_since: None,
            version: 1,
        }
    }

    #[test]
    fn saml_certificate_expiry_is_warned_about_a_month_ahead() {
        let pem = include_str!("../../../../sinete-crypto/src/identity_providers/saml/fixtures/rsa.crt");
        let connection = |certificates: &[&str]| ConnectionRow {
            id: ConnectionId::from_bytes([1; 16]),
            organization: OrganizationId::from_bytes([1; 16]),
            issuer: IdentityProviderIssuer::parse_entity_id("urn:idp").unwrap(),
            settings: serde_json::from_value(
                serde_json::json!({"name": "A", "saml": {"certificates": certificates}}),
            )
            .unwrap(),
            has_secret: false,
            is_enabled: true,
            confirmation: OwnerConfirmation::Confirmed,
            created_at: Timestamp::EPOCH,
            version: 1,
        };
        // The certificate expires at the end of 2034.
        let end = Timestamp::from_seconds(2_051_222_400);
        for (now, verdict, words) in [
            (
                end.minus(Lifetime::from_days(31)),
                FindingSeverity::Passed,
                "has a certificate until 2035-01-01",
            ),
            (end.minus(Lifetime::from_days(30)), FindingSeverity::Warning, "ends on 2035-01-01"),
            (end, FindingSeverity::Warning, "ended on 2035-01-01"),
        ] {
            let doctor_finding = check_saml_certificates(&connection(&[pem]), now).unwrap();
            assert!(
                doctor_finding.verdict == verdict && doctor_finding.message.contains(words),
                "{}",
                doctor_finding.message
            );
        }
        let none = check_saml_certificates(&connection(&[]), end).unwrap();
        assert!(
            none.verdict == FindingSeverity::Warning && none.message.contains("cannot be used"),
            "{}",
            none.message
        );
        // Without an owner's confirmation, provisioned memberships are not claimed.
        assert!(check_owner_confirmation(&connection(&[pem])).is_none());
        let missing = ConnectionRow { confirmation: OwnerConfirmation::Missing, ..connection(&[pem]) };
        assert!(check_owner_confirmation(&missing).is_none(), "it identifies no member");
        let settings =
            ConnectionSettings { external_id_claim: Some("NameID".to_owned()), ..missing.settings.clone() };
        let doctor_finding = check_owner_confirmation(&ConnectionRow { settings, ..missing }).unwrap();
        assert!(
            doctor_finding.verdict == FindingSeverity::Warning
                && doctor_finding.message.contains("no owner confirmed"),
            "{}",
            doctor_finding.message
        );
    }

    #[tokio::test]
    async fn domain_record_that_is_gone_is_distinguished_from_dns_failure() {
        let mut names = vec!["here.example", "gone.example", "away.example"];
        // More than run concurrently, and still in order.
        names.extend(std::iter::repeat_n("here.example", CONCURRENT_CHECKS_MAX));
        let doctor_findings = check_domain_records(
            Arc::new(PublishedProvider),
            names.iter().map(|name| domain(name)).collect(),
        )
        .await;
        assert_eq!(doctor_findings.len(), names.len());
        let verdicts: Vec<_> = doctor_findings.iter().map(|it| (it.verdict, it.message.as_str())).collect();
        assert_eq!(verdicts[0], (FindingSeverity::Passed, "the record of here.example was found"));
        let gone = "the record of gone.example was not found at _sinete-challenge.gone.example";
        assert_eq!(verdicts[1], (FindingSeverity::Warning, gone));
        let away = "the record of away.example could not be looked up: no response";
        assert_eq!(verdicts[2], (FindingSeverity::Warning, away));
        assert!(verdicts[3..].iter().all(|it| *it == verdicts[0]));
    }
}
