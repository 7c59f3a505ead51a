//! Connections that others change while somebody fills in their form: what others did stays.

use super::page;
use crate::stories;
use serde_json::{Value, json};

const SAVE: &str = "id=\"save\"";

/// What is wanted of a provider that is only ever shown.
fn provider(name: &str, domains: &Value) -> Value {
    let issuer = format!("https://{name}.login.example");
    json!({"name": name, "issuer": issuer, "client_id": "sinete", "authentication": "private_key", "domains": domains})
}

/// The form of a connection as a browser sends it.
fn filled<'a>(name: &'a str, scopes: &'a str, domains: &'a str) -> [(&'a str, &'a str); 7] {
    [
        ("action", "change"),
        ("name", name),
        ("client_id", "sinete"),
        ("authentication", "private_key"),
        ("client_secret", ""),
        ("scopes", scopes),
        ("domains", domains),
    ]
}

stories! {
    async fn saving_a_connection_takes_no_domain_back_that_somebody_led_to_another(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        for domain in ["x.example", "y.example", "z.example"] {
            owner.post(&acme.path("/domains"), json!({"domain": domain})).await.is(201);
        }
        let make = async |name, domains| {
            let made = owner.post(&acme.path("/connections"), provider(name, &domains)).await.is(201).body;
            let id = made["id"].as_str().unwrap().to_owned();
            (page(&acme, &format!("/connections/{id}")), acme.path(&format!("/connections/{id}")))
        };
        let (first, second) = (make("first", json!(["x.example", "y.example"])).await, make("second", json!([])).await);
        let leads = async |path: &str| owner.get(path).await.is(200).body["domains"].clone();
        let (mut ana, mut bia) = (world.worker(&acme, "ana@example.com", "owner").await, world.worker(&acme, "bia@example.com", "owner").await);
        let (scopes, all) = ("openid email profile", "x.example\r\ny.example");
        // Ana reads the first; Bia leads one of its domains to the second. Ana changes its name, and nothing else.
        let (shown, other) = (ana.reader.reads(&first.0).await, bia.reader.reads(&second.0).await);
        let (_, moved) = bia.reader.presses(&other, SAVE, &filled("second", scopes, "x.example")).await;
        assert!(moved.contains("The connection is changed."), "{moved}");
        let (_, after) = ana.reader.presses(&shown, SAVE, &filled("Ours", scopes, all)).await;
        assert!(after.contains("The connection is changed.") && after.contains("<h1>Ours</h1>"), "{after}");
        assert_eq!((leads(&first.1).await, leads(&second.1).await), (json!(["y.example"]), json!(["x.example"])));
        // Pressing without a change takes nothing either.
        let (_, after) = ana.reader.presses(&after, SAVE, &filled("Ours", scopes, "y.example")).await;
        assert!(after.contains("The connection is changed."), "{after}");
        assert_eq!((leads(&first.1).await, leads(&second.1).await), (json!(["y.example"]), json!(["x.example"])));
        // Whoever changes the domains themselves is told what became of them, and then decides.
        let (_, moved) = bia.reader.presses(&moved, SAVE, &filled("second", scopes, "x.example\r\ny.example")).await;
        assert!(moved.contains("The connection is changed."), "{moved}");
        let (_, slow) = ana.reader.presses(&after, SAVE, &filled("Ours", scopes, "y.example\r\nz.example")).await;
        assert!(slow.contains("Somebody changed this in the meantime.") && slow.contains("<dd>none</dd>") && slow.contains("y.example\r\nz.example</textarea>"), "{slow}");
        assert_eq!((leads(&first.1).await, leads(&second.1).await), (json!([]), json!(["x.example", "y.example"])));
        let (_, decided) = ana.reader.presses(&slow, SAVE, &filled("Ours", scopes, "z.example")).await;
        assert!(decided.contains("The connection is changed."), "{decided}");
        assert_eq!((leads(&first.1).await, leads(&second.1).await), (json!(["z.example"]), json!(["x.example", "y.example"])));
        // A form that came back for another reason is still of what its first page showed.
        let (_, wrong) = ana.reader.presses(&decided, SAVE, &filled("Ours", "email", "y.example\r\nz.example")).await;
        assert!(wrong.contains("Give 1 to 20 scopes") && wrong.contains("y.example\r\nz.example</textarea>"), "{wrong}");
        let fresh = bia.reader.reads(&second.0).await;
        let (_, fresh) = bia.reader.presses(&fresh, SAVE, &filled("second", scopes, "x.example\r\ny.example\r\nz.example")).await;
        assert!(fresh.contains("The connection is changed."), "{fresh}");
        let (_, wrong) = ana.reader.presses(&wrong, SAVE, &filled("Ours", "email", "y.example\r\nz.example")).await;
        assert!(wrong.contains("Somebody changed this in the meantime."), "{wrong}");
        assert_eq!((leads(&first.1).await, leads(&second.1).await), (json!([]), json!(["x.example", "y.example", "z.example"])));
        // A form that does not say what its page showed changes nothing.
        let stands = owner.get(&first.1).await.is(200).body;
        let (csrf, version) = (super::connections::csrf_of(&fresh), stands["version"].to_string());
        let own = [("csrf", csrf.as_str()), ("version", version.as_str())];
        for shown in [None, Some(("shown", "")), Some(("shown", "AAAAAAAA"))] {
            let fields: Vec<_> = own.into_iter().chain(shown).chain(filled("Mine", scopes, "z.example")).collect();
            let (_, after) = bia.reader.forges(&first.0, &world.origin(), &fields).await;
            assert!(after.contains("Somebody changed this in the meantime."), "{shown:?}: {after}");
            assert_eq!(owner.get(&first.1).await.is(200).body, stands, "{shown:?}");
        }
    }
}
