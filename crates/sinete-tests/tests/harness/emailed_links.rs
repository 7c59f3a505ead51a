//! Links in e-mails and the clients that open them, invitations, and codes sent by SMS.

use super::api_caller::{ApiCaller, ApiRequest, ApiResponse};
use super::flow_client::FlowClient;
use super::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::id::{AccountId, ContactId};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::NewContact;

impl World {
    /// The token of the newest link in an e-mail to this address.
    pub async fn emailed_link(&self, email: &str) -> String {
        let address: EmailAddress = email.parse().unwrap();
        self.deliver_messages().await;
        let all = self.mailbox.emails_to(&address.smtp_address());
        let mut links = all.iter().filter_map(|mail| mail.text.split_once("/link?token="));
        let (_, rest) = links.next_back().unwrap_or_else(|| panic!("no link was mailed to {email}"));
        rest.lines().next().unwrap_or_default().to_owned()
    }

    /// The token of the invitation in the newest e-mail to this address.
    pub async fn emailed_invitation(&self, email: &str) -> String {
        let text = self.newest_email_text(email).await;
        let word = text.split_whitespace().find(|word| word.contains("token=")).unwrap();
        word.split("token=").nth(1).unwrap().to_owned()
    }

    /// Reads a link over the API without using it.
    pub async fn read_link(&self, link: &str) -> ApiResponse {
        self.send_request(Method::GET, &format!("/flows/links/{link}"), ApiRequest::default()).await
    }

    /// Uses a link outside any flow; the response contains the tokens.
    pub async fn follow_link(&self, link: &str) -> ApiResponse {
        self.follow_link_with_headers(link, Vec::new()).await
    }

    /// Uses a link together with the token of the flow it belongs to.
    pub async fn follow_link_in_flow(&self, walk: &FlowClient<'_>, link: &str) -> ApiResponse {
        let token = walk.token.clone().unwrap_or_default();
        self.follow_link_with_headers(link, vec![("authorization", format!("Flow {token}"))]).await
    }

    async fn follow_link_with_headers(
        &self,
        link: &str,
        headers: Vec<(&'static str, String)>,
    ) -> ApiResponse {
        let body = Some(json!({"token": link, "session": "token"}));
        self.send_request(Method::POST, "/flows/links", ApiRequest { body, headers, ..ApiRequest::default() })
            .await
    }
}

impl World {
    /// The newest code in an SMS to this number.
    pub async fn sms_code(&self, number: &str) -> String {
        self.deliver_messages().await;
        let newest =
            self.mailbox.sms_to(number).pop().unwrap_or_else(|| panic!("nothing was sent to {number}"));
        newest.text.split_whitespace().next().unwrap_or_default().to_owned()
    }

    /// How many SMS messages were sent to this number.
    pub async fn count_sms_to(&self, number: &str) -> usize {
        self.deliver_messages().await;
        self.mailbox.sms_to(number).len()
    }

    /// Adds a verified telephone number to an account.
    pub async fn add_verified_phone(&self, account: AccountId, number: &str) {
        self.add_verified_contact(account, contacts::ContactKind::Phone, number, true).await;
    }

    /// Adds a verified e-mail address that is not the primary one to the account.
    pub async fn add_verified_email(&self, account: AccountId, address: &str) {
        self.add_verified_contact(account, contacts::ContactKind::Email, address, false).await;
    }

    async fn add_verified_contact(
        &self,
        account: AccountId,
        kind: contacts::ContactKind,
        address: &str,
        is_primary: bool,
    ) {
        let (now, entropy) = (self.server.engine().now(), self.server.engine().entropy());
        let id = ContactId::mint(now, entropy);
        let new = NewContact { id, account, kind, address, lookup: address, is_primary, created_at: now };
        self.apply_statements([contacts::add_contact(&new), contacts::verify_contact(account, id, now)])
            .await;
    }
}

impl ApiCaller<'_> {
    /// Invites a member to the caller's organization.
    pub async fn invite(&self, email: &str) {
        let response = self.get(&self.tenant.path("/roles")).await.assert_status(200);
        let items = response.body["items"].as_array().unwrap();
        let role = items.iter().find(|role| role["name"] == "member").unwrap()["id"].clone();
        let invited = json!({"email": email, "roles": [role]});
        self.post(&self.tenant.path("/invitations"), invited).await.assert_status(201);
    }
}
