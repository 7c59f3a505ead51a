//! Keys, signatures and sealed secrets: bytes in, bytes out.
