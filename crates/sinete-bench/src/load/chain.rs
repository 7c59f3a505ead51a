//! Chains of operations, each of which depends on the previous one, such as rotating a refresh token.

use super::LoadRequest;
use super::connection::{HttpConnection, HttpResponse};

/// The chain of one connection.
#[derive(Clone, Debug)]
pub enum RequestChain {
    /// Sends a value; the response contains the next one.
    Renewal(RenewalChain),
    /// Requests an authorization code and redeems it.
    CodeFlow(CodeFlow),
}

/// The state of a renewal chain.
#[derive(Clone, Debug)]
pub struct RenewalChain {
    /// The request path.
    pub path: &'static str,
    /// The form up to the changing value.
    pub form: String,
    /// The response member with the next value.
    pub member: &'static str,
    /// The next value.
    pub next: String,
}

/// An authorization code flow.
#[derive(Clone, Debug)]
pub struct CodeFlow {
    /// The authorization request.
    pub authorize: LoadRequest,
    /// The path of the token endpoint.
    pub path: &'static str,
    /// The form up to the code.
    pub form: String,
}

impl RequestChain {
    /// Runs one operation.
    pub(super) async fn run_operation(&mut self, connection: &mut HttpConnection) -> Result<(), String> {
        match self {
            Self::Renewal(renewal) => renewal.run_operation(connection).await,
            Self::CodeFlow(flow) => flow.run_operation(connection).await,
        }
    }
}

impl RenewalChain {
    /// Runs one operation and takes the next value from its 2xx response.
    async fn run_operation(&mut self, connection: &mut HttpConnection) -> Result<(), String> {
        let request = LoadRequest::post_form(self.path, &format!("{}{}", self.form, self.next));
        let answer = connection.exchange(request.bytes()).await.map_err(|fault| fault.to_string())?;
        if !(200..300).contains(&answer.status) {
            return Err(format!("status {}", answer.status));
        }
        let next = extract_member(answer.bytes, self.member);
        self.next = next.ok_or_else(|| format!("no {} in the answer", self.member))?;
        Ok(())
    }
}

impl CodeFlow {
    async fn run_operation(&self, connection: &mut HttpConnection) -> Result<(), String> {
        self.redeem_code(connection).await.map(drop)
    }

    /// Runs the flow once and returns the access token.
    pub(crate) async fn request_token(&self, connection: &mut HttpConnection) -> Result<String, String> {
        let answer = self.redeem_code(connection).await?;
        extract_member(answer.bytes, "access_token").ok_or_else(|| "no access_token in the answer".to_owned())
    }

    async fn redeem_code<'a>(&self, connection: &'a mut HttpConnection) -> Result<HttpResponse<'a>, String> {
        let fault = |fault: super::connection::ConnectionError| fault.to_string();
        let answer = connection.exchange(self.authorize.bytes()).await.map_err(fault)?;
        let code =
            extract_code(answer.bytes).ok_or_else(|| format!("status {} and no code", answer.status))?;
        let request = LoadRequest::post_form(self.path, &format!("{}{code}", self.form));
        let answer = connection.exchange(request.bytes()).await.map_err(fault)?;
        if answer.status == 200 { Ok(answer) } else { Err(format!("status {}", answer.status)) }
    }
}

/// Extracts the code from the `Location` of a response.
pub(crate) fn extract_code(answer: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(answer).ok()?;
    let (_, after) = text.split_once("code=")?;
    after.split(['&', '\r']).next().map(str::to_owned)
}

/// Extracts a string member from the JSON in a response by searching instead of parsing, because the load
/// generator shares the machine with the server.
pub fn extract_member(answer: &[u8], name: &str) -> Option<String> {
    let text = std::str::from_utf8(answer).ok()?;
    let (_, after) = text.split_once(&format!("\"{name}\":\""))?;
    after.split_once('"').map(|(value, _)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authorization_code_is_found_in_the_location_header() {
        let answer = b"HTTP/1.1 303 See Other\r\nlocation: https://a.example/cb?code=sn_ac_x&iss=y\r\n\r\n";
        assert_eq!(extract_code(answer).as_deref(), Some("sn_ac_x"));
        assert_eq!(
            extract_code(b"HTTP/1.1 303 See Other\r\nlocation: /?code=z\r\n\r\n").as_deref(),
            Some("z")
        );
        assert_eq!(extract_code(b"HTTP/1.1 401 Unauthorized\r\n\r\n"), None);
    }

    #[test]
    fn json_member_is_found_in_the_response() {
        let answer = b"HTTP/1.1 200 OK\r\n\r\n{\"a\":\"1\",\"refresh_token\":\"sn_rt_x\"}";
        assert_eq!(extract_member(answer, "refresh_token").as_deref(), Some("sn_rt_x"));
        assert_eq!(extract_member(answer, "b"), None);
        assert_eq!(extract_member(b"\xff", "a"), None);
    }
}
