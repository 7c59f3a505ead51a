//! The hosted screens: a view and a language in, a page out.
