//! Two processes with eight racers each, on one PostgreSQL database.
//!
//! The test starts its own program again, for this one test. They communicate by lines: the first names a
//! statement or sends "go" for each round, the second reports how many of its racers won.

use crate::database::Database;
use crate::racers::{Field, furnish, open, set_up};
use crate::{RACERS, ROUNDS};
use sinete_store::single_use::{SINGLE_USE, SingleUseContract};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// The environment variable with the database URL for the second process.
const DATABASE: &str = "SINETE_RACE_DATABASE";
/// The prefix of lines from the second process, among other output.
const ANSWER: &str = "racers: ";
const HALF: usize = RACERS / 2;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_use_raced_by_two_processes_has_exactly_one_winner() {
    match second_process_database() {
        None => first_process().await,
        Some(url) => second_process(&url).await,
    }
}

#[expect(clippy::disallowed_methods, reason = "the first process tells the second where to race")]
fn second_process_database() -> Option<String> {
    std::env::var(DATABASE).ok()
}

async fn first_process() {
    let database = Database::postgres().await;
    let store = open(&database.url(), HALF).await;
    furnish(&store).await;
    let mut other = Other::start(&database.url());
    let (mut won_here, mut won_there) = (0, 0);
    for entry in SINGLE_USE {
        set_up(&store, entry, ROUNDS).await;
        let mut field = Field::line_up(&store, entry, ROUNDS, HALF, 0);
        other.say(entry.statement_name).await;
        assert_eq!(other.hear().await, 0, "the other process is ready");
        for round in 0..ROUNDS {
            // The order alternates, so that neither process is always first.
            let (own_wins, other_wins) = if round % 2 == 0 {
                other.say("go").await;
                let own_wins = field.run().await;
                (own_wins, other.hear().await)
            } else {
                tokio::join!(field.run(), async {
                    other.say("go").await;
                    other.hear().await
                })
            };
            assert_eq!(
                own_wins + other_wins,
                1,
                "{} in round {round}: {own_wins} here, {other_wins} there",
                entry.statement_name
            );
            won_here += own_wins;
            won_there += other_wins;
        }
    }
    other.stop().await;
    println!("won here {won_here}, won in the other process {won_there}");
    // If one process always won, the two were not racing.
    assert!(won_here > 0 && won_there > 0);
}

async fn second_process(url: &str) {
    let store = open(url, HALF).await;
    let mut lines = std::io::stdin().lines();
    let mut field = None;
    while let Some(line) = tokio::task::block_in_place(|| lines.next()) {
        let line = line.unwrap();
        let won = match (line.as_str(), &mut field) {
            ("go", Some(field)) => Field::run(field).await,
            (statement_name, _) => {
                field = Some(Field::line_up(&store, entry(statement_name), ROUNDS, HALF, HALF));
                0
            }
        };
        println!("{ANSWER}{won}");
    }
}

fn entry(statement_name: &str) -> &'static SingleUseContract {
    SINGLE_USE
        .iter()
        .find(|entry| entry.statement_name == statement_name)
        .unwrap_or_else(|| panic!("no verb {statement_name}"))
}

/// The second process, as seen by the first.
struct Other {
    process: Child,
    says: Lines<BufReader<ChildStdout>>,
    hears: ChildStdin,
}

impl Other {
    fn start(url: &str) -> Self {
        let test = "two_processes::single_use_raced_by_two_processes_has_exactly_one_winner";
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(DATABASE, url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let says = BufReader::new(process.stdout.take().unwrap()).lines();
        let hears = process.stdin.take().unwrap();
        Self { process, says, hears }
    }

    async fn say(&mut self, word: &str) {
        self.hears.write_all(format!("{word}\n").as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> usize {
        loop {
            let line = self.says.next_line().await.unwrap().expect("the other process has gone");
            // The test harness may have printed the name of the test on the same line.
            if let Some((_, count)) = line.split_once(ANSWER) {
                return count.parse().unwrap();
            }
        }
    }

    async fn stop(mut self) {
        drop(self.hears);
        while self.says.next_line().await.unwrap().is_some() {}
        assert!(self.process.wait().await.unwrap().success());
    }
}
