//! The response of an OAuth endpoint.

use serde_json::Value;

#[derive(Clone, Debug)]
pub struct OAuthResponse {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    /// The body; null if it is not JSON.
    pub body: Value,
    /// The body as text.
    pub text: String,
}

impl OAuthResponse {
    pub async fn of(answer: reqwest::Response) -> Self {
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        Self { status, headers, body: serde_json::from_str(&text).unwrap_or_default(), text }
    }

    /// Asserts the status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// Asserts an OAuth error response.
    #[track_caller]
    pub fn refused(self, status: u16, error: &str) -> Self {
        let response = self.is(status);
        assert_eq!(response.body["error"], error, "{}", response.text);
        response
    }
}
