//! `sinete doctor`: everything that is wrong, deserves attention or is well, each with its mend.

use crate::boot::examine::examine;
use crate::boot::judgement::{Finding, Verdict, judge};
use crate::boot::{delivery, sign_on};
use crate::cli::Doctor;
use crate::commands::runtime;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::values::Mode;
use crate::exit::{Exit, Stop};
use crate::os::SystemClock;
use crate::terminal::{Terminal, Tone};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// What a script reads.
#[derive(Serialize)]
struct Report<'a> {
    mode: String,
    judged_as: String,
    production_ready: bool,
    findings: &'a [Finding],
}

/// Examines and reports. Judged as production, a blocker is the exit code 3; a development instance is told
/// what production would say and ends well, unless it could not start either, which is the exit code 2.
pub fn run(
    asked: &Doctor,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<Exit, Stop> {
    let config = Config::load(file, environment)?.config;
    let findings = runtime()?.block_on(async {
        let mut findings = judge(&examine(&config, SystemClock.now()).await.facts);
        findings.extend(delivery::findings(&config).await);
        findings.extend(sign_on::findings(&config).await);
        findings.sort_by_key(|finding| finding.verdict);
        findings
    });
    let blocked = findings.iter().any(|finding| finding.verdict == Verdict::Blocker);
    let judged_as = if asked.production { Mode::Production } else { config.mode };
    let text = if asked.json {
        let report = Report {
            mode: config.mode.to_string(),
            judged_as: judged_as.to_string(),
            production_ready: !blocked,
            findings: &findings,
        };
        let json = serde_json::to_string_pretty(&report);
        json.map_err(|error| Stop::failed(format!("the report cannot be written: {error}")))? + "\n"
    } else {
        readable(&findings, judged_as, terminal)
    };
    terminal.print(&text)?;
    Ok(match judged_as {
        Mode::Production if blocked => Exit::Unsafe,
        Mode::Development if findings.iter().any(|finding| finding.is_broken) => Exit::Wrong,
        Mode::Production | Mode::Development => Exit::Done,
    })
}

fn readable(findings: &[Finding], judged_as: Mode, terminal: &Terminal) -> String {
    let mut text = String::new();
    for Finding { verdict, what, mend, is_broken, .. } in findings {
        let (sign, tone) = match (verdict, judged_as) {
            (Verdict::Blocker, Mode::Production) => ("✗", Tone::Bad),
            (Verdict::Blocker, Mode::Development) if *is_broken => ("✗", Tone::Bad),
            (Verdict::Blocker, Mode::Development) | (Verdict::Warning, _) => ("!", Tone::Warning),
            (Verdict::Passed, _) => ("✓", Tone::Good),
        };
        let _ = writeln!(text, "{} {what}", terminal.paint(tone, sign));
        if let Some(mend) = mend {
            let _ = writeln!(text, "  {}", terminal.paint(Tone::Faint, mend));
        }
    }
    let count = |of| findings.iter().filter(|finding| finding.verdict == of).count();
    let (blockers, warnings) = (count(Verdict::Blocker), count(Verdict::Warning));
    let broken = findings.iter().filter(|finding| finding.is_broken).count();
    let sum = match (blockers, judged_as) {
        (_, Mode::Development) if broken == 1 => "One thing keeps this instance from starting".to_owned(),
        (_, Mode::Development) if broken > 1 => format!("{broken} things keep this instance from starting"),
        (0, _) => "Nothing keeps this instance from production".to_owned(),
        (1, Mode::Production) => "One thing keeps this instance from production".to_owned(),
        (many, Mode::Production) => format!("{many} things keep this instance from production"),
        (1, Mode::Development) => "Fine for development; one thing would keep it from production".to_owned(),
        (many, Mode::Development) => {
            format!("Fine for development; {many} things would keep it from production")
        }
    };
    let rest = match warnings {
        0 => ".".to_owned(),
        1 => ", and one thing deserves attention.".to_owned(),
        many => format!(", and {many} things deserve attention."),
    };
    let _ = writeln!(text, "\n{}", terminal.paint(Tone::Strong, &(sum + &rest)));
    text
}
