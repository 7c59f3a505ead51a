//! Applications on the console: registered, changed, given secrets that are shown once, switched off and deleted.

use super::{page, ticks};
use crate::harness::person::PASSWORD;
use crate::stories;
use crate::stories::manage::conventions::join_all;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

/// What stands in an element of this id.
pub(super) fn within<'p>(page: &'p str, id: &str) -> &'p str {
    let after = page.split(&format!("id=\"{id}\">")).nth(1).unwrap_or_else(|| panic!("no {id}: {page}"));
    after.split('<').next().unwrap()
}

pub(super) const WEB: [(&str, &str); 8] = [
    ("action", "register"),
    ("kind", "application"),
    ("name", "Ledger"),
    ("redirects", "https://ledger.example/cb\r\nhttp://localhost:8080/cb"),
    ("proof", "client_secret_basic"),
    ("grant.code", "on"),
    ("grant.refresh", "on"),
    ("scope", "openid email"),
];

/// The same form with other values.
pub(super) fn with<'a>(changes: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let kept = WEB.iter().copied().filter(|(name, _)| !changes.iter().any(|(other, _)| other == name));
    kept.chain(changes.iter().copied().filter(|(_, value)| !value.is_empty())).collect()
}

stories! {
    async fn an_application_is_registered_changed_given_secrets_switched_off_and_deleted_as_by_the_api(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let here = page(&acme, "/applications");
        let form = ana.reader.reads(&here).await;
        let (status, made) = ana.reader.presses(&form, "id=\"register-now\"", &WEB).await;
        let (id, secret) = (within(&made, "client-id").to_owned(), within(&made, "secret").to_owned());
        assert!(status == 200 && made.contains("shown this once"), "{made}");
        let client = owner.get(&acme.path(&format!("/clients/{id}"))).await.is(200).body;
        assert_eq!(client["metadata"]["redirect_uris"], json!(["https://ledger.example/cb", "http://localhost:8080/cb"]));
        assert_eq!((&client["kind"], &client["metadata"]["scope"]), (&json!("application"), &json!("openid email")));
        // The secret is on that answer and nowhere else, and it is the application's.
        assert!(!ana.reader.cookies.values().any(|value| value.contains(&secret)));
        let one = ana.reader.reads(&format!("{here}/{id}")).await;
        assert!(!one.contains(&secret) && one.contains("https://ledger.example/cb"), "{one}");
        let works = async |secret: &str| {
            let asked = world.http.post(world.public("/connect/introspect")).basic_auth(&id, Some(secret)).form(&[("token", "x")]);
            asked.send().await.unwrap().status().as_u16() == 200
        };
        assert!(works(&secret).await && !works("wrong").await);
        // The same form again registers no second one and shows nothing a second time.
        let (_, again) = ana.reader.presses(&form, "id=\"register-now\"", &WEB).await;
        assert!(again.contains("That form was sent before") && !again.contains(&secret), "{again}");
        assert_eq!(owner.get(&acme.path("/clients")).await.is(200).body["items"].as_array().unwrap().len(), 1);
        // What the form does not speak of stays as it is.
        let contacts = json!({"metadata": {"contacts": ["ops@ledger.example"]}});
        owner.patch(&acme.path(&format!("/clients/{id}")), 1, contacts).await.is(200);
        let one = ana.reader.reads(&format!("{here}/{id}")).await;
        let fields = with(&[("action", "change"), ("name", "Ledger 2"), ("redirects", "https://ledger.example/new"), ("grant.refresh", "")]);
        let (_, after) = ana.reader.presses(&one, "id=\"save\"", &fields).await;
        assert!(after.contains("The application is changed.") && after.contains("<h1>Ledger 2</h1>"), "{after}");
        let client = owner.get(&acme.path(&format!("/clients/{id}"))).await.is(200).body;
        assert_eq!(client["metadata"]["contacts"], json!(["ops@ledger.example"]));
        assert_eq!(client["metadata"]["grant_types"], json!(["authorization_code"]));
        assert_eq!(client["metadata"]["redirect_uris"], json!(["https://ledger.example/new"]));
        // A new secret; the earlier one works on until it is revoked.
        let fields = [("action", "add_secret"), ("overlap", "3600")];
        let (_, shown) = ana.reader.presses(&after, "id=\"add-secret\"", &fields).await;
        let second = within(&shown, "secret").to_owned();
        assert!(second != secret && works(&second).await && works(&secret).await);
        let (_, again) = ana.reader.presses(&after, "id=\"add-secret\"", &fields).await;
        assert!(again.contains("That form was sent before"), "{again}");
        let secrets = owner.get(&acme.path(&format!("/clients/{id}/secrets"))).await.is(200).body["items"].clone();
        assert_eq!(secrets.as_array().unwrap().len(), 2);
        let of = |stays: bool| secrets.as_array().unwrap().iter().find(|it| it["expires_at"].is_null() == stays).unwrap()["id"].as_str().unwrap().to_owned();
        let (_, after) = ana.reader.presses(&again, "name=\"revoke\"", &[("revoke", &of(true))]).await;
        assert!(after.contains("This is the secret it uses.") && works(&second).await, "{after}");
        let (_, after) = ana.reader.presses(&again, "name=\"revoke\"", &[("revoke", &of(false))]).await;
        assert!(after.contains("The secret is revoked.") && !works(&secret).await && works(&second).await, "{after}");
        // Off, on, and gone.
        let (_, after) = ana.reader.presses(&after, "id=\"switch-off\"", &[("action", "disable")]).await;
        assert!(after.contains("The application is switched off.") && !works(&second).await, "{after}");
        let (_, after) = ana.reader.presses(&after, "id=\"switch-on\"", &[("action", "enable")]).await;
        assert!(after.contains("switched on again.") && works(&second).await, "{after}");
        let (_, after) = ana.reader.presses(&after, "id=\"remove-now\"", &[("action", "remove")]).await;
        assert!(after.contains("The application is deleted.") && after.contains("id=\"applications\""), "{after}");
        assert_eq!(ana.reader.opens(&format!("{here}/{id}")).await.0, 404);
        assert!(!works(&second).await);
        // In the trail it is what the same would be by token.
        let trail = owner.get(&acme.path(&format!("/audit?actor={}", ana.membership))).await.is(200).body;
        let mut kinds: Vec<&str> = trail["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
        let expected = ["client.changed", "client.created", "client.disabled", "client.enabled", "client.removed", "client_secret.added", "client_secret.revoked"];
        kinds.sort_unstable();
        assert_eq!(kinds, expected);
    }

    async fn what_is_wrong_with_an_application_stands_beside_its_field_and_what_was_typed_stays(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let (mut form, long) = (ana.reader.reads(&page(&acme, "/applications")).await, "p".repeat(201));
        for (changes, told) in [
            (vec![("name", "")], "Give it a name"),
            (vec![("redirects", "https://a.example/#x")], "one to twenty addresses"),
            (vec![("redirects", "")], "one to twenty addresses"),
            (vec![("redirects", "http://a.example/cb")], "one to twenty addresses"),
            (vec![("redirects", "https://a.example/cb\r\nhttps://a.example/cb")], "each once"),
            (vec![("grant.own", "on"), ("role.01936f5e-7c2a-7def-8a1b-2c3d4e5f6079", "on")], "does not exist here any more"),
            (vec![("grant.code", ""), ("grant.refresh", "")], "Choose at least one way"),
            (vec![("grant.code", "")], "renewing goes with"),
            (vec![("proof", "none"), ("grant.own", "on")], "has to prove itself"),
            (vec![("proof", "private_key_jwt")], "address at which its public keys"),
            (vec![("keys", "ftp://a.example/keys"), ("proof", "private_key_jwt")], "address at which its public keys"),
            (vec![("scope", "members:manage")], "an operator vouches for"),
            (vec![("scope", "no scope at all!")], "These are no scopes"),
            (vec![("grant.own", "on")], "carries at least one role"),
            (vec![("kind", "agent")], "Say what it is for"),
            (vec![("kind", "agent"), ("purpose", long.as_str())], "This is longer than 200 characters, or not all of them can be seen."),
            (vec![("kind", "agent"), ("purpose", "x\u{202e}")], "This is longer than 200 characters, or not all of them can be seen."),
            (vec![("kind", "robot")], "That cannot be done now."),
            (vec![("proof", "word_of_honour")], "That cannot be done now."),
        ] {
            let fields = with(&changes);
            let (_, after) = ana.reader.presses(&form, "id=\"register-now\"", &fields).await;
            assert!(after.contains(told) && after.contains("id=\"register\" open"), "{changes:?}: {after}");
            for (name, value) in &fields {
                let kept = match *name {
                    "name" | "scope" | "keys" => after.contains(&format!("value=\"{value}\"")),
                    "redirects" => value.lines().all(|line| after.contains(&line.replace('#', "&#35;")) || after.contains(line)),
                    _ => true,
                };
                assert!(kept, "{name} is still there: {after}");
            }
            assert!(told.starts_with("That") || after.contains("id=\"trouble\""), "{after}");
            form = after;
        }
        assert!(owner.get(&acme.path("/clients")).await.is(200).body["items"].as_array().unwrap().is_empty(), "nothing was made of any of them");
    }

    async fn a_service_acts_with_the_roles_it_was_given_and_an_agent_has_whoever_made_it_to_answer(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let form = ana.reader.reads(&page(&acme, "/applications")).await;
        let member = ticks(world.role_of(&acme, "member").await);
        let own = [("grant.code", ""), ("grant.refresh", ""), ("redirects", ""), ("scope", ""), ("grant.own", "on"), (&member, "on")];
        let service = with(&[&own[..], &[("kind", "service")]].concat());
        let (_, made) = ana.reader.presses(&form, "id=\"register-now\"", &service).await;
        let client = owner.get(&acme.path(&format!("/clients/{}", within(&made, "client-id")))).await.is(200).body;
        assert_eq!((&client["kind"], &client["roles"][0]["name"]), (&json!("service"), &json!("member")));
        // Changing its name gives it nothing again, and changes no role.
        let one = ana.reader.reads(&page(&acme, &format!("/applications/{}", within(&made, "client-id")))).await;
        let fields: Vec<_> = service.iter().copied().filter(|(name, _)| !["action", "name", "kind"].contains(name)).chain([("action", "change"), ("name", "Sync")]).collect();
        let (_, after) = ana.reader.presses(&one, "id=\"save\"", &fields).await;
        assert!(after.contains("The application is changed."), "{after}");
        let form = ana.reader.reads(&page(&acme, "/applications")).await;
        let agent = with(&[&own[..], &[("kind", "agent"), ("purpose", "Sorts the mail")]].concat());
        let (_, made) = ana.reader.presses(&form, "id=\"register-now\"", &agent).await;
        let client = owner.get(&acme.path(&format!("/clients/{}", within(&made, "client-id")))).await.is(200).body;
        assert_eq!((&client["kind"], &client["owner"]), (&json!("agent"), &json!(ana.membership.to_string())));
        // A public client has nothing to show, and is there.
        let form = ana.reader.reads(&page(&acme, "/applications")).await;
        let (_, after) = ana.reader.presses(&form, "id=\"register-now\"", &with(&[("proof", "none"), ("name", "Telephone")])).await;
        assert!(after.contains("The application is registered.") && after.contains("<h1>Telephone</h1>") && !after.contains("id=\"secrets\""), "{after}");
        // Given a secret by a change of how it proves itself, it is shown that once.
        let fields = with(&[("action", "change"), ("name", "Telephone")]);
        let (_, shown) = ana.reader.presses(&after, "id=\"save\"", &fields).await;
        assert!(shown.contains("id=\"secret\""), "{shown}");
        let (_, again) = ana.reader.presses(&after, "id=\"save\"", &fields).await;
        assert!(again.contains("Somebody changed this in the meantime") && !again.contains("id=\"secret\""), "{again}");
    }

    async fn of_the_same_form_sent_eight_times_at_once_one_application_is_made_and_its_secret_shown_once(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let form = ana.reader.reads(&page(&acme, "/applications")).await;
        let of = |name: &str| form.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned();
        let (csrf, once) = (of("csrf"), of("once"));
        let racers: Vec<_> = (0..8).map(|_| {
            let mut racer = world.reader("en").holding(&ana.session);
            let (path, origin, csrf, once) = (page(&acme, "/applications"), world.origin(), csrf.clone(), once.clone());
            async move {
                let fields: Vec<(&str, &str)> = WEB.into_iter().chain([("csrf", csrf.as_str()), ("once", &once)]).collect();
                racer.forges(&path, &origin, &fields).await.1
            }
        }).collect();
        let pages = join_all(racers).await;
        assert_eq!(pages.iter().filter(|page| page.contains("id=\"secret\"")).count(), 1, "{pages:?}");
        assert_eq!(owner.get(&acme.path("/clients")).await.is(200).body["items"].as_array().unwrap().len(), 1);
    }

    async fn what_lets_an_application_in_waits_for_a_proof_and_what_stops_it_does_not(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let form = ana.reader.reads(&page(&acme, "/applications")).await;
        let (_, made) = ana.reader.presses(&form, "id=\"register-now\"", &WEB).await;
        let (id, here) = (within(&made, "client-id").to_owned(), page(&acme, &format!("/applications/{}", within(&made, "client-id"))));
        world.clock.pass(Lifetime::from_hours(2));
        let one = ana.reader.reads(&here).await;
        let list = ana.reader.reads(&page(&acme, "/applications")).await;
        let waits = [
            (&list, "register-now", with(&[("name", "Second")])),
            (&one, "save", with(&[("action", "change"), ("name", "Other")])),
            (&one, "add-secret", vec![("action", "add_secret")]),
        ];
        for (from, button, fields) in &waits {
            let (_, proving) = ana.reader.presses(from, &format!("id=\"{button}\""), fields).await;
            assert!(proving.contains("name=\"password\""), "{button}: {proving}");
        }
        let client = async || owner.get(&acme.path(&format!("/clients/{id}"))).await.is(200).body;
        assert_eq!(client().await["metadata"]["client_name"], "Ledger", "nothing was done yet");
        let (_, after) = ana.reader.presses(&one, "id=\"switch-off\"", &[("action", "disable")]).await;
        assert!(after.contains("The application is switched off."), "stopping does not wait: {after}");
        let (_, proving) = ana.reader.presses(&after, "id=\"switch-on\"", &[("action", "enable")]).await;
        assert!(proving.contains("name=\"password\"") && client().await["condition"] == "suspended", "{proving}");
        let (_, proving) = ana.reader.presses(&list, "id=\"register-now\"", &with(&[("name", "Second")])).await;
        let (_, made) = ana.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
        assert!(made.contains("id=\"secret\"") && made.contains("Second"), "done after the proof: {made}");
    }

    async fn whoever_may_not_manage_applications_looks_and_those_of_others_are_not_there(world: &World) {
        let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
        let owner = world.owner(&acme).await;
        let role = |name: &str, permissions: Value| json!({"name": name, "permissions": permissions});
        owner.post(&acme.path("/roles"), role("reader", json!(["organization:read", "clients:read"]))).await.is(201);
        owner.post(&acme.path("/roles"), role("helper", json!(["organization:read", "clients:read", "agents:manage"]))).await.is(201);
        owner.post(&acme.path("/roles"), role("lister", json!(["organization:read", "members:read"]))).await.is(201);
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let form = ana.reader.reads(&page(&acme, "/applications")).await;
        let admin = ticks(world.role_of(&acme, "admin").await);
        let service = with(&[("kind", "service"), ("grant.own", "on"), (&admin, "on")]);
        let (_, made) = ana.reader.presses(&form, "id=\"register-now\"", &service).await;
        let (id, here) = (within(&made, "client-id").to_owned(), page(&acme, &format!("/applications/{}", within(&made, "client-id"))));
        let own = ana.reader.reads(&here).await;
        let csrf_of = |page: &str| page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        // Whoever may look sees how it is set and is offered nothing; sent all the same, it is refused.
        let mut rita = world.worker(&acme, "rita@example.com", "reader").await;
        let seen = rita.reader.reads(&here).await;
        assert!(seen.contains("https://ledger.example/cb") && !seen.contains("id=\"save\"") && !seen.contains("id=\"add-secret\"") && !seen.contains("id=\"switch-off\""), "{seen}");
        assert!(!rita.reader.reads(&page(&acme, "/applications")).await.contains("id=\"register\""));
        let csrf = csrf_of(&rita.reader.reads(&here).await);
        let version = owner.get(&acme.path(&format!("/clients/{id}"))).await.is(200).version();
        let sent = [("action", "change"), ("action", "add_secret"), ("action", "disable"), ("action", "enable"), ("action", "remove"), ("revoke", "0011223344556677")];
        for (name, value) in sent {
            let fields = [("csrf", csrf.as_str()), ("once", "abcdefghijklmnop"), ("version", "1"), (name, value)];
            let (_, after) = rita.reader.forges(&here, &world.origin(), &fields).await;
            assert!(after.contains("You may not do this here."), "{value}: {after}");
        }
        let fields: Vec<_> = WEB.into_iter().chain([("csrf", csrf.as_str()), ("once", "abcdefghijklmnop")]).collect();
        let (_, after) = rita.reader.forges(&page(&acme, "/applications"), &world.origin(), &fields).await;
        assert!(after.contains("You may not do this here."), "{after}");
        // Whoever manages agents is offered agents alone, and gives nothing that they do not hold.
        let mut hugo = world.worker(&acme, "hugo@example.com", "helper").await;
        let list = hugo.reader.reads(&page(&acme, "/applications")).await;
        assert!(list.contains("value=\"agent\"") && !list.contains("value=\"service\""), "{list}");
        let (_, after) = hugo.reader.presses(&list, "id=\"register-now\"", &WEB).await;
        assert!(after.contains("Nobody gives what they do not hold") || after.contains("You may not do this here."), "{after}");
        let agent = with(&[("kind", "agent"), ("purpose", "Sorts"), ("grant.own", "on"), (&admin, "on")]);
        let (_, after) = hugo.reader.presses(&list, "id=\"register-now\"", &agent).await;
        assert!(after.contains("Nobody gives what they do not hold"), "{after}");
        // Whoever may see no application has no such part.
        let mut lia = world.worker(&acme, "lia@example.com", "lister").await;
        assert!(!lia.reader.reads(&page(&acme, "")).await.contains("/console/acme/applications"));
        assert_eq!(lia.reader.opens(&here).await.0, 403);
        // Another organization's owner finds it neither there nor at home.
        let mut bia = world.worker(&other, "bia@example.com", "owner").await;
        let home = bia.reader.reads(&page(&other, "/applications")).await;
        assert!(!home.contains(&id), "{home}");
        let through = page(&other, &format!("/applications/{id}"));
        assert_eq!(bia.reader.opens(&here).await.0, 404);
        assert_eq!(bia.reader.opens(&through).await.0, 404);
        let csrf = csrf_of(&home);
        for action in ["change", "add_secret", "disable", "enable", "remove"] {
            let fields = [("csrf", csrf.as_str()), ("once", "abcdefghijklmnop"), ("version", "1"), ("action", action)];
            let (status, after) = bia.reader.forges(&through, &world.origin(), &fields).await;
            assert!(status == 404 || after.contains("not there any more"), "{action}: {status} {after}");
        }
        assert_eq!(owner.get(&acme.path(&format!("/clients/{id}"))).await.is(200).version(), version, "nothing changed");
        // A suspended organization shows them and takes no change.
        let operator = world.operator().await;
        world.assign(&operator, &acme, "unpaid").await;
        operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.is(200);
        let seen = ana.reader.reads(&here).await;
        assert!(seen.contains("This organization is suspended") && !seen.contains("id=\"save\""), "{seen}");
        for (button, fields) in [("save", with(&[("action", "change")])), ("add-secret", vec![("action", "add_secret")]), ("switch-off", vec![("action", "disable")]), ("remove-now", vec![("action", "remove")])] {
            let (_, after) = ana.reader.presses(&own, &format!("id=\"{button}\""), &fields).await;
            assert!(after.contains("suspended and accepts no change"), "{button}: {after}");
        }
        let (_, after) = ana.reader.presses(&form, "id=\"register-now\"", &with(&[("name", "Late")])).await;
        assert!(after.contains("suspended and accepts no change") || after.contains("That form was sent before"), "{after}");
    }
}
