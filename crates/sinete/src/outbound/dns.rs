//! DNS lookups of domain verification records.
//!
//! Results are not cached, so that a newly published record is found immediately.

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::RData;
use sinete_core::limits::DNS_RESPONSE_MAX;
use sinete_engine::ports::{DnsResolver, OutboundError};
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

/// A DNS client with configured servers or those of the system.
pub struct DnsClient(TokioResolver);

impl DnsClient {
    /// Creates a client for these servers; if empty, those of the system.
    pub fn new(servers: &[SocketAddr]) -> Result<Self, String> {
        let builder = if servers.is_empty() {
            TokioResolver::builder_tokio()
                .map_err(|error| format!("the DNS servers of the system are not known: {error}"))?
        } else {
            let servers = servers.iter().map(|server| {
                let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
                    connection.port = server.port();
                    connection
                });
                NameServerConfig::new(server.ip(), true, connections.into())
            });
            let config = ResolverConfig::from_parts(None, Vec::new(), servers.collect());
            TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
        };
        let mut builder = builder;
        let options = builder.options_mut();
        options.cache_size = 0;
        options.attempts = 2;
        options.timeout = Duration::from_secs(DNS_RESPONSE_MAX.seconds().unsigned_abs() / 2);
        options.use_hosts_file = ResolveHosts::Never;
        builder.build().map(Self).map_err(|error| format!("the DNS client cannot be created: {error}"))
    }

    async fn query_txt(&self, name: &str) -> Result<Vec<String>, OutboundError> {
        // The trailing dot marks the name as absolute, so that no search domain is appended.
        let query = self.0.txt_lookup(format!("{name}."));
        let longest = Duration::from_secs(DNS_RESPONSE_MAX.seconds().unsigned_abs());
        let result = tokio::time::timeout(longest, query).await;
        let result = result.map_err(|_| OutboundError::new("the DNS took too long"))?;
        let lookup = match result {
            Ok(lookup) => lookup,
            Err(error) if error.is_no_records_found() => return Ok(Vec::new()),
            Err(error) => return Err(OutboundError::new(error.to_string())),
        };
        let text = |data: &RData| match data {
            // A text longer than 255 bytes is split into strings that must be concatenated (RFC 7208 §3.3).
            RData::TXT(record) => String::from_utf8(record.txt_data.concat()).ok(),
            _ => None,
        };
        Ok(lookup.answers().iter().filter_map(|record| text(&record.data)).collect())
    }
}

impl DnsResolver for DnsClient {
    fn lookup_txt<'a>(
        &'a self,
        name: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<Vec<String>, OutboundError>> + Send + 'a>> {
        Box::pin(self.query_txt(name))
    }
}
