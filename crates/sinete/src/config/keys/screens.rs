//! The keys of the hosted screens and their branding.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
#[cfg(feature = "screens")]
use crate::config::parse;
#[cfg(feature = "screens")]
use sinete_http::screens::branding::SrgbColour;
#[cfg(feature = "screens")]
use std::path::PathBuf;
#[cfg(feature = "screens")]
use url::Url;

/// Whether the hosted screens are served.
pub static SCREENS_ENABLED: ConfigKey<bool> = ConfigKey::flag(
    ConfigKeyEntry::new(
        "screens.enabled",
        "Whether the hosted screens are served. Everything they do is also possible with the authentication flow API.",
        "`true` or `false`",
        "false",
    )
    .with_default(if cfg!(feature = "screens") { "true" } else { "false" }),
    |flag| flag,
);

/// Whether the console is served.
#[cfg(feature = "screens")]
pub static SCREENS_CONSOLE: ConfigKey<bool> = ConfigKey::flag(
    ConfigKeyEntry::new(
        "screens.console",
        "Whether the console for administrators of organizations is served.",
        "`true` or `false`",
        "false",
    )
    .with_default("true"),
    |flag| flag,
);

/// The name of the service on its screens.
#[cfg(feature = "screens")]
pub static SCREENS_NAME: ConfigKey<String> = ConfigKey::text(
    ConfigKeyEntry::new(
        "screens.name",
        "The name of the service on every page and in page titles.",
        "a name of at most 60 characters",
        "\"Padaria da Esquina\"",
    )
    .with_default("Sinete"),
    parse::screen_name,
);

/// The logo.
#[cfg(feature = "screens")]
pub static SCREENS_LOGO: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "screens.logo",
        "The logo beside that name, read at start-up: SVG, PNG, JPEG or WebP of at most 256 KiB.",
        "the path of a file",
        "\"/etc/sinete/logo.svg\"",
    )
    .with_unset_meaning("the logo of Sinete"),
    parse::path,
);

/// The accent color.
#[cfg(feature = "screens")]
pub static SCREENS_ACCENT: ConfigKey<SrgbColour> = ConfigKey::text(
    ConfigKeyEntry::new(
        "screens.accent",
        "The color of buttons and links. It is darkened, or lightened in the dark scheme, as far as readable text \
         requires.",
        "a color as `#rrggbb`",
        "\"#0a66c2\"",
    )
    .with_unset_meaning("the red of Sinete's logo"),
    parse::color,
);

/// The background color.
#[cfg(feature = "screens")]
pub static SCREENS_BACKGROUND: ConfigKey<SrgbColour> = ConfigKey::text(
    ConfigKeyEntry::new(
        "screens.background",
        "The background color of every page in the light scheme. It must be light enough for dark text.",
        "a light color as `#rrggbb`",
        "\"#eef2ff\"",
    )
    .with_unset_meaning("a warm white"),
    parse::light_color,
);

/// The documentation.
#[cfg(feature = "screens")]
pub static SCREENS_DOCUMENTATION: ConfigKey<Url> = ConfigKey::text(
    ConfigKeyEntry::new(
        "screens.documentation",
        "The URL of the documentation, which the landing page and the console link to: of the book where you serve it, or of \
         pages of your own.",
        "an http or https URL",
        "\"https://docs.example.com/sinete/\"",
    )
    .with_unset_meaning("no link"),
    parse::endpoint,
);

/// An additional style sheet.
#[cfg(feature = "screens")]
pub static SCREENS_STYLE: ConfigKey<PathBuf> = ConfigKey::text(
    ConfigKeyEntry::new(
        "screens.style",
        "A style sheet that is loaded after Sinete's own, read at start-up, of at most 64 KiB. It cannot load anything \
         from other servers.",
        "the path of a CSS file",
        "\"/etc/sinete/screens.css\"",
    )
    .with_unset_meaning("no additional style sheet"),
    parse::path,
);
