//! Tests of invalid configurations: all errors at once, and nothing written.

use crate::machine::Machine;

#[test]
fn invalid_configuration_reports_every_problem_and_writes_nothing() {
    let machine = Machine::new().with("SINETE_LISTEN", "8080").with("SINETE_COLOUR", "red");
    machine.private("sinete.toml", "mode = \"prod\"\nlissten = 1\n[limits]\nrequests = \"many\"\n");
    for command in [&["serve"][..], &[], &["doctor"], &["migrate"], &["config", "check"], &["backup"]] {
        let error_output = machine.run(command).ended_with(2).err;
        let lines: Vec<_> = error_output.lines().collect();
        assert_eq!(
            lines[0], "sinete: the configuration has 5 problems; nothing was started or written",
            "{command:?}"
        );
        assert_eq!(lines.len(), 6, "{error_output}");
        for words in [
            "sinete.toml:1: mode: \"prod\" is neither development nor production",
            "sinete.toml:2: lissten: there is no such key; did you mean listen?",
            "sinete.toml:4: limits.requests: must be a whole number without quotes, not a text",
            "for example limits.requests = 500",
            "SINETE_LISTEN: listen: \"8080\" is not an IP address with a port",
            "for example SINETE_LISTEN=0.0.0.0:8443",
            "SINETE_COLOUR: there is no such key",
        ] {
            assert!(error_output.contains(words), "{words}: {error_output}");
        }
    }
    assert_eq!(machine.listing(), ["sinete.toml"]);
}

#[test]
fn configuration_file_is_read_from_the_named_path() {
    let machine = Machine::new();
    machine.private("other.toml", "log.level = \"debug\"\n");
    let explained = machine.run(&["--config", "other.toml", "config", "check"]).succeeded().out;
    assert!(explained.contains("log.level") && explained.contains("other.toml:1"), "{explained}");
    let machine = machine.with("SINETE_CONFIG", "other.toml");
    assert!(machine.run(&["config", "check"]).succeeded().out.contains("other.toml:1"));
    machine.run(&["--config", "absent.toml", "config", "check"]).ended_with(2).saying("absent.toml");
}

#[test]
fn config_check_masks_secrets() {
    let key = Machine::new().run(&["keys", "instance-key"]).succeeded().out;
    let machine = Machine::new()
        .with("SINETE_INSTANCE_KEY", key.trim())
        .with("SINETE_DATABASE_URL", "postgres://ana:hunter2@127.0.0.1:1/sinete");
    let explained = machine.run(&["config", "check"]).succeeded().out;
    assert!(explained.contains("set, not shown"), "{explained}");
    assert!(!explained.contains(key.trim()) && !explained.contains("hunter2"), "{explained}");
}

#[test]
fn port_in_use_is_reported_and_nothing_is_written() {
    let tcp_listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp_listener.local_addr().unwrap().to_string();
    for variable in ["SINETE_LISTEN", "SINETE_ADMIN_LISTEN"] {
        let machine = Machine::new().with(variable, address.clone());
        machine.run(&["serve"]).ended_with(1).saying(&address).saying("in use").in_one_line();
        assert_eq!(machine.listing(), Vec::<String>::new());
    }
}

#[test]
fn unusable_branding_files_stop_the_start_and_are_reported_by_doctor() {
    let machine =
        Machine::new().with("SINETE_SCREENS_LOGO", "logo.svg").with("SINETE_SCREENS_STYLE", "own.css");
    let refused = |says: &str| {
        let before = machine.listing();
        machine.run(&["serve"]).ended_with(2).saying(says).in_one_line();
        assert_eq!(machine.listing(), before, "nothing is written");
        let output = machine.run(&["doctor"]).ended_with(2).out;
        assert!(
            output.contains(says) && output.contains("One thing keeps this instance from starting"),
            "{output}"
        );
    };
    refused("screens.logo: logo.svg cannot be read");
    machine.file("logo.svg", "this is no picture", 0o644);
    refused("screens.logo: logo.svg is not SVG");
    machine.file("logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", 0o644);
    refused("screens.style: own.css cannot be read");
    machine.file("own.css", "h1 { color: red }", 0o644);
    let output = machine.run(&["doctor"]).succeeded().out;
    assert!(output.contains("✓ the branding files can be used"), "{output}");
}

#[test]
fn doctor_checks_every_identity_provider_and_reports_unreachable_ones() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let issuer = format!("http://{}", listener.local_addr().unwrap());
    let described = format!(
        r#"{{"issuer":"{issuer}","authorization_endpoint":"{issuer}/a","token_endpoint":"{issuer}/t","jwks_uri":"{issuer}/k",
            "response_types_supported":["code"],"id_token_signing_alg_values_supported":["ES256"],
            "token_endpoint_auth_methods_supported":["private_key_jwt"]}}"#
    );
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut buffer) = (stream.unwrap(), [0; 4_096]);
            let _ = std::io::Read::read(&mut stream, &mut buffer);
            let length = described.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{described}"
            );
            let _ = std::io::Write::write_all(&mut stream, answer.as_bytes());
        }
    });
    let away = {
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", closed.local_addr().unwrap())
    };
    let machine = Machine::new();
    let connection = |name: &str, issuer: &str, enabled: bool| {
        format!(
            "[organizations.acme.connections.{name}]\nissuer = \"{issuer}\"\nname = \"Acme\"\nclient_id = \"x\"\n\
             authentication = \"private_key\"\nenabled = {enabled}\n"
        )
    };
    let document = [
        "[organizations.acme]\nname = \"Acme\"\n".to_owned(),
        connection("one", &issuer, true),
        connection("two", &away, false),
    ];
    machine.file("instance.toml", &document.concat(), 0o644);
    let nothing = machine.run(&["doctor"]).succeeded().out;
    assert!(!nothing.contains("provider"), "{nothing}");
    machine.run(&["apply", "-f", "instance.toml", "--yes"]).succeeded();
    let output = machine.run(&["doctor"]).succeeded().out;
    assert!(
        output.contains(&format!("✓ the provider {issuer} answers")) && !output.contains(&away),
        "{output}"
    );
    machine.file("instance.toml", &document.concat().replace("enabled = false", "enabled = true"), 0o644);
    machine.run(&["apply", "-f", "instance.toml", "--yes"]).succeeded();
    let output = machine.run(&["doctor"]).succeeded().out;
    assert!(output.contains(&format!("! the provider {away} cannot be used: ")), "{output}");
    let script = machine.run(&["doctor", "--json"]).succeeded().out;
    assert!(script.contains("\"check\": \"providers\""), "{script}");
}

#[test]
fn unusable_breached_password_list_stops_the_start() {
    let sorted = "000000005AD76BD555C1D6D771DE417A4B87E4B4:10\n00000000A8DAE4228F821FB418F59826079BF368:4\n";
    let by_count =
        "00000000A8DAE4228F821FB418F59826079BF368:4\n000000005AD76BD555C1D6D771DE417A4B87E4B4:10\n";
    let machine = Machine::new().with("SINETE_PASSWORDS_BREACHED_FILE", "breached.txt");
    let refused = |says: &str| {
        let before = machine.listing();
        let ended = machine.run(&["serve"]).ended_with(2);
        ended.saying("passwords.breached_file cannot be used: breached.txt: ").saying(says).in_one_line();
        assert_eq!(machine.listing(), before, "nothing is written");
        // `doctor` reports the same with its fix, and in production among the other blockers.
        let output = machine.run(&["doctor"]).ended_with(2).out;
        let line = output
            .lines()
            .position(|line| line.contains("passwords.breached_file cannot be used: breached.txt: "));
        let line = line.unwrap_or_else(|| panic!("{output}"));
        let (problem, remedy) = (output.lines().nth(line).unwrap(), output.lines().nth(line + 1).unwrap());
        assert!(problem.starts_with("✗ ") && problem.contains(says), "{output}");
        assert!(remedy.ends_with("or leave passwords.breached_file out"), "{output}");
        assert!(output.contains("One thing keeps this instance from starting"), "{output}");
    };
    refused("No such file");
    machine.private("breached.txt", "");
    refused("it is empty");
    machine.private("breached.txt", "password\nletmein\n");
    refused("not a line of a list of SHA-1 hashes");
    machine.private("breached.txt", by_count);
    refused("it is not sorted");
    machine.private("breached.txt", sorted);
    let output = machine.run(&["doctor"]).succeeded().out;
    assert!(output.contains("✓ new passwords are looked up in breached.txt"), "{output}");
    machine.serve();
}
