//! Links that are mailed, and whoever opens or follows them.

use super::api::{Asked, Reply};
use super::person::Walk;
use super::world::World;
use reqwest::Method;
use serde_json::json;

impl World {
    /// The token of the newest link that was mailed to this address.
    pub async fn mailed_link(&self, email: &str) -> String {
        let text = self.newest_mail(email).await;
        let (_, rest) = text.split_once("/link?token=").unwrap_or_else(|| panic!("no link in {text}"));
        rest.lines().next().unwrap_or_default().to_owned()
    }

    /// What the API tells of a link.
    pub async fn looks_at_link(&self, link: &str) -> Reply {
        self.ask(Method::GET, &format!("/flows/links/{link}"), Asked::default()).await
    }

    /// Somebody who holds nothing but the link follows it, and is told the tokens.
    pub async fn follows_link(&self, link: &str) -> Reply {
        self.follow_with(link, Vec::new()).await
    }

    /// Whoever walks through a flow follows a link, and shows that the flow is theirs.
    pub async fn follows_link_in(&self, walk: &Walk<'_>, link: &str) -> Reply {
        let token = walk.token.clone().unwrap_or_default();
        self.follow_with(link, vec![("authorization", format!("Flow {token}"))]).await
    }

    async fn follow_with(&self, link: &str, headers: Vec<(&'static str, String)>) -> Reply {
        let body = Some(json!({"token": link, "session": "token"}));
        self.ask(Method::POST, "/flows/links", Asked { body, headers, ..Asked::default() }).await
    }
}
