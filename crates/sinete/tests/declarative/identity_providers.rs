//! Tests of domains and identity providers in a document.

use crate::machine::{Machine, postgres_database};

const APPLY: &[&str] = &["apply", "-f", "instance.toml", "--yes"];

const DOCUMENT: &str = r#"
[organizations.acme]
name = "Acme"
domains = ["acme.example", "acme.test.example"]

[organizations.acme.connections.main]
issuer = "https://login.acme.example"
name = "Acme"
client_id = "sinete"
domains = ["acme.example"]
external_id_claim = "oid"
two_factors = { amr = ["mfa"] }
enabled = true
secret = { env = "ACME_PROVIDER_SECRET" }

[organizations.acme.connections.partner]
issuer = "https://partner.example"
name = "Partner"
client_id = "sinete"
authentication = "private_key"
"#;

fn machine() -> Machine {
    let machine = Machine::new().with("ACME_PROVIDER_SECRET", "a secret of the provider");
    machine.file("instance.toml", DOCUMENT, 0o644);
    machine
}

#[test]
fn apply_manages_domains_and_oidc_connections_and_exports_no_secret() {
    for machine in [machine(), machine().with("SINETE_DATABASE_URL", postgres_database())] {
        let expected = "+ organization acme\n+ domain acme.example of acme\n+ domain acme.test.example of acme\n\
            + connection partner of acme\n+ connection main of acme\n5 changes made.\n";
        assert_eq!(machine.run(APPLY).succeeded().out, expected);
        for options in [&[][..], &["--prune"]] {
            let output = machine.run(&[APPLY, options].concat()).succeeded().out;
            assert_eq!(output, "The instance matches the document.\n");
        }
        for format in [&["export"][..], &["export", "--json"]] {
            let export = machine.run(format).succeeded().out;
            assert!(!export.contains("a secret of the provider") && !export.contains("digest"), "{export}");
            for part in ["https://login.acme.example", "acme.test.example", "private_key", "oid", "mfa"] {
                assert!(export.contains(part), "{part}: {export}");
            }
            // Nothing changes: an omitted secret is kept.
            machine.file("copy", &export, 0o644);
            let copied = machine.run(&["apply", "-f", "copy", "--yes", "--prune"]).succeeded().out;
            assert_eq!(copied, "The instance matches the document.\n");
        }
        // A changed secret is reported without its value.
        let machine = machine.with("ACME_PROVIDER_SECRET", "another secret of the provider");
        let changed = machine.run(APPLY).succeeded().out;
        assert_eq!(changed, "~ connection main of acme\n    /secret: another one\n1 change made.\n");
        assert_eq!(machine.run(APPLY).succeeded().out, "The instance matches the document.\n");
        // Omitted resources are removed only with `--prune`.
        let less = DOCUMENT
            .split("[organizations.acme.connections.partner]")
            .next()
            .unwrap()
            .replace(", \"acme.test.example\"", "")
            .replace("enabled = true", "enabled = false");
        machine.file("instance.toml", &less, 0o644);
        let changed = machine.run(APPLY).succeeded().out;
        assert_eq!(changed, "~ connection main of acme\n    /enabled: true → nothing\n1 change made.\n");
        let pruned = machine.run(&[APPLY, &["--prune"]].concat()).succeeded().out;
        let expected =
            "- connection partner-example of acme\n- domain acme.test.example of acme\n2 changes made.\n";
        assert_eq!(pruned, expected);
    }
}

#[test]
fn apply_exchanges_the_domains_of_two_disabled_connections_in_one_run() {
    let document = |first: &str, second: &str| {
        let connection = |name: &str, domain: &str| {
            format!(
                "[organizations.acme.connections.{name}]\nissuer = \"https://{name}.example\"\nname = \"Acme\"\n\
                 client_id = \"sinete\"\nauthentication = \"private_key\"\ndomains = [\"{domain}\"]\n"
            )
        };
        format!(
            "[organizations.acme]\nname = \"Acme\"\ndomains = [\"acme.example\", \"acme.test.example\"]\n\n{}\n{}",
            connection("first", first),
            connection("second", second)
        )
    };
    for machine in [Machine::new(), Machine::new().with("SINETE_DATABASE_URL", postgres_database())] {
        machine.file("instance.toml", &document("acme.example", "acme.test.example"), 0o644);
        machine.run(APPLY).succeeded();
        machine.file("instance.toml", &document("acme.test.example", "acme.example"), 0o644);
        let changed = machine.run(APPLY).succeeded().out;
        let changes: Vec<&str> = changed.lines().filter(|line| !line.starts_with(' ')).collect();
        let expected = [
            "~ connection second of acme",
            "~ connection first of acme",
            "~ connection second of acme",
            "3 changes made.",
        ];
        assert_eq!(changes, expected, "{changed}");
        assert_eq!(machine.run(APPLY).succeeded().out, "The instance matches the document.\n");
    }
}

#[test]
fn apply_with_an_invalid_identity_provider_names_the_fault_and_changes_nothing() {
    for (from, to, location) in [
        (
            "{ env = \"ACME_PROVIDER_SECRET\" }",
            "{ env = \"NOWHERE\" }",
            "/organizations/acme/connections/main/secret",
        ),
        (
            "{ env = \"ACME_PROVIDER_SECRET\" }",
            "{ digest = \"00\" }",
            "/organizations/acme/connections/main/secret",
        ),
        ("secret = { env = \"ACME_PROVIDER_SECRET\" }", "", "/organizations/acme/connections/main/secret"),
        (
            "domains = [\"acme.example\"]",
            "domains = [\"other.example\"]",
            "/organizations/acme/connections/main/domains",
        ),
        ("\"acme.test.example\"]", "\"gmail.com\"]", "/organizations/acme/domains"),
        (
            "https://partner.example",
            "http://partner.example",
            "/organizations/acme/connections/partner/issuer",
        ),
        ("https://partner.example", "https://login.acme.example", "/organizations/acme/connections/partner"),
        (
            "authentication = \"private_key\"",
            "authentication = \"private_key\"\nexternal_id_claim = \"sub\"",
            "/organizations/acme/connections/partner/external_id_claim",
        ),
    ] {
        let machine = machine();
        let wrong = DOCUMENT.replacen(from, to, 1);
        assert_ne!(wrong, DOCUMENT, "{from}");
        machine.file("instance.toml", &wrong, 0o644);
        let ended = machine.run(APPLY).ended_with(2);
        assert!(ended.complaint().contains(location), "{to}: {}", ended.complaint());
        let export = machine.run(&["export"]);
        assert!(!export.out.contains("acme"), "{to}: {}", export.out);
    }
}

const CERTIFICATE: &str = include_str!("../../../sinete-crypto/src/identity_providers/saml/fixtures/rsa.crt");

/// A document with a SAML connection next to an OpenID Connect connection of the same name.
fn with_saml(certificate: &str) -> String {
    format!(
        "[organizations.acme]\nname = \"Acme\"\n\n\
         [organizations.acme.connections.plain]\nissuer = \"https://login.acme.example\"\nname = \"Acme\"\n\
         client_id = \"sinete\"\nauthentication = \"private_key\"\n\n\
         [organizations.acme.connections.strict]\nissuer = \"https://login.acme.example\"\nname = \"Acme\"\n\
         enabled = true\n\n[organizations.acme.connections.strict.saml]\n\
         sso_url = \"https://login.acme.example/sso\"\ncertificates = [\"\"\"\n{certificate}\"\"\"]\nemail = \"mail\"\n"
    )
}

#[test]
fn apply_export_and_doctor_cover_saml_connections() {
    let machine = Machine::new();
    machine.file("instance.toml", &with_saml(CERTIFICATE), 0o644);
    let applied = machine.run(APPLY).succeeded().out;
    assert_eq!(
        applied,
        "+ organization acme\n+ connection plain of acme\n+ connection strict of acme\n3 changes made.\n"
    );
    for format in [&["export"][..], &["export", "--json"]] {
        let export = machine.run(format).succeeded().out;
        assert!(export.contains("https://login.acme.example/sso") && export.contains("BEGIN CERTIFICATE"));
        machine.file("copy", &export, 0o644);
        let copied = machine.run(&["apply", "-f", "copy", "--yes", "--prune"]).succeeded().out;
        assert_eq!(copied, "The instance matches the document.\n");
    }
    let output = machine.run(&["doctor"]).succeeded().out;
    assert!(
        output.contains("✓ the provider https://login.acme.example has a certificate until 2035-01-01"),
        "{output}"
    );
    let other = with_saml(CERTIFICATE).replace("\"mail\"", "\"address\"");
    machine.file("instance.toml", &other, 0o644);
    let changed = machine.run(APPLY).succeeded().out;
    assert!(changed.starts_with("~ connection strict of acme\n"), "{changed}");
    for (wrong, location) in [
        (with_saml("nothing\n"), "/organizations/acme/connections/strict/saml/certificates/0"),
        (with_saml(CERTIFICATE).replace("email =", "mail ="), "/organizations/acme/connections/strict/saml"),
        (
            with_saml(CERTIFICATE).replace("enabled = true", "client_id = \"x\""),
            "/organizations/acme/connections/strict/saml",
        ),
    ] {
        machine.file("instance.toml", &wrong, 0o644);
        let ended = machine.run(APPLY).ended_with(2);
        assert!(ended.complaint().contains(location), "{}", ended.complaint());
    }
}
