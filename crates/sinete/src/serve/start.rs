//! The steps of starting, in their order: examine, refuse or go on, bind, open, migrate, keys, log.

use crate::boot::examine::examine;
use crate::boot::facts::DatabaseFact;
use crate::boot::judgement::{Finding, blockers};
use crate::boot::open::{self, Intent};
use crate::boot::open_files;
use crate::config::values::{BaseUrl, Mode};
use crate::config::{Config, Registration};
use crate::exit::Stop;
use crate::house::EngineHouse;
use crate::logging::Logging;
use crate::metrics;
use crate::outbound::carriers;
use crate::serve::Ports;
#[cfg(feature = "screens")]
use crate::serve::looks;
use sinete_core::time::Lifetime;
use sinete_engine::deliver::Carriers;
use sinete_engine::security_log::SecurityLog;
use sinete_engine::{Cause, Engine, keys, organizations, single_sign_on};
use sinete_http::base_address::BaseAddress;
use sinete_http::extract::certificate::ToldByProxies;
use sinete_http::extract::peer::Proxies;
use sinete_http::limits::{Deadlines, Limits};
use sinete_http::paces::Near;
use sinete_http::rate_limit::{Exempt, Limited, Rate};
use sinete_http::serve::{Listeners, listen};
use sinete_http::state::{Purpose, Screens, Settings as HttpSettings, State};
use sinete_http::tls::{Asked, Files, Tls};

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// Everything that is needed to answer.
pub struct Ready {
    pub engine: Engine,
    pub log: SecurityLog,
    pub house: Arc<EngineHouse>,
    pub state: State,
    /// Who carries messages away, where this node does.
    pub carriers: Option<Carriers>,
    pub listeners: Listeners,
    pub public: SocketAddr,
    pub admin: SocketAddr,
    pub issuer: BaseUrl,
}

pub async fn start(config: &Config, ports: &Ports) -> Result<Ready, Stop> {
    let examined = examine(config, ports.clock.now()).await;
    if config.mode == Mode::Production {
        refuse(&blockers(&examined.facts))?;
    }
    open::key_is_not_lost(&examined.facts)?;
    if let DatabaseFact::Open { unwritable: Some(failed), .. } = &examined.facts.database {
        return Err(failed.clone().into());
    }
    open::lists(&examined.facts.lists)?;
    if let Some(Err(why)) = &examined.facts.looks {
        return Err(Stop::wrong(why));
    }
    let (listeners, public, admin) = bind(config)?;
    let issuer = config.issuer(public);
    let store = open::store(config, ports, Intent::Serve).await?;
    let engine = open::engine(config, ports, store, &issuer, examined).await?;
    single_sign_on::count(&engine, metrics::count_provider);
    if config.mode == Mode::Development {
        keys::ensure(&engine, &keys::AT_FIRST_START, &Cause::system()).await?;
    }
    organizations::establish(&engine).await?;
    let log =
        SecurityLog::prepare(engine.store(), engine.instance_keys(), engine.now(), engine.entropy()).await?;
    let mailbox = carriers::mailbox(config);
    let carriers =
        config.delivers.then(|| carriers::carriers(config, ports, mailbox.as_ref())).transpose()?;
    let house = Arc::new(EngineHouse::new(engine.clone(), mailbox).map_err(Stop::failed)?);
    house.compare_clocks().await;
    let state = State::new(house.clone(), http_settings(config, &issuer)?, metrics::handle()?);
    Ok(Ready { engine, log, house, state, carriers, listeners, public, admin, issuer })
}

/// Refuses with every reason and its mend.
fn refuse(blockers: &[Finding]) -> Result<(), Stop> {
    if blockers.is_empty() {
        return Ok(());
    }
    let mut message = match blockers.len() {
        1 => "production cannot start, for one reason".to_owned(),
        many => format!("production cannot start, for {many} reasons"),
    };
    for Finding { what, mend, .. } in blockers {
        let mend = mend.as_deref().unwrap_or_default();
        message.push_str(&format!("\n  {what}; {mend}"));
    }
    Err(Stop::refused(message))
}

fn bind(config: &Config) -> Result<(Listeners, SocketAddr, SocketAddr), Stop> {
    let open = |key: &str, address: SocketAddr| {
        let taken = |error| Stop::failed(format!("{key} = \"{address}\" cannot be listened on: {error}"));
        let listener = listen(address).map_err(taken)?;
        let bound = listener.local_addr().map_err(taken)?;
        Ok::<_, Stop>((listener, bound))
    };
    let tls = config.tls.as_ref().map(|tls| {
        let files = Files { certificate: tls.certificate.clone(), key: tls.key.clone() };
        let asked = config.mutual_tls.as_ref().map(|mutual| mutual.asked(&config.issuer(config.listen)));
        Tls::open_asking(files, asked.unwrap_or(Asked::Nobody))
            .map_err(|bad| Stop::wrong(format!("TLS cannot be spoken: {bad}")))
    });
    let tls = tls.transpose()?;
    let (public, public_address) = open("listen", config.listen)?;
    let (admin, admin_address) = open("admin_listen", config.admin_listen)?;
    Ok((Listeners { public, tls, admin: Some(admin) }, public_address, admin_address))
}

/// Which screens are served.
const fn screens(config: &Config) -> Screens {
    #[cfg(feature = "screens")]
    let console = config.console;
    #[cfg(not(feature = "screens"))]
    let console = false;
    match (config.screens, console) {
        (true, true) => Screens::On,
        (true, false) => Screens::WithoutConsole,
        (false, _) => Screens::Off,
    }
}

fn http_settings(config: &Config, issuer: &BaseUrl) -> Result<HttpSettings, Stop> {
    let base_address = BaseAddress::parse(issuer.as_str()).map_err(|error| Stop::wrong(error.to_string()))?;
    if config.screens && cfg!(not(feature = "screens")) {
        return Err(Stop::wrong("screens.enabled is true, and this program was built without the screens"));
    }
    let seconds = |seconds: u32| Duration::from_secs(u64::from(seconds));
    let limits = config.limits;
    Ok(HttpSettings {
        purpose: match config.mode {
            Mode::Development => Purpose::Development,
            Mode::Production => Purpose::Production,
        },
        screens: screens(config),
        #[cfg(feature = "screens")]
        branding: looks::read(&config.looks)?,
        proxies: Proxies { trusted: config.trusted_proxies.clone(), header: config.proxy_header },
        told_by_proxies: told_by_proxies(config),
        allowed_origins: config.people.allowed_origins.clone(),
        traces: Logging::traces(config),
        registering: registering(config),
        paces: config.rate_limits,
        limits: Limits { connections: connections(config), requests: limits.requests, ..Limits::default() },
        deadlines: Deadlines {
            notice: seconds(limits.notice_seconds),
            drain: seconds(limits.drain_seconds),
            ..Deadlines::default()
        },
        ..HttpSettings::at(base_address)
    })
}

/// How many connections the public listener keeps open, said where that is less than configured.
fn connections(config: &Config) -> usize {
    let (allowed, configured) = (open_files::in_force(), config.limits.connections);
    let connections = open_files::public_connections(config, allowed);
    if connections < configured {
        tracing::warn!(?allowed, configured, connections, "the limit on open files leaves fewer connections");
    }
    connections
}

/// How proxies that are trusted tell which certificate they were shown, if they do.
fn told_by_proxies(config: &Config) -> ToldByProxies {
    let secret = config.mutual_tls.as_ref().and_then(|mutual| mutual.proxy_secret.as_ref());
    secret.map_or(ToldByProxies::Nothing, |secret| ToldByProxies::with_secret(secret.reveal()))
}

/// How often clients may register themselves.
fn registering(config: &Config) -> Limited {
    let Registration { per_minute, burst, per_day } = config.registration;
    let (minute, day) = (Lifetime::from_minutes(1), Lifetime::from_hours(24));
    Limited {
        by_address: Rate { count: per_minute, per: minute, burst },
        by_all: Rate { count: per_day, per: day, burst: per_day },
        // A development instance limits its own machine only where rate limits are switched on.
        exempt: match (config.mode, &config.rate_limits) {
            (Mode::Development, Some(limits)) if limits.near == Near::Counted => Exempt::Nobody,
            (Mode::Development, _) => Exempt::Loopback,
            (Mode::Production, _) => Exempt::Nobody,
        },
    }
}
