//! Connecting a provider on the console and changing what is set about it: behind a proof, with secrets that are typed and
//! never kept.

use super::connections::csrf_of;
use super::page;
use crate::harness::person::PASSWORD;
use crate::harness::provider::{CLIENT_ID, CLIENT_SECRET};
use crate::harness::saml::{ENTITY_ID, SSO_URL, metadata};
use crate::stories;
use crate::stories::manage::conventions::join_all;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

const CONNECT: &str = "id=\"connect-open-id-now\"";
const CONNECT_SAML: &str = "id=\"connect-saml-now\"";
const SAVE: &str = "id=\"save\"";
const OWNERS_ONLY: &str = "Only owners can connect an identity provider or change its trust settings.";

stories! {
    async fn a_provider_is_connected_and_changed_on_the_console_as_by_the_api(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let provider = world.provider().await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let here = page(&acme, "/connections");
        owner.post(&acme.path("/domains"), json!({"domain": "acme.example"})).await.is(201);
        let form = ana.reader.reads(&here).await;
        let fields = [
            ("action", "open_id"), ("name", " Acme "), ("issuer", provider.issuer.as_str()), ("client_id", CLIENT_ID),
            ("authentication", "client_secret"), ("client_secret", CLIENT_SECRET), ("scopes", "openid  email"), ("domains", "acme.example\r\n"),
        ];
        let (_, made) = ana.reader.presses(&form, CONNECT, &fields).await;
        assert!(made.contains("The provider is connected, and switched off.") && made.contains("id=\"callback\"") && !made.contains(CLIENT_SECRET), "{made}");
        let all = owner.get(&acme.path("/connections")).await.is(200).body;
        let (id, set) = (all["items"][0]["id"].as_str().unwrap(), &all["items"][0]);
        assert_eq!((&set["name"], &set["enabled"], &set["has_secret"]), (&json!("Acme"), &json!(false), &json!(true)));
        assert_eq!((&set["scopes"], &set["domains"]), (&json!(["openid", "email"]), &json!(["acme.example"])));
        let (one, path) = (format!("{here}/{id}"), acme.path(&format!("/connections/{id}")));
        let connection = async || owner.get(&path).await.is(200).body;
        // The secret that was typed is the one the provider takes.
        let (_, tried) = ana.reader.presses(&made, "id=\"test\"", &[("action", "test")]).await;
        assert!(tried.contains("Everything that is set works."), "{tried}");
        // The same form makes no second one.
        let (_, again) = ana.reader.presses(&form, CONNECT, &fields).await;
        assert!(again.contains("That form was sent before"), "{again}");
        assert_eq!(owner.get(&acme.path("/connections")).await.is(200).body["items"].as_array().unwrap().len(), 1);
        // Left empty, the secret stays; what the form does not speak of does too.
        owner.patch(&path, 1, json!({"two_factors": {"amr": ["mfa"]}, "enabled": true})).await.is(200);
        let shown = ana.reader.reads(&one).await;
        assert!(shown.contains("There is one, which is never shown.") && shown.contains("More is set about it over the management API"), "{shown}");
        assert!(!shown.contains("name=\"issuer\""), "who it is stays: {shown}");
        let change = |name, authentication, scopes| [("action", "change"), ("name", name), ("client_id", CLIENT_ID), ("authentication", authentication), ("client_secret", ""), ("scopes", scopes), ("domains", "")];
        let (_, after) = ana.reader.presses(&shown, SAVE, &change("Acme & Co", "client_secret", "openid")).await;
        assert!(after.contains("The connection is changed.") && after.contains("Acme &#38; Co"), "{after}");
        let set = connection().await;
        assert_eq!((&set["name"], &set["has_secret"], &set["scopes"], &set["domains"]), (&json!("Acme & Co"), &json!(true), &json!(["openid"]), &json!([])));
        assert_eq!((&set["two_factors"], &set["enabled"]), (&json!({"amr": ["mfa"]}), &json!(true)));
        let (_, tried) = ana.reader.presses(&after, "id=\"test\"", &[("action", "test")]).await;
        assert!(tried.contains("Everything that is set works."), "{tried}");
        // With a signature there is no secret any more, and the keys are among what to register.
        let (_, after) = ana.reader.presses(&after, SAVE, &change("Acme & Co", "private_key", "openid")).await;
        assert!(after.contains("The connection is changed.") && after.contains("/.well-known/jwks.json"), "{after}");
        assert_eq!((&connection().await["has_secret"], &connection().await["authentication"]), (&json!(false), &json!("private_key")));
        let trail = owner.get(&acme.path(&format!("/audit?actor={}&limit=200", ana.membership))).await.is(200);
        let kinds: Vec<&str> = trail.body["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
        let count = |kind| kinds.iter().filter(|it| **it == kind).count();
        assert_eq!((count("connection.created"), count("connection.changed"), count("connection.tested")), (1, 2, 2), "{kinds:?}");
        assert!(!trail.text.contains(CLIENT_SECRET));
    }

    async fn an_owner_connects_a_saml_provider_and_whoever_manages_connections_changes_its_name_alone(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        owner.post(&acme.path("/roles"), json!({"name": "plumber", "permissions": ["organization:read", "sso:manage"]})).await.is(201);
        let (mut ana, mut pia) = (world.worker(&acme, "ana@example.com", "owner").await, world.worker(&acme, "pia@example.com", "plumber").await);
        let here = page(&acme, "/connections");
        let described = metadata();
        let fields = [("action", "saml"), ("name", "Acme"), ("metadata", described.as_str()), ("subject", "NameID"), ("email", "mail"), ("full_name", ""), ("domains", "")];
        // Neither kind is offered to whoever is no owner.
        let list = pia.reader.reads(&here).await;
        assert!(!list.contains(CONNECT) && !list.contains(CONNECT_SAML), "{list}");
        let form = ana.reader.reads(&here).await;
        let (_, made) = ana.reader.presses(&form, CONNECT_SAML, &fields).await;
        assert!(made.contains("The provider is connected, and switched off.") && made.contains(ENTITY_ID) && made.contains(SSO_URL), "{made}");
        assert!(made.contains("id=\"entity-id\"") && !made.contains("EntityDescriptor"), "{made}");
        let all = owner.get(&acme.path("/connections")).await.is(200).body;
        let id = all["items"][0]["id"].as_str().unwrap();
        let (one, path) = (format!("{here}/{id}"), acme.path(&format!("/connections/{id}")));
        let connection = async || owner.get(&path).await.is(200).body;
        assert_eq!((&all["items"][0]["kind"], &all["items"][0]["saml"]["email"]), (&json!("saml"), &json!("mail")));
        // An organization is connected to it once.
        let form = ana.reader.reads(&here).await;
        let (_, twice) = ana.reader.presses(&form, CONNECT_SAML, &fields).await;
        assert!(twice.contains("connected to this provider already") && twice.contains("id=\"connect-saml\" open"), "{twice}");
        // What owners say about it has no fields for others, and is refused when sent.
        let seen = pia.reader.reads(&one).await;
        let csrf = csrf_of(&seen);
        let open_id = [("action", "open_id"), ("name", "Mine"), ("issuer", "https://mine.example"), ("client_id", "x"), ("authentication", "private_key"), ("scopes", "openid"), ("domains", "")];
        for fields in [&fields, &open_id] {
            let sent: Vec<_> = [("csrf", csrf.as_str()), ("once", "abcdefghijklmnopqrstuv")].into_iter().chain(fields.iter().copied()).collect();
            let (_, refused) = pia.reader.forges(&here, &world.origin(), &sent).await;
            assert!(refused.contains(OWNERS_ONLY), "{refused}");
        }
        assert_eq!(owner.get(&acme.path("/connections")).await.is(200).body["items"].as_array().unwrap().len(), 1);
        assert!(seen.contains(OWNERS_ONLY) && !seen.contains("name=\"metadata\"") && !seen.contains("name=\"subject\""), "{seen}");
        let (_, refused) = pia.reader.presses(&seen, SAVE, &[("action", "change"), ("name", "Mine"), ("subject", "uid"), ("domains", "")]).await;
        assert!(refused.contains(OWNERS_ONLY), "{refused}");
        assert_eq!((&connection().await["name"], &connection().await["version"]), (&json!("Acme"), &json!(1)));
        let (_, after) = pia.reader.presses(&seen, SAVE, &[("action", "change"), ("name", "Ours"), ("domains", "")]).await;
        assert!(after.contains("The connection is changed.") && connection().await["name"] == "Ours", "{after}");
        // Left empty, what it says about itself stays; emptied, an attribute is none.
        let shown = ana.reader.reads(&one).await;
        let (_, after) = ana.reader.presses(&shown, SAVE, &[("action", "change"), ("name", "Ours"), ("metadata", ""), ("subject", "uid"), ("email", ""), ("full_name", "cn"), ("domains", "")]).await;
        assert!(after.contains("The connection is changed."), "{after}");
        let set = connection().await;
        assert_eq!((&set["saml"]["subject"], set["saml"].get("email"), &set["saml"]["full_name"]), (&json!("uid"), None, &json!("cn")));
        assert_eq!((&set["certificates"], &set["saml"]["sso_url"]), (&all["items"][0]["certificates"], &json!(SSO_URL)));
        // What describes another provider changes nothing.
        let other = described.replace(ENTITY_ID, "https://other.example/idp");
        let (_, after) = ana.reader.presses(&after, SAVE, &[("action", "change"), ("name", "Ours"), ("metadata", other.as_str()), ("subject", "uid"), ("full_name", "cn"), ("domains", "")]).await;
        assert!(after.contains("describes another provider") && after.contains("id=\"settings\" open") && !after.contains("EntityDescriptor"), "{after}");
        assert_eq!(connection().await, set);
    }

    async fn what_is_wrong_with_a_connection_stands_beside_its_field_and_a_secret_is_typed_again(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let (right, long) = ("https://login.acme.example", "s".repeat(1025));
        let mut form = ana.reader.reads(&page(&acme, "/connections")).await;
        for (name, issuer, client, secret, scopes, domains, said) in [
            ("", right, "sinete", "hush", "openid", "", "Give it a name of at most 200 characters"),
            ("Acme", "login.acme.example", "sinete", "hush", "openid", "", "Give the https address by which the provider names itself"),
            ("Acme", "http://login.acme.example", "sinete", "hush", "openid", "", "Give the https address by which the provider names itself"),
            ("Acme", right, "", "hush", "openid", "", "Give the name by which the provider knows this service"),
            ("Acme", right, "sinete", "", "openid", "", "Give the secret as the provider shows it"),
            ("Acme", right, "sinete", long.as_str(), "openid", "", "Give the secret as the provider shows it"),
            ("Acme", right, "sinete", "hush", "", "", "Give 1 to 20 scopes"),
            ("Acme", right, "sinete", "hush", "email", "", "Give 1 to 20 scopes"),
            ("Acme", right, "sinete", "hush", "openid", "nobody.example", "Give domains that the organization has"),
            ("Acme", right, "sinete", "hush", "openid", "com", "Give domains that the organization has"),
        ] {
            let fields = [
                ("action", "open_id"), ("name", name), ("issuer", issuer), ("client_id", client), ("authentication", "client_secret"),
                ("client_secret", secret), ("scopes", scopes), ("domains", domains),
            ];
            let (_, after) = ana.reader.presses(&form, CONNECT, &fields).await;
            assert!(after.contains(said) && after.contains("id=\"connect-open-id\" open"), "{said}: {after}");
            assert!(after.contains(&format!("name=\"issuer\" type=\"url\" autocomplete=\"off\" maxlength=\"512\" required autocapitalize=\"none\" spellcheck=\"false\" value=\"{issuer}\"")), "{after}");
            // What was typed as a secret is nowhere, and whoever typed one is told.
            assert!(!after.contains("hush") && !after.contains(&long), "{after}");
            assert!(secret != "hush" || after.contains("a secret is not kept. Type it again."), "{after}");
            form = after;
        }
        let typed = [("action", "open_id"), ("name", "Acme"), ("issuer", right), ("client_id", "sinete"), ("authentication", "private_key"), ("client_secret", "hush"), ("scopes", "openid")];
        let (_, after) = ana.reader.presses(&form, CONNECT, &typed).await;
        assert!(after.contains("With a signature there is none."), "{after}");
        let described = metadata();
        for (metadata, subject, email, said) in [
            ("", "NameID", "", "This is not what a SAML provider says about itself now"),
            ("<!DOCTYPE x><x/>", "NameID", "", "This is not what a SAML provider says about itself now"),
            (described.as_str(), "", "", "Give NameID, or the name of an attribute"),
            (described.as_str(), "NameID", long.as_str(), "Give the name of an attribute in at most 256"),
        ] {
            let fields = [("action", "saml"), ("name", "Acme"), ("metadata", metadata), ("subject", subject), ("email", email), ("domains", "")];
            let (_, after) = ana.reader.presses(&form, CONNECT_SAML, &fields).await;
            assert!(after.contains(said) && after.contains("id=\"connect-saml\" open") && !after.contains("EntityDescriptor"), "{said}: {after}");
            assert!(metadata.is_empty() || said.starts_with("This") || after.contains("Paste it again."), "{after}");
        }
        assert_eq!(owner.get(&acme.path("/connections")).await.is(200).body["items"], json!([]), "nothing was made of any of them");
        // There are no more than ten of them, by page as by request.
        for number in 0..10 {
            let other = json!({"name": "A", "issuer": format!("https://a.example/{number}"), "client_id": "x", "authentication": "private_key"});
            owner.post(&acme.path("/connections"), other).await.is(201);
        }
        let typed = [("action", "open_id"), ("name", "Acme"), ("issuer", right), ("client_id", "sinete"), ("authentication", "private_key"), ("scopes", "openid")];
        let (_, after) = ana.reader.presses(&form, CONNECT, &typed).await;
        assert!(after.contains("at most 10 providers") && after.contains(&format!("value=\"{right}\"")), "{after}");
    }

    async fn a_proof_comes_before_the_form_and_no_secret_waits_for_one(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let here = page(&acme, "/connections");
        let connections = async || owner.get(&acme.path("/connections")).await.is(200).body["items"].clone();
        world.clock.pass(Lifetime::from_hours(2));
        // Whoever proved it long ago is shown no field; the proof leads to the form that was asked for.
        let list = ana.reader.reads(&here).await;
        assert!(list.contains("You prove who you are before the form is shown.") && !list.contains("name=\"client_secret\"") && !list.contains("name=\"metadata\""), "{list}");
        let (_, proving) = ana.reader.presses(&list, "id=\"prove-saml\"", &[("form", "saml")]).await;
        assert!(proving.contains("name=\"password\""), "{proving}");
        let (_, form) = ana.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
        assert!(form.contains("You have proven who you are.") && form.contains("id=\"connect-saml\" open") && !form.contains("id=\"connect-open-id\" open"), "{form}");
        // The proof became too old while somebody typed: they give it once more, and what is no secret is still there.
        world.clock.pass(Lifetime::from_minutes(6));
        let fields = [("action", "open_id"), ("name", "Acme"), ("issuer", "https://login.acme.example"), ("client_id", "sinete"), ("authentication", "client_secret"), ("client_secret", "hush, hush"), ("scopes", "openid"), ("domains", "")];
        let (_, proving) = ana.reader.presses(&form, CONNECT, &fields).await;
        assert!(proving.contains("name=\"password\"") && connections().await == json!([]), "{proving}");
        for (name, value) in &ana.reader.cookies {
            assert!(!read(value).contains("hush"), "{name} holds the secret");
        }
        assert!(ana.reader.cookies.values().any(|value| read(value).contains("login.acme.example")), "the rest waits");
        let (_, form) = ana.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
        assert!(form.contains("one field is never kept meanwhile") && form.contains("a secret is not kept. Type it again.") && form.contains("value=\"https://login.acme.example\""), "{form}");
        assert_eq!(connections().await, json!([]), "nothing was done without the secret");
        let (_, made) = ana.reader.presses(&form, CONNECT, &fields).await;
        assert!(made.contains("The provider is connected, and switched off.") && connections().await[0]["has_secret"] == true, "{made}");
        // What waits without a secret is done by the proof.
        world.clock.pass(Lifetime::from_minutes(6));
        let change = [("action", "change"), ("name", "Ours"), ("client_id", "sinete"), ("authentication", "client_secret"), ("client_secret", ""), ("scopes", "openid"), ("domains", "")];
        let (_, proving) = ana.reader.presses(&made, SAVE, &change).await;
        let (_, after) = ana.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
        assert!(after.contains("The connection is changed.") && connections().await[0]["name"] == "Ours", "{after}");
        // What is too long to wait is not done, and whoever sent it is told.
        world.clock.pass(Lifetime::from_minutes(6));
        let long = format!("openid {}", "s".repeat(3000));
        let change = [("action", "change"), ("name", "Lost"), ("client_id", "sinete"), ("authentication", "client_secret"), ("client_secret", "hush"), ("scopes", long.as_str()), ("domains", "")];
        let (_, proving) = ana.reader.presses(&after, SAVE, &change).await;
        assert!(proving.contains("name=\"password\""), "{proving}");
        let (_, after) = ana.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
        assert!(after.contains("nothing is done yet. Fill in the form again") && after.contains("id=\"lost\"") && after.contains("id=\"settings\" open"), "{after}");
        assert!(after.contains("value=\"Ours\"") && connections().await[0]["name"] == "Ours", "{after}");
    }

    async fn whoever_was_slower_with_a_connection_is_told_and_of_one_form_sent_eight_times_one_is_made(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let here = page(&acme, "/connections");
        let form = ana.reader.reads(&here).await;
        let racers: Vec<_> = (0..8).map(|_| {
            let mut racer = world.reader("en").holding(&ana.session);
            let form = form.clone();
            let fields = [("action", "open_id"), ("name", "Acme"), ("issuer", "https://login.acme.example"), ("client_id", "sinete"), ("authentication", "private_key"), ("scopes", "openid email")];
            async move { racer.presses(&form, CONNECT, &fields).await.1 }
        }).collect();
        let pages = join_all(racers).await;
        assert_eq!(pages.iter().filter(|page| page.contains("The provider is connected, and switched off.")).count(), 1, "{pages:?}");
        assert_eq!(pages.iter().filter(|page| page.contains("That form was sent before")).count(), 7, "{pages:?}");
        let all = owner.get(&acme.path("/connections")).await.is(200).body["items"].clone();
        assert_eq!(all.as_array().unwrap().len(), 1);
        let id = all[0]["id"].as_str().unwrap();
        let (one, path) = (format!("{here}/{id}"), acme.path(&format!("/connections/{id}")));
        let before = ana.reader.reads(&one).await;
        owner.patch(&path, 1, json!({"name": "Theirs", "client_id": "theirs"})).await.is(200);
        let mine = [("action", "change"), ("name", "Acme"), ("client_id", "sinete"), ("authentication", "private_key"), ("client_secret", ""), ("scopes", "openid"), ("domains", "")];
        let (_, slow) = ana.reader.presses(&before, SAVE, &mine).await;
        assert!(slow.contains("Somebody changed this") && slow.contains("<h1>Theirs</h1>") && slow.contains("id=\"settings\" open"), "{slow}");
        // What they changed is in the form, and the rest of it is the other's.
        assert!(slow.contains("value=\"openid\"") && slow.contains("value=\"theirs\"") && slow.contains("value=\"Theirs\""), "{slow}");
        let stands: Value = owner.get(&path).await.is(200).body;
        assert_eq!((&stands["version"], &stands["scopes"]), (&json!(2), &json!(["openid", "email"])), "nothing was done");
        let (_, after) = ana.reader.presses(&slow, SAVE, &[("action", "change"), ("name", "Theirs"), ("client_id", "theirs"), ("authentication", "private_key"), ("client_secret", ""), ("scopes", "openid"), ("domains", "")]).await;
        assert!(after.contains("The connection is changed."), "{after}");
    }

    async fn whoever_may_not_manage_connections_makes_and_changes_none_nor_does_anybody_elsewhere(world: &World) {
        let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
        let owner = world.owner(&acme).await;
        owner.post(&acme.path("/roles"), json!({"name": "reader", "permissions": ["organization:read", "members:read"]})).await.is(201);
        let wanted = json!({"name": "Acme", "issuer": "https://login.acme.example", "client_id": "x", "authentication": "private_key"});
        let id = owner.post(&acme.path("/connections"), wanted).await.is(201).body["id"].as_str().unwrap().to_owned();
        let connections = async || owner.get(&acme.path("/connections")).await.is(200).body["items"].clone();
        let (here, stands) = (page(&acme, "/connections"), connections().await);
        let one = format!("{here}/{id}");
        let mut rita = world.worker(&acme, "rita@example.com", "reader").await;
        let csrf = csrf_of(&rita.reader.reads(&page(&acme, &format!("/members/{}", rita.membership))).await);
        let mut bia = world.worker(&other, "bia@example.com", "owner").await;
        let own = csrf_of(&bia.reader.reads(&page(&other, "/keys")).await);
        for action in ["change", "open_id", "saml", "prove"] {
            let fields = |csrf| [("csrf", csrf), ("action", action), ("form", "change"), ("version", "1"), ("once", "abcdefghijklmnopqrstuv"), ("name", "Mine"), ("issuer", "https://spy.example"), ("client_id", "spy"), ("authentication", "private_key"), ("scopes", "openid")];
            for path in [&here, &one] {
                let (_, after) = rita.reader.forges(path, &world.origin(), &fields(csrf.as_str())).await;
                assert!(!after.contains("spy.example") && connections().await == stands, "{action}: {after}");
                assert_eq!(bia.reader.forges(path, &world.origin(), &fields(own.as_str())).await.0, 404, "{action}");
            }
            let through = page(&other, &format!("/connections/{id}"));
            bia.reader.forges(&through, &world.origin(), &fields(own.as_str())).await;
            assert_eq!(connections().await, stands, "{action}");
        }
        // A suspended organization is connected to nothing more, and what is set stays.
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let (list, before) = (ana.reader.reads(&here).await, ana.reader.reads(&one).await);
        let operator = world.operator().await;
        world.assign(&operator, &acme, "unpaid").await;
        operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.is(200);
        assert!(!ana.reader.reads(&here).await.contains("<form"));
        let fields = |action| [("action", action), ("name", "Mine"), ("issuer", "https://b.example"), ("client_id", "x"), ("authentication", "private_key"), ("scopes", "openid")];
        for (form, within, action) in [(&list, CONNECT, "open_id"), (&before, SAVE, "change")] {
            let (_, after) = ana.reader.presses(form, within, &fields(action)).await;
            assert!(after.contains("suspended and accepts no change"), "{action}: {after}");
        }
        assert_eq!(connections().await, stands);
    }
}

/// What a cookie of ours holds, as far as it is text.
fn read(value: &str) -> String {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(value).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
