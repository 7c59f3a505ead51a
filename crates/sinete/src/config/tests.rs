use super::key::ConfigKeyDefault;
use super::raw_value::RawValue;
use super::*;

fn load(file: &str, variables: &[(&str, &str)]) -> Result<LoadedConfig, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sinete.toml");
    std::fs::write(&path, file).unwrap();
    let shown_path = path.display().to_string();
    Config::load(Some(&path), &Environment::from_pairs(variables.iter().copied())).map_err(|problems| {
        problems.iter().map(|one| one.to_string().replace(&shown_path, "sinete.toml")).collect()
    })
}

fn problems(file: &str, variables: &[(&str, &str)]) -> Vec<String> {
    load(file, variables).unwrap_err()
}

#[test]
fn empty_configuration_is_a_development_instance() {
    let config = load("", &[]).unwrap().config;
    assert_eq!(config.mode, ConfiguredMode::Development);
    assert_eq!(config.issuer(config.listen).as_str(), "http://localhost:8080");
    assert_eq!(config.admin_listen.to_string(), "127.0.0.1:9090");
    assert_eq!(config.database.address.to_string(), "sqlite://sinete-data/sinete.db");
    assert_eq!(config.log.format, LogFormat::Text);
    assert!(config.screens && config.tls.is_none() && config.trusted_proxies.is_empty());
    assert!(matches!(config.instance_key, InstanceKey::Unset));
    assert_eq!(config.limits.connections, sinete_core::limits::CONNECTIONS_MAX);
    assert_eq!(config.limits.requests, sinete_core::limits::REQUESTS_IN_PROGRESS_MAX);
    assert_eq!(i64::from(config.limits.drain_seconds), sinete_core::limits::DRAIN_MAX.seconds());
}

#[test]
fn environment_overrides_the_file_and_the_file_overrides_the_default() {
    let file = "listen = \"127.0.0.1:1\"\nadmin_listen = \"127.0.0.1:2\"\n[screens]\nenabled = true\n";
    let variables = [("SINETE_LISTEN", "127.0.0.1:3"), ("SINETE_SCREENS_ENABLED", "false")];
    let config = load(file, &variables).unwrap().config;
    assert_eq!(config.listen.port(), 3);
    assert_eq!(config.admin_listen.port(), 2);
    assert!(!config.screens);
    assert_eq!(config.issuer(config.listen).as_str(), "http://localhost:3");
}

#[test]
fn configuration_keys_can_be_set_in_file_and_environment_by_their_examples() {
    for key in keys::ALL {
        let entry = key.entry();
        for variable in entry.variable_names() {
            let line = entry.environment_example(&variable);
            let (name, value) = line.split_once('=').unwrap();
            let raw_value = RawValue::Untyped(value.to_owned());
            assert_eq!((name, key.fault(&raw_value)), (variable.as_str(), None), "{}", entry.name);
        }
        let contents = file::parse(Path::new("x"), &entry.file_example());
        assert_eq!(contents.problems, [], "{}", entry.name);
        let (name, located_value) = &contents.values[0];
        assert_eq!((*name, key.fault(&located_value.raw)), (entry.name, None));
        if let ConfigKeyDefault::Fixed(raw_value) = entry.default_value {
            assert_eq!(key.fault(&RawValue::Untyped(raw_value.to_owned())), None, "{}", entry.name);
        }
    }
}

#[test]
fn configuration_problems_are_all_reported_with_location_key_and_example() {
    let file = "mode = \"prod\"\nlissten = \"x\"\n[limits]\nrequests = \"many\"\nconnections = 0\n";
    let variables =
        [("SINETE_ADMIN_LISTEN", "9090"), ("SINETE_SCREENS_ENABLED", "yes"), ("SINETE_BASE", "x")];
    assert_eq!(
        problems(file, &variables),
        [
            "sinete.toml:2: lissten: there is no such key; did you mean listen?",
            "SINETE_BASE: there is no such key; did you mean SINETE_BASE_URL?",
            "sinete.toml:1: mode: \"prod\" is neither development nor production; \
             it takes development or production, for example mode = \"production\"",
            "SINETE_ADMIN_LISTEN: admin_listen: \"9090\" is not an IP address with a port; \
             it takes an IP address with a port, for example SINETE_ADMIN_LISTEN=127.0.0.1:9090",
            "SINETE_SCREENS_ENABLED: screens.enabled: \"yes\" is neither true nor false; \
             it takes true or false, for example SINETE_SCREENS_ENABLED=false",
            "sinete.toml:5: limits.connections: 0 is not between 1 and 1000000; \
             it takes a number from 1 to 1000000, for example limits.connections = 20000",
            "sinete.toml:4: limits.requests: must be a whole number without quotes, not a text; \
             it takes a number from 1 to 100000, for example limits.requests = 500",
        ]
    );
}

#[test]
fn invalid_value_is_reported_even_when_another_source_overrides_it() {
    let problem_lines = problems("listen = 8080\n", &[("SINETE_LISTEN", "127.0.0.1:8080")]);
    assert_eq!(problem_lines.len(), 1, "{problem_lines:?}");
    assert!(problem_lines[0].starts_with("sinete.toml:1: listen: must be a text in quotes, not a number"));
}

#[test]
fn contradicting_configuration_keys_are_refused() {
    for (file, expected) in [
        (
            "tls.key = \"k.pem\"",
            "sinete.toml:1: tls.key: is set without tls.certificate; set both to terminate TLS here, or neither",
        ),
        (
            "tls.certificate = \"c.pem\"",
            "sinete.toml:1: tls.certificate: is set without tls.key; set both to terminate TLS here, or neither",
        ),
        (
            "instance_key = \"5FykkKIe0lq_7ZxZlQWvHyfXGmVYKLUbOtZ5PyLnSAM\"\ninstance_key_file = \"b\"",
            "sinete.toml:1: instance_key: is set, and so is instance_key_file; keep one of them",
        ),
        (
            "previous_instance_keys = [\"5FykkKIe0lq_7ZxZlQWvHyfXGmVYKLUbOtZ5PyLnSAM\"]",
            "sinete.toml:1: previous_instance_keys: is set without the key that follows them; \
             set instance_key or instance_key_file too",
        ),
        (
            "listen = \"127.0.0.1:9090\"",
            "admin_listen: 127.0.0.1:9090 is the address of listen too; give each listener its own port",
        ),
    ] {
        assert_eq!(problems(file, &[]), [expected]);
    }
    assert!(load("listen = \"127.0.0.1:0\"\nadmin_listen = \"127.0.0.1:0\"", &[]).is_ok());
}

/// A build without tracing rejects an OTLP endpoint.
#[test]
fn otlp_endpoint_is_refused_in_a_build_without_otel() {
    let result = load("telemetry.otlp_endpoint = \"http://127.0.0.1:4318\"", &[]);
    if cfg!(feature = "otel") {
        assert!(result.unwrap().config.otlp_endpoint.is_some());
    } else {
        assert_eq!(
            result.unwrap_err(),
            ["sinete.toml:1: telemetry.otlp_endpoint: this program was built without traces; \
              build it with --features otel, or remove the key"]
        );
    }
}

#[test]
fn configuration_problems_never_repeat_secrets() {
    let secret = "9VYsrAqIQ0bI0Gf2VJQmVhWuhVwY6uJH0kYyMuMnz2o";
    let file = format!(
        "instance_key = \"{secret}\"\nprevious_instance_keys = [\"{secret}\"]\n\
         database_url = \"postgres://ana:{secret}@127.0.0.1/x\"\n[signing]\nkey = \"{secret}\"\n"
    );
    let loaded = load(&file, &[]).unwrap();
    let mut output = format!("{:?} {:?}", loaded.config, explain::explain_settings(&loaded));
    assert_eq!(
        loaded.config.secrets_in_file,
        ["database_url", "instance_key", "previous_instance_keys", "signing.key"]
    );
    for wrong in [
        format!("database_url = \"mysql://ana:{secret}@db/x\""),
        format!("database_url = \"postgres://ana:{secret}@db:port/x?sslmode=disable\""),
        format!("instance_key = \"{secret}{secret}\""),
        format!("instance_key = [\"{secret}\"]"),
        format!("signing.key = [\"{secret}\"]"),
        format!("previous_instance_keys = \"{secret}\""),
    ] {
        output.push_str(&problems(&wrong, &[]).join("\n"));
    }
    assert!(!output.contains(secret), "{output}");
}

#[test]
fn secret_from_the_environment_is_not_reported_as_in_the_file() {
    let loaded = load("", &[("SINETE_INSTANCE_KEY_FILE", "x"), ("SINETE_SIGNING_KEY", "y")]).unwrap();
    assert_eq!(loaded.config.secrets_in_file, Vec::<&str>::new());
}

#[test]
fn config_check_shows_each_effective_value_and_its_origin() {
    let loaded = load("mode = \"production\"\n", &[("SINETE_LOG_LEVEL", "debug")]).unwrap();
    let lines = explain::explain_settings(&loaded);
    assert_eq!(lines.len(), keys::ALL.len());
    let line = |key: &str| {
        let explained_setting = lines.iter().find(|line| line.key == key).unwrap();
        (explained_setting.value.clone(), explained_setting.origin.clone())
    };
    let text = |value: &str, origin: &str| (value.to_owned(), origin.to_owned());
    assert!(line("mode").1.ends_with("sinete.toml:1"));
    assert_eq!(line("log.level"), text("debug", "SINETE_LOG_LEVEL"));
    assert_eq!(line("log.format"), text("json", "default: text in development, json in production"));
    assert_eq!(line("listen"), text("127.0.0.1:8080", "default"));
    assert_eq!(line("trusted_proxies"), text("not set", "no proxy is trusted"));
}

#[test]
fn configuration_reference_in_the_docs_matches_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/configuration.md");
    let page = std::fs::read_to_string(path).unwrap();
    assert!(
        page == reference::render_markdown(),
        "docs/reference/configuration.md is out of step: cargo run -- config reference > docs/reference/configuration.md"
    );
}
