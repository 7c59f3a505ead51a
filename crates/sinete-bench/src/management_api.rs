//! A client of the management API, for filling an instance with what the program itself writes.

use crate::failed::BenchError;
use crate::load::LoadRequest;
use crate::load::connection::HttpConnection;
use serde_json::Value;
use std::net::SocketAddr;

/// A caller with an API key, on one connection.
#[derive(Debug)]
pub struct ManagementClient {
    connection: HttpConnection,
    authorization: String,
}

/// A response: its status and its body, which is `null` if it is not JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct ManagementResponse {
    /// The status code.
    pub status: u16,
    /// The body.
    pub body: Value,
}

impl ManagementClient {
    /// A caller with this API key.
    pub fn new(target: SocketAddr, api_key: &str) -> Self {
        Self { connection: HttpConnection::new(target), authorization: format!("Bearer {}", api_key.trim()) }
    }

    /// Reads a resource, whatever the status is.
    pub async fn get(&mut self, path: &str) -> Result<ManagementResponse, BenchError> {
        let request = LoadRequest::get_authorized(path, &self.authorization);
        self.send(&request, path).await
    }

    /// Reads a resource that exists.
    pub async fn read(&mut self, path: &str) -> Result<Value, BenchError> {
        let read = self.get(path).await?;
        if read.status == 200 { Ok(read.body) } else { Err(unexpected_status("GET", path, &read)) }
    }

    /// Creates a resource, and returns it.
    pub async fn create(&mut self, path: &str, body: &Value) -> Result<Value, BenchError> {
        let request = LoadRequest::post_json(path, &self.authorization, &body.to_string());
        let created = self.send(&request, path).await?;
        if created.status == 201 { Ok(created.body) } else { Err(unexpected_status("POST", path, &created)) }
    }

    /// Calls an operation without a body.
    pub async fn call(&mut self, path: &str) -> Result<(), BenchError> {
        let request = LoadRequest::post_empty(path, &self.authorization);
        let called = self.send(&request, path).await?;
        match called.status {
            200..=299 => Ok(()),
            _ => Err(unexpected_status("POST", path, &called)),
        }
    }

    async fn send(&mut self, request: &LoadRequest, path: &str) -> Result<ManagementResponse, BenchError> {
        let answer = self.connection.exchange(request.bytes()).await;
        let answer = answer.map_err(|fault| BenchError::Unexpected(format!("{path}: {fault}")))?;
        let body = serde_json::from_slice(answer.body()).unwrap_or(Value::Null);
        Ok(ManagementResponse { status: answer.status, body })
    }
}

/// A text member of a body, by its JSON pointer.
pub fn text_at(body: &Value, pointer: &str) -> Result<String, BenchError> {
    let text = body.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    text.ok_or_else(|| BenchError::Unexpected(format!("a response has no {pointer}: {body}")))
}

fn unexpected_status(method: &str, path: &str, response: &ManagementResponse) -> BenchError {
    BenchError::Unexpected(format!(
        "{method} {path} was answered with {}: {}",
        response.status, response.body
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_member_is_found_by_its_pointer_or_named_as_missing() {
        let body = json!({"webhook": {"id": "w1"}});
        assert_eq!(text_at(&body, "/webhook/id").unwrap(), "w1");
        let missing = text_at(&body, "/id").unwrap_err().to_string();
        assert!(missing.starts_with("a response has no /id"), "{missing}");
    }
}
