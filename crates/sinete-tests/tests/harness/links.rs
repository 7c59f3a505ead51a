//! Links that are mailed and whoever follows them, invitations, and telephones that digits are sent to.

use super::api::{ApiCaller, ApiRequest, ApiResponse};
use super::person::FlowClient;
use super::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::id::{AccountId, ContactId};
use sinete_core::people::address::EmailAddress;
use sinete_store::contacts::{self, NewContact};

impl World {
    /// The token of the newest link that was mailed to this address.
    pub async fn mailed_link(&self, email: &str) -> String {
        let address: EmailAddress = email.parse().unwrap();
        self.deliver().await;
        let all = self.mailbox.to(&address.recipient());
        let mut links = all.iter().filter_map(|mail| mail.text.split_once("/link?token="));
        let (_, rest) = links.next_back().unwrap_or_else(|| panic!("no link was mailed to {email}"));
        rest.lines().next().unwrap_or_default().to_owned()
    }

    /// The token of the invitation in the newest mail to this address.
    pub async fn mailed_invitation(&self, email: &str) -> String {
        let text = self.newest_mail(email).await;
        let word = text.split_whitespace().find(|word| word.contains("token=")).unwrap();
        word.split("token=").nth(1).unwrap().to_owned()
    }

    /// What the API tells of a link.
    pub async fn looks_at_link(&self, link: &str) -> ApiResponse {
        self.ask(Method::GET, &format!("/flows/links/{link}"), ApiRequest::default()).await
    }

    /// Somebody who holds nothing but the link follows it, and is told the tokens.
    pub async fn follows_link(&self, link: &str) -> ApiResponse {
        self.follow_with(link, Vec::new()).await
    }

    /// Whoever walks through a flow follows a link, and shows that the flow is theirs.
    pub async fn follows_link_in(&self, walk: &FlowClient<'_>, link: &str) -> ApiResponse {
        let token = walk.token.clone().unwrap_or_default();
        self.follow_with(link, vec![("authorization", format!("Flow {token}"))]).await
    }

    async fn follow_with(&self, link: &str, headers: Vec<(&'static str, String)>) -> ApiResponse {
        let body = Some(json!({"token": link, "session": "token"}));
        self.ask(Method::POST, "/flows/links", ApiRequest { body, headers, ..ApiRequest::default() }).await
    }
}

impl World {
    /// The newest digits that were sent to this telephone.
    pub async fn texted_code(&self, number: &str) -> String {
        self.deliver().await;
        let newest = self.mailbox.on(number).pop().unwrap_or_else(|| panic!("nothing was sent to {number}"));
        newest.text.split_whitespace().next().unwrap_or_default().to_owned()
    }

    /// How many messages reached this telephone.
    pub async fn texts_to(&self, number: &str) -> usize {
        self.deliver().await;
        self.mailbox.on(number).len()
    }

    /// Gives somebody a telephone number that is proven.
    pub async fn has_telephone(&self, account: AccountId, number: &str) {
        let (now, entropy) = (self.server.engine().now(), self.server.engine().entropy());
        let id = ContactId::mint(now, entropy);
        let kind = contacts::ContactKind::Phone;
        let new = NewContact {
            id,
            account,
            kind,
            address: number,
            lookup: number,
            is_primary: true,
            created_at: now,
        };
        self.happens([contacts::add(&new), contacts::verify(account, id, now)]).await;
    }
}

impl ApiCaller<'_> {
    /// Invites somebody to be a member of their organization.
    pub async fn invites(&self, email: &str) {
        let listed = self.get(&self.tenant.path("/roles")).await.is(200);
        let items = listed.body["items"].as_array().unwrap();
        let role = items.iter().find(|role| role["name"] == "member").unwrap()["id"].clone();
        let invited = json!({"email": email, "roles": [role]});
        self.post(&self.tenant.path("/invitations"), invited).await.is(201);
    }
}
