//! Roles on the console: made, changed in what they confer, deleted; what built-in ones confer is shown.

use super::page;
use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

both_engines!(
    a_role_is_made_changed_and_deleted_as_by_the_api,
    whoever_was_slower_with_a_role_keeps_what_they_changed_and_undoes_nothing_of_the_others,
    what_is_wrong_with_a_role_stands_beside_its_field_and_built_in_ones_are_only_shown,
    whoever_may_not_see_the_apis_is_shown_of_theirs_what_they_hold_and_what_a_role_confers,
    nobody_puts_into_a_role_what_they_do_not_hold_and_whoever_may_not_manage_roles_looks
);

async fn a_role_is_made_changed_and_deleted_as_by_the_api(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let here = page(&acme, "/roles");
    let form = ana.reader.reads(&here).await;
    let fields = [
        ("action", "make"),
        ("name", "clerk"),
        ("description", "At the counter"),
        ("permission.members:read", "on"),
    ];
    let (_, made) = ana.reader.presses(&form, "id=\"make-now\"", &fields).await;
    assert!(made.contains("The role is made.") && made.contains("<h1>clerk</h1>"), "{made}");
    let id = world.role_of(&acme, "clerk").await;
    let role = async || owner.get(&acme.path(&format!("/roles/{id}"))).await.is(200).body;
    assert_eq!(
        (&role().await["permissions"], &role().await["description"]),
        (&json!(["members:read"]), &json!("At the counter"))
    );
    let (_, again) = ana.reader.presses(&form, "id=\"make-now\"", &fields).await;
    assert!(again.contains("That form was sent before"), "{again}");
    // What it confers is somebody's at their next press, and gone at the next after it is taken away.
    let mut carla = world.worker(&acme, "carla@example.com", "clerk").await;
    assert_eq!(carla.reader.opens(&page(&acme, "/trail")).await.0, 403);
    let fields = [
        ("action", "change"),
        ("name", "clerk"),
        ("permission.members:read", "on"),
        ("permission.audit:read", "on"),
    ];
    let (_, after) = ana.reader.presses(&made, "id=\"save\"", &fields).await;
    assert!(
        after.contains("The role is changed.")
            && after.contains("name=\"permission.audit:read\" value=\"on\" checked"),
        "{after}"
    );
    assert_eq!(carla.reader.opens(&page(&acme, "/trail")).await.0, 200);
    // Somebody else was faster, in changing and in deleting.
    let (_, slow) = ana
        .reader
        .presses(
            &made,
            "id=\"save\"",
            &[("action", "change"), ("name", "teller"), ("permission.roles:read", "on")],
        )
        .await;
    assert!(slow.contains("Somebody changed this") && slow.contains("value=\"teller\""), "{slow}");
    let ticked = ["audit:read", "members:read", "roles:read"]
        .map(|it| slow.contains(&format!("name=\"permission.{it}\" value=\"on\" checked")));
    assert_eq!(ticked, [true, false, true], "as it stands, with what was changed: {slow}");
    // What is wrong with a form of an older page does not make it one of this page: what was taken away stays away.
    let fields = [("action", "change"), ("name", "Teller!"), ("permission.roles:read", "on")];
    let (_, wrong) = ana.reader.presses(&made, "id=\"save\"", &fields).await;
    assert!(wrong.contains("name=\"permission.roles:read\" value=\"on\" checked"), "{wrong}");
    let (_, slow) = ana
        .reader
        .presses(
            &wrong,
            "id=\"save\"",
            &[("action", "change"), ("name", "teller"), ("permission.roles:read", "on")],
        )
        .await;
    assert!(slow.contains("Somebody changed this") && role().await["name"] == "clerk", "{slow}");
    assert_eq!(role().await["permissions"], json!(["audit:read", "members:read"]));
    // A name that another role has is told as that, and as that over the API.
    owner.post(&acme.path("/roles"), json!({"name": "other", "permissions": []})).await.is(201);
    let (_, taken) =
        ana.reader.presses(&slow, "id=\"save\"", &[("action", "change"), ("name", "other")]).await;
    assert!(
        taken.contains("The organization has a role of that name.") && role().await["name"] == "clerk",
        "{taken}"
    );
    owner
        .patch(&acme.path(&format!("/roles/{id}")), 2, json!({"name": "other"}))
        .await
        .refused(409, "conflict");
    let (_, slow) = ana.reader.presses(&made, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(slow.contains("Somebody changed this") && role().await["name"] == "clerk", "{slow}");
    let (_, gone) = ana.reader.presses(&slow, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(gone.contains("The role is deleted.") && !gone.contains(&id.to_string()), "{gone}");
    assert_eq!(carla.reader.opens(&page(&acme, "/members")).await.0, 404, "nobody carries it any more");
    let trail = owner.get(&acme.path(&format!("/audit?actor={}", ana.membership))).await.is(200).body;
    let mut kinds: Vec<&str> =
        trail["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["role.changed", "role.created", "role.removed"]);
}

async fn whoever_was_slower_with_a_role_keeps_what_they_changed_and_undoes_nothing_of_the_others(
    world: &World,
) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let wanted = json!({"name": "clerk", "description": "At the counter", "permissions": ["audit:read", "members:read"]});
    let id = owner.post(&acme.path("/roles"), wanted).await.is(201).text_of("id");
    let (one, path) = (page(&acme, &format!("/roles/{id}")), acme.path(&format!("/roles/{id}")));
    let role = async || owner.get(&path).await.is(200).body;
    let before = ana.reader.reads(&one).await;
    owner.patch(&path, 1, json!({"name": "teller", "permissions": ["members:read"]})).await.is(200);
    let mine = [
        ("action", "change"),
        ("name", "clerk"),
        ("description", "At the desk"),
        ("permission.audit:read", "on"),
        ("permission.members:read", "on"),
        ("permission.roles:read", "on"),
    ];
    let (_, slow) = ana.reader.presses(&before, "id=\"save\"", &mine).await;
    assert!(slow.contains("Somebody changed this") && role().await["version"] == 2, "{slow}");
    // The name that nobody typed is the other's, and what they took away is not ticked.
    assert!(
        slow.contains("value=\"teller\"")
            && !slow.contains("value=\"clerk\"")
            && slow.contains("value=\"At the desk\""),
        "{slow}"
    );
    let ticked = ["audit:read", "members:read", "roles:read"]
        .map(|it| slow.contains(&format!("name=\"permission.{it}\" value=\"on\" checked")));
    assert_eq!(ticked, [false, true, true], "{slow}");
    let (_, after) = ana
        .reader
        .presses(
            &slow,
            "id=\"save\"",
            &[
                ("action", "change"),
                ("name", "teller"),
                ("description", "At the desk"),
                ("permission.members:read", "on"),
                ("permission.roles:read", "on"),
            ],
        )
        .await;
    assert!(after.contains("The role is changed."), "{after}");
    assert_eq!(
        (&role().await["name"], &role().await["permissions"]),
        (&json!("teller"), &json!(["members:read", "roles:read"]))
    );
    // Whoever presses after it was deleted finds the list, and is told.
    let (_, gone) = ana.reader.presses(&after, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(gone.contains("The role is deleted."), "{gone}");
    for (button, action) in [("save", "change"), ("remove-now", "remove")] {
        let (status, late) = ana
            .reader
            .presses(&after, &format!("id=\"{button}\""), &[("action", action), ("name", "teller")])
            .await;
        assert!(
            status == 200 && late.contains("not there any more") && late.contains("<h1>Roles</h1>"),
            "{action}: {late}"
        );
    }
}

async fn what_is_wrong_with_a_role_stands_beside_its_field_and_built_in_ones_are_only_shown(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    owner.post(&acme.path("/roles"), json!({"name": "clerk", "permissions": []})).await.is(201);
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let here = page(&acme, "/roles");
    let mut form = ana.reader.reads(&here).await;
    let marked = format!("{}\u{202e}", "x");
    for (name, description, permission, told) in [
        ("", "", "members:read", "A role is called by"),
        ("Big Boss", "", "members:read", "A role is called by"),
        (
            "teller",
            marked.as_str(),
            "members:read",
            "This is longer than 200 characters, or not all of them can be seen.",
        ),
        ("clerk", "", "members:read", "has a role of that name"),
        ("owner", "", "members:read", "has a role of that name"),
        ("teller", "", "invoices:read", "does not exist here"),
        ("teller", "", "instance:operate", "does not exist here"),
        ("teller", "", "no permission", "does not exist here"),
    ] {
        let ticked = format!("permission.{permission}");
        let fields = [("action", "make"), ("name", name), ("description", description), (&ticked, "on")];
        let (_, after) = ana.reader.presses(&form, "id=\"make-now\"", &fields).await;
        assert!(
            after.contains(told)
                && after.contains("id=\"make\" open")
                && after.contains(&format!("value=\"{name}\"")),
            "{name} {permission}: {after}"
        );
        form = after;
    }
    assert_eq!(
        owner.get(&acme.path("/roles")).await.is(200).body["items"].as_array().unwrap().len(),
        4,
        "nothing was made of any of them"
    );
    // What every organization has is shown with all that it confers, and is not offered to be changed.
    let admin = world.role_of(&acme, "admin").await;
    let shown = ana.reader.reads(&format!("{here}/{admin}")).await;
    assert!(
        shown.contains("Invite, change and remove members")
            && !shown.contains("Delete the organization")
            && !shown.contains("<form"),
        "{shown}"
    );
    let shown =
        ana.reader.reads(&format!("{here}/{}?ui_locales=pt-BR", world.role_of(&acme, "owner").await)).await;
    assert!(shown.contains("<h1>proprietário</h1>") && shown.contains("Excluir a organização"), "{shown}");
    let csrf = form.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    for action in ["change", "remove"] {
        let fields = [
            ("csrf", csrf),
            ("action", action),
            ("version", "1"),
            ("name", "chief"),
            ("permission.members:read", "on"),
        ];
        let (_, after) = ana.reader.forges(&format!("{here}/{admin}"), &world.origin(), &fields).await;
        assert!(after.contains("That cannot be done now."), "{action}: {after}");
    }
    assert_eq!(owner.get(&acme.path(&format!("/roles/{admin}"))).await.is(200).version(), 1);
}

async fn whoever_may_not_see_the_apis_is_shown_of_theirs_what_they_hold_and_what_a_role_confers(
    world: &World,
) {
    let books = world.books().await;
    let (acme, owner) = (&books.tenant, &books.owner);
    for (name, more) in [("shaper", None), ("seer", Some("apis:read"))] {
        let permissions: Vec<&str> = ["organization:read", "roles:read", "roles:manage", "invoices:read"]
            .into_iter()
            .chain(more)
            .collect();
        owner.post(&acme.path("/roles"), json!({"name": name, "permissions": permissions})).await.is(201);
    }
    let mut sam = world.worker(acme, "sam@example.com", "shaper").await;
    let mut rita = world.worker(acme, "rita@example.com", "seer").await;
    let here = page(acme, "/roles");
    let manager = world.role_of(acme, "manager").await;
    let one = format!("{here}/{manager}");
    let lists = |page: &str| {
        ["invoices:read", "invoices:send", "invoices:void", "files:read"]
            .map(|it| page.contains(&format!("name=\"permission.{it}\"")))
    };
    for (path, conferred) in [(&here, false), (&one, true)] {
        let (of_sam, of_rita) = (sam.reader.reads(path).await, rita.reader.reads(path).await);
        assert_eq!(lists(&of_sam), [true, false, false, conferred], "{path}: {of_sam}");
        assert!(
            of_sam.contains("There are permissions of APIs that are not listed here"),
            "{path}: {of_sam}"
        );
        assert_eq!(lists(&of_rita), [true; 4], "{path}: {of_rita}");
        assert!(!of_rita.contains("that are not listed here"), "{path}: {of_rita}");
    }
    // What the role confers is kept by whoever could not have added it, as it is written.
    let form = sam.reader.reads(&one).await;
    let fields = [
        ("action", "change"),
        ("name", "manager"),
        ("description", "All"),
        ("permission.invoices:*", "on"),
        ("permission.files:read", "on"),
    ];
    let (_, after) = sam.reader.presses(&form, "id=\"save\"", &fields).await;
    assert!(after.contains("The role is changed."), "{after}");
    let role = owner.get(&acme.path(&format!("/roles/{manager}"))).await.is(200).body;
    assert_eq!(
        (&role["permissions"], &role["description"]),
        (&json!(["files:read", "invoices:*"]), &json!("All"))
    );
    let portuguese = sam.reader.reads(&format!("{one}?ui_locales=pt-BR")).await;
    assert!(portuguese.contains("Há permissões de APIs que não são listadas aqui"), "{portuguese}");
}

async fn nobody_puts_into_a_role_what_they_do_not_hold_and_whoever_may_not_manage_roles_looks(world: &World) {
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let owner = world.owner(&acme).await;
    let role = |name: &str, permissions: serde_json::Value| json!({"name": name, "permissions": permissions});
    owner
        .post(&acme.path("/roles"), role("reader", json!(["organization:read", "roles:read"])))
        .await
        .is(201);
    owner
        .post(
            &acme.path("/roles"),
            role("shaper", json!(["organization:read", "roles:read", "roles:manage", "members:read"])),
        )
        .await
        .is(201);
    let strong =
        owner.post(&acme.path("/roles"), role("strong", json!(["audit:read"]))).await.is(201).text_of("id");
    let here = page(&acme, "/roles");
    let mut sam = world.worker(&acme, "sam@example.com", "shaper").await;
    let form = sam.reader.reads(&here).await;
    assert!(
        form.contains("name=\"permission.audit:read\" value=\"on\" disabled")
            && !form.contains("name=\"permission.members:read\" value=\"on\" disabled"),
        "{form}"
    );
    let fields = [("action", "make"), ("name", "spy"), ("permission.audit:read", "on")];
    let (_, after) = sam.reader.presses(&form, "id=\"make-now\"", &fields).await;
    assert!(after.contains("Nobody gives what they do not hold"), "{after}");
    // What a role confers already stays when somebody who lacks it changes the rest.
    let one = sam.reader.reads(&format!("{here}/{strong}")).await;
    let fields = [
        ("action", "change"),
        ("name", "strong"),
        ("permission.audit:read", "on"),
        ("permission.members:read", "on"),
    ];
    let (_, after) = sam.reader.presses(&one, "id=\"save\"", &fields).await;
    assert!(after.contains("The role is changed."), "{after}");
    // Two hours later it takes a proof to change what a role confers, and none to delete it.
    world.clock.pass(Lifetime::from_hours(2));
    let (_, proving) =
        sam.reader.presses(&after, "id=\"save\"", &[("action", "change"), ("name", "strong")]).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    let permissions =
        async || owner.get(&acme.path(&format!("/roles/{strong}"))).await.is(200).body["permissions"].clone();
    assert_eq!(permissions().await, json!(["audit:read", "members:read"]), "nothing was done yet");
    let (_, after) = sam.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("The role is changed.") && permissions().await == json!([]), "{after}");
    let mut rita = world.worker(&acme, "rita@example.com", "reader").await;
    let seen = rita.reader.reads(&format!("{here}/{strong}")).await;
    assert!(!seen.contains("<form") && !rita.reader.reads(&here).await.contains("id=\"make\""), "{seen}");
    let front = rita.reader.reads(&page(&acme, "")).await;
    assert!(!front.contains("/console/acme/members"), "{front}");
    let mut rival = world.worker(&acme, "rival@example.com", "member").await;
    assert_eq!(rival.reader.opens(&here).await.0, 404, "whoever manages nothing has no console");
    // Sent all the same it is refused, by whoever may only look and by whoever belongs elsewhere.
    let mut bia = world.worker(&other, "bia@example.com", "owner").await;
    let home = bia.reader.reads(&page(&other, "/roles")).await;
    let csrf = home.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let through = page(&other, &format!("/roles/{strong}"));
    assert_eq!(bia.reader.opens(&through).await.0, 404);
    for action in ["change", "remove"] {
        let fields = [("csrf", csrf.as_str()), ("action", action), ("version", "3"), ("name", "mine")];
        let (status, after) = bia.reader.forges(&through, &world.origin(), &fields).await;
        assert!(status == 404 || after.contains("not there any more"), "{action}: {status} {after}");
        assert_eq!(bia.reader.forges(&format!("{here}/{strong}"), &world.origin(), &fields).await.0, 404);
    }
    let operator = world.operator().await;
    world.assign(&operator, &acme, "unpaid").await;
    let one = sam.reader.reads(&format!("{here}/{strong}")).await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.is(200);
    for (button, action) in [("save", "change"), ("remove-now", "remove")] {
        let fields = [("action", action), ("name", "strong")];
        let (_, after) = sam.reader.presses(&one, &format!("id=\"{button}\""), &fields).await;
        assert!(
            after.contains("suspended and accepts no change") && !after.contains("id=\"save\""),
            "{action}: {after}"
        );
    }
    assert_eq!(owner.get(&acme.path(&format!("/roles/{strong}"))).await.is(200).body["name"], "strong");
}
