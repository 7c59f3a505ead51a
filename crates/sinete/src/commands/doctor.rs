//! `sinete doctor`: all blockers, warnings and passed checks, each with its fix.

use crate::cli::DoctorArgs;
use crate::commands::build_runtime;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::values::ConfiguredMode;
use crate::exit::{CommandError, CommandExit};
use crate::os::SystemClock;
use crate::startup::checks::evaluation::{DoctorFinding, FindingSeverity};
use crate::startup::checks::run_checks;
use crate::terminal::{Terminal, TextTone};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// The report as JSON.
#[derive(Serialize)]
struct DoctorReport<'a> {
    mode: String,
    judged_as: String,
    production_ready: bool,
    findings: &'a [DoctorFinding],
}

/// Examines the instance and reports. With `--production`, a blocker means exit code 3. A development
/// instance only shows what production would require, unless it could not start itself, which is exit code 2.
pub fn run(
    args: &DoctorArgs,
    file: Option<&Path>,
    environment: &Environment,
    terminal: &Terminal,
) -> Result<CommandExit, CommandError> {
    let config = Config::load(file, environment)?.config;
    let findings = build_runtime()?.block_on(run_checks(&config, SystemClock.now(), true));
    let blocked = findings.iter().any(|finding| finding.verdict == FindingSeverity::Blocker);
    let judged_as = if args.production { ConfiguredMode::Production } else { config.mode };
    let text = if args.json {
        let report = DoctorReport {
            mode: config.mode.to_string(),
            judged_as: judged_as.to_string(),
            production_ready: !blocked,
            findings: &findings,
        };
        let json = serde_json::to_string_pretty(&report);
        json.map_err(|error| CommandError::failed(format!("the report cannot be written: {error}")))? + "\n"
    } else {
        render_findings(&findings, judged_as, terminal)
    };
    terminal.print(&text)?;
    Ok(match judged_as {
        ConfiguredMode::Production if blocked => CommandExit::Unsafe,
        ConfiguredMode::Development if findings.iter().any(|finding| finding.is_broken) => {
            CommandExit::InvalidUsage
        }
        ConfiguredMode::Production | ConfiguredMode::Development => CommandExit::Done,
    })
}

fn render_findings(findings: &[DoctorFinding], judged_as: ConfiguredMode, terminal: &Terminal) -> String {
    let mut text = String::new();
    for DoctorFinding { verdict, message: summary, remedy, is_broken, .. } in findings {
        let (sign, tone) = match (verdict, judged_as) {
            (FindingSeverity::Blocker, ConfiguredMode::Production) => ("✗", TextTone::Bad),
            (FindingSeverity::Blocker, ConfiguredMode::Development) if *is_broken => ("✗", TextTone::Bad),
            (FindingSeverity::Blocker, ConfiguredMode::Development) | (FindingSeverity::Warning, _) => {
                ("!", TextTone::Warning)
            }
            (FindingSeverity::Passed, _) => ("✓", TextTone::Good),
        };
        let _ = writeln!(text, "{} {summary}", terminal.paint(tone, sign));
        if let Some(remedy) = remedy {
            let _ = writeln!(text, "  {}", terminal.paint(TextTone::Faint, remedy));
        }
    }
    let count = |of| findings.iter().filter(|finding| finding.verdict == of).count();
    let (blockers, warnings) = (count(FindingSeverity::Blocker), count(FindingSeverity::Warning));
    let broken = findings.iter().filter(|finding| finding.is_broken).count();
    let sum = match (blockers, judged_as) {
        (_, ConfiguredMode::Development) if broken == 1 => {
            "One thing keeps this instance from starting".to_owned()
        }
        (_, ConfiguredMode::Development) if broken > 1 => {
            format!("{broken} things keep this instance from starting")
        }
        (0, _) => "Nothing keeps this instance from production".to_owned(),
        (1, ConfiguredMode::Production) => "One thing keeps this instance from production".to_owned(),
        (many, ConfiguredMode::Production) => format!("{many} things keep this instance from production"),
        (1, ConfiguredMode::Development) => {
            "Fine for development; one thing would keep it from production".to_owned()
        }
        (many, ConfiguredMode::Development) => {
            format!("Fine for development; {many} things would keep it from production")
        }
    };
    let rest = match warnings {
        0 => ".".to_owned(),
        1 => ", and one thing deserves attention.".to_owned(),
        many => format!(", and {many} things deserve attention."),
    };
    let _ = writeln!(text, "\n{}", terminal.paint(TextTone::Strong, &(sum + &rest)));
    text
}
