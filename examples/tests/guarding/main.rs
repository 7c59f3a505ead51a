//! The examples, tried out.

#[cfg(test)]
mod holder;
#[cfg(test)]
mod scenes;
#[cfg(test)]
mod whole;
