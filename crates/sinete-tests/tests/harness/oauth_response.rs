//! What an OAuth endpoint answered.

use serde_json::Value;

/// What an OAuth endpoint answered.
#[derive(Clone, Debug)]
pub struct OAuthResponse {
    /// With what status.
    pub status: u16,
    /// With which headers.
    pub headers: reqwest::header::HeaderMap,
    /// With what in it; null where it was no JSON.
    pub body: Value,
    /// The same as text.
    pub text: String,
}

impl OAuthResponse {
    /// What there is to see of an answer.
    pub async fn of(answer: reqwest::Response) -> Self {
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        Self { status, headers, body: serde_json::from_str(&text).unwrap_or_default(), text }
    }

    /// It must have this status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// It must be refused like this, in the shape of OAuth.
    #[track_caller]
    pub fn refused(self, status: u16, error: &str) -> Self {
        let answered = self.is(status);
        assert_eq!(answered.body["error"], error, "{}", answered.text);
        answered
    }
}
