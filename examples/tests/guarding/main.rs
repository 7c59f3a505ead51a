//! The examples, tried out.

#[cfg(test)]
mod scenes;
