//! Evaluates the network settings and the log level.

use super::{DoctorCheck, DoctorFinding, blocker, fatal, passed, warning};
use crate::startup::checks::facts::{MtlsFact, OpenFileShortage, StartupFacts};

pub(super) fn check_network(facts: &StartupFacts) -> Vec<DoctorFinding> {
    let network = &facts.network;
    let mut findings = Vec::new();
    if let Some(reason) = &network.certificate {
        let summary = format!("the certificate cannot be used: {reason}");
        findings.push(fatal(
            DoctorCheck::Certificate,
            summary,
            "fix the files named by tls.certificate and tls.key",
        ));
    }
    findings.extend(network.mtls.as_ref().map(check_mtls));
    if network.admin_is_public {
        let summary = "readiness and metrics can be reached from other machines";
        findings.push(warning(
            DoctorCheck::Network,
            summary,
            "let admin_listen be a loopback or private address",
        ));
    }
    if network.trusts_every_proxy {
        let summary = "trusted_proxies trusts the forwarding header of every address";
        findings.push(warning(DoctorCheck::Network, summary, "name the addresses of your own proxies only"));
    }
    if let Some(OpenFileShortage { allowed, configured, connections }) = network.open_file_shortage {
        let summary = format!(
            "this process may open {allowed} files, which leaves room for {connections} connections, and \
             limits.connections is {configured}"
        );
        findings.push(warning(
            DoctorCheck::Network,
            summary,
            "raise the limit (ulimit -n, LimitNOFILE) or lower the setting",
        ));
    }
    if facts.verbose_log {
        let summary = "log.level shows details that can be personal";
        findings.push(warning(DoctorCheck::Log, summary, "use info in production"));
    }
    findings
}

fn check_mtls(fact: &MtlsFact) -> DoctorFinding {
    if fact.is_sample {
        let summary = "mutual_tls.proxy_secret is the example of our documentation, which is public";
        return blocker(
            DoctorCheck::Network,
            summary,
            "make one of your own, for example with `openssl rand -hex 32`",
        );
    }
    if fact.requests_from_everyone {
        let summary = "every connection is asked for a certificate, including those of users' browsers";
        return warning(DoctorCheck::Network, summary, "give mutual_tls.base_url a host name of its own");
    }
    passed(DoctorCheck::Network, format!("clients can present certificates at {}", fact.address))
}
