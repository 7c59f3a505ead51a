//! The examples, tried out.

#[cfg(test)]
mod scenes;
#[cfg(test)]
mod whole;
