//! The program: configuration, commands, boot.
