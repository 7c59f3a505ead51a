//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

mod calls_1;
mod calls_2;
mod calls_3;
mod calls_4;
mod types_1;
mod types_2;
mod types_3;
mod types_4;
mod types_5;
mod types_6;
mod types_7;
mod types_8;
mod types_9;

pub use types_1::*;
pub use types_2::*;
pub use types_3::*;
pub use types_4::*;
pub use types_5::*;
pub use types_6::*;
pub use types_7::*;
pub use types_8::*;
pub use types_9::*;
