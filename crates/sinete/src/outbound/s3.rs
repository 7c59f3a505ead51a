//! An archive in a bucket of an S3-compatible object store. Requests are signed with AWS Signature Version 4,
//! and buckets are addressed by path. The operator configures the endpoint, which may be in a private network.

use crate::config::log_archive::S3Config;
use crate::outbound::limiter::OutboundLimiter;
use reqwest::{Client, Method, Response};
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::sigv4::{
    SigV4Credentials, SigV4Request, encode_component, format_date, sha256_hex,
};
use sinete_engine::ports::{ArchiveFuture, ArchiveStorage, ArchiveStorageError, Clock, OutboundError};
use std::sync::Arc;
use url::Url;
use zeroize::Zeroizing;

/// Maximum time of a request.
const REQUEST_TIME_MAX: Lifetime = Lifetime::from_minutes(2);
/// Maximum bytes of a response. No file comes near it.
const RESPONSE_BYTES_MAX: usize = 512 * 1024 * 1024;

/// A bucket.
pub struct S3Bucket {
    client: Client,
    limiter: OutboundLimiter,
    clock: Arc<dyn Clock>,
    /// The URL of the bucket, without a trailing slash.
    bucket: Url,
    prefix: String,
    region: String,
    access_key: String,
    secret_key: Zeroizing<String>,
}

impl S3Bucket {
    /// Creates the client without connecting.
    pub fn new(config: &S3Config, bucket: &str, prefix: &str, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(REQUEST_TIME_MAX.as_duration())
            .user_agent(concat!("sinete/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| format!("the HTTP client cannot be created: {error}"))?;
        let mut url = config.endpoint.clone();
        url.set_query(None);
        url.set_fragment(None);
        url.set_path(&format!("{}/{bucket}", config.endpoint.path().trim_end_matches('/')));
        Ok(Self {
            client,
            limiter: OutboundLimiter::new(Arc::clone(&clock)),
            clock,
            bucket: url,
            prefix: prefix.to_owned(),
            region: config.region.clone(),
            access_key: config.access_key.clone(),
            secret_key: Zeroizing::new(config.secret_key.reveal()?),
        })
    }

    /// Sends a request for an object, or for the bucket if the name is empty.
    async fn send(
        &self,
        method: Method,
        name: &str,
        query: &str,
        body: &[u8],
    ) -> Result<Response, ArchiveStorageError> {
        let mut url = self.bucket.clone();
        if !name.is_empty() {
            url.set_path(&format!("{}/{}{name}", self.bucket.path(), self.prefix));
        }
        url.set_query(Some(query).filter(|query| !query.is_empty()));
        let host = match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        let (date, hash) = (format_date(self.clock.now()), sha256_hex(body));
        let credentials = SigV4Credentials {
            access_key: &self.access_key,
            secret_key: &self.secret_key,
            region: &self.region,
        };
        let authorization = credentials.authorize(&SigV4Request {
            method: method.as_str(),
            path: url.path(),
            query,
            headers: &[("host", &host), ("x-amz-content-sha256", &hash), ("x-amz-date", &date)],
            body_sha256: &hash,
            date: &date,
        });
        let request = self
            .client
            .request(method, url)
            .header("x-amz-content-sha256", &hash)
            .header("x-amz-date", &date)
            .header("authorization", authorization)
            .body(body.to_vec());
        let url = self.bucket.as_str();
        let target =
            OutboundTarget { purpose: OutboundPurpose::LogArchive, owner: OutboundOwner::Instance, url };
        let request_future = async {
            let silent = |error: reqwest::Error| OutboundError::no_answer(error.without_url().to_string());
            request.send().await.map_err(silent)
        };
        // The client has its own timeout, which includes the body.
        let answer =
            self.limiter.run_request(&target, REQUEST_TIME_MAX.plus(REQUEST_TIME_MAX), request_future).await;
        answer.map_err(|error| storage_error(name, &error.reason()))
    }

    async fn list_names(&self, start: &str) -> Result<Vec<String>, ArchiveStorageError> {
        let (mut names, mut token) = (Vec::new(), None);
        loop {
            let from =
                token.as_deref().map(|token| format!("continuation-token={}&", encode_component(token)));
            let prefix = encode_component(&format!("{}{start}", self.prefix));
            let query = format!("{}list-type=2&prefix={prefix}", from.unwrap_or_default());
            let answer = self.send(Method::GET, "", &query, b"").await?;
            let answer = require_success("the list of the bucket", answer)?;
            let text = String::from_utf8_lossy(&read_body(start, answer).await?).into_owned();
            let keys = element_texts(&text, "Key").into_iter();
            names.extend(keys.filter_map(|key| key.strip_prefix(&self.prefix).map(str::to_owned)));
            token = element_texts(&text, "NextContinuationToken").into_iter().next();
            if token.is_none() {
                names.sort_unstable();
                return Ok(names);
            }
        }
    }
}

impl ArchiveStorage for S3Bucket {
    fn put<'a>(&'a self, name: &'a str, content: &'a [u8]) -> ArchiveFuture<'a, ()> {
        Box::pin(async move {
            let answer = self.send(Method::PUT, name, "", content).await?;
            require_success(name, answer).map(drop)
        })
    }

    fn get<'a>(&'a self, name: &'a str) -> ArchiveFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let answer = self.send(Method::GET, name, "", b"").await?;
            if answer.status().as_u16() == 404 {
                return Ok(None);
            }
            read_body(name, require_success(name, answer)?).await.map(Some)
        })
    }

    fn list<'a>(&'a self, prefix: &'a str) -> ArchiveFuture<'a, Vec<String>> {
        Box::pin(self.list_names(prefix))
    }

    fn remove<'a>(&'a self, name: &'a str) -> ArchiveFuture<'a, ()> {
        Box::pin(async move {
            let answer = self.send(Method::DELETE, name, "", b"").await?;
            if answer.status().as_u16() == 404 {
                return Ok(());
            }
            require_success(name, answer).map(drop)
        })
    }
}

fn storage_error(name: &str, reason: &dyn std::fmt::Display) -> ArchiveStorageError {
    let name = if name.is_empty() { "the bucket" } else { name };
    ArchiveStorageError(format!("{name}: {reason}"))
}

fn require_success(name: &str, answer: Response) -> Result<Response, ArchiveStorageError> {
    match answer.status().as_u16() {
        200..=299 => Ok(answer),
        status => Err(storage_error(name, &format_args!("the object store answered {status}"))),
    }
}

async fn read_body(name: &str, mut answer: Response) -> Result<Vec<u8>, ArchiveStorageError> {
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(|error| storage_error(name, &error.without_url()))? {
        if body.len() + piece.len() > RESPONSE_BYTES_MAX {
            return Err(storage_error(name, &"the response is too large"));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// The texts of all elements of this name. Our names need no escaping, and tokens are opaque.
fn element_texts(xml: &str, name: &str) -> Vec<String> {
    let (start, end) = (format!("<{name}>"), format!("</{name}>"));
    let parts = xml.split(&start).skip(1);
    parts.filter_map(|part| part.split_once(&end).map(|(text, _)| unescape(text))).collect()
}

fn unescape(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&apos;", "'").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s3_list_is_read_with_its_continuation() {
        let xml = "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>true</IsTruncated>\
                   <Contents><Key>a/segments/1</Key><Size>3</Size></Contents><Contents><Key>a/x&amp;y</Key></Contents>\
                   <NextContinuationToken>t&lt;1</NextContinuationToken></ListBucketResult>";
        assert_eq!(element_texts(xml, "Key"), ["a/segments/1", "a/x&y"]);
        assert_eq!(element_texts(xml, "NextContinuationToken"), ["t<1"]);
        assert_eq!(element_texts(xml, "None"), Vec::<String>::new());
    }
}
