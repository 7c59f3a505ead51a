//! Everything that is tested of this library without a real instance.

#[cfg(test)]
mod guard;
#[cfg(test)]
mod instance;
#[cfg(test)]
mod management;
#[cfg(test)]
mod tokens;
#[cfg(test)]
mod vectors;
