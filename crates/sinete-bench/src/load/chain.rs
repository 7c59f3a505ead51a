//! Operations of which each continues the one before it, such as renewing a token with the token that the last
//! renewal gave.

use super::Request;
use super::connection::Connection;

/// Where a chain has come to.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The path that is asked.
    pub path: &'static str,
    /// The form up to the value that changes.
    pub form: String,
    /// The member of the answer that is the next value.
    pub member: &'static str,
    /// The value to send next.
    pub next: String,
}

impl Chain {
    /// One operation, answered with a 2xx that says how to go on.
    pub(super) async fn operate(&mut self, connection: &mut Connection) -> Result<(), String> {
        let request = Request::post_form(self.path, &format!("{}{}", self.form, self.next));
        let answer = connection.exchange(request.bytes()).await.map_err(|fault| fault.to_string())?;
        if !(200..300).contains(&answer.status) {
            return Err(format!("status {}", answer.status));
        }
        let next = member(answer.bytes, self.member);
        self.next = next.ok_or_else(|| format!("no {} in the answer", self.member))?;
        Ok(())
    }
}

/// A text member of the JSON in an answer, which is looked for and not parsed: the load generator shares the
/// machine with what it measures.
pub fn member(answer: &[u8], name: &str) -> Option<String> {
    let text = std::str::from_utf8(answer).ok()?;
    let (_, after) = text.split_once(&format!("\"{name}\":\""))?;
    after.split_once('"').map(|(value, _)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_found_in_the_answer() {
        let answer = b"HTTP/1.1 200 OK\r\n\r\n{\"a\":\"1\",\"refresh_token\":\"sn_rt_x\"}";
        assert_eq!(member(answer, "refresh_token").as_deref(), Some("sn_rt_x"));
        assert_eq!(member(answer, "b"), None);
        assert_eq!(member(b"\xff", "a"), None);
    }
}
