//! The one end-to-end test program: the repository checks, and every story over real HTTP on SQLite and PostgreSQL.

#[cfg(test)]
mod browser;
#[cfg(test)]
mod console_coverage;
#[cfg(test)]
mod every_route;
#[cfg(test)]
mod every_write;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod outbound;
#[cfg(test)]
mod repository_checks;
#[cfg(test)]
mod stories;
