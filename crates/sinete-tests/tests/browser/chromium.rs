//! One browser for one test: a ChromeDriver process and a session that ends with the test.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a page may take to show what a test waits for. Only a failure takes that long, and a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(240);

/// The WebDriver key of an element id.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub struct Browser {
    http: reqwest::Client,
    session: String,
    driver: Child,
    // Dropping it would delete the files of the browser.
    _folder: TempDir,
}

/// The preferred color scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Light,
    Dark,
}

impl Scheme {
    /// The value of `prefers-color-scheme`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

impl Browser {
    /// Starts a browser whose pages run no scripts.
    pub async fn start_without_scripts(languages: &str) -> Self {
        let browser = Self::start(languages).await;
        browser.cdp("Emulation.setScriptExecutionDisabled", json!({ "value": true })).await;
        browser
    }

    /// Starts a browser with these languages.
    pub async fn start(languages: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let fonts = folder.path().join("fonts.conf");
        std::fs::File::create(&fonts).unwrap().write_all(FONTS.as_bytes()).unwrap();
        let (driver, address) = driver(&fonts);
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut browser = Self { http, session: address, driver, _folder: folder };
        let requested_capabilities = capabilities(languages);
        let session = browser
            .patiently("no session", async || {
                browser.call("POST", "/session", Some(requested_capabilities.clone())).await.ok()
            })
            .await;
        browser.session = format!("{}/session/{}", browser.session, session["sessionId"].as_str().unwrap());
        browser.look(1280, Scheme::Light).await;
        browser
    }

    pub async fn open(&self, address: &str) {
        self.done("POST", "/url", json!({ "url": address })).await;
    }

    /// The current URL.
    pub async fn address(&self) -> String {
        self.read("/url").await.as_str().unwrap().to_owned()
    }

    /// Waits for a URL with this prefix and returns it.
    pub async fn arrives_at(&self, beginning: &str) -> String {
        let failure = format!("no URL begins with {beginning}");
        self.patiently(&failure, async || Some(self.address().await).filter(|it| it.starts_with(beginning)))
            .await
    }

    /// Waits for a visible element that matches the selector.
    pub async fn find(&self, selector: &str) -> String {
        self.patiently(&format!("no {selector}"), async || self.look_for(selector).await).await
    }

    /// Clicks an element once. If the click navigates, waits until the old page is gone, so that the next lookup finds
    /// the new page and opening a URL does not abort the request. A click that failed is repeated only if it certainly
    /// did not happen: the new page may have the same button, and its form would be submitted empty.
    pub async fn press(&self, selector: &str) {
        let (page, leads_on) = self
            .patiently(&format!("{selector} cannot be pressed"), async || {
                let page = self.look_for("html").await?;
                let element = self.look_for(selector).await?;
                let leads_on = self.leads_on(&element).await?;
                self.scroll_to(&element).await;
                let pressed = self.call("POST", &format!("/element/{element}/click"), Some(json!({}))).await;
                let is_certainly_missed = pressed.is_err_and(|error| is_missed_click(&error));
                (!is_certainly_missed || self.has_left(&page).await).then_some((page, leads_on))
            })
            .await;
        if leads_on {
            let failure = format!("{selector} did not navigate");
            self.patiently(&failure, async || self.has_left(&page).await.then_some(())).await;
        }
    }

    /// Scrolls an element to the middle, if scripts run: at the lower edge of an emulated window a click can get lost.
    async fn scroll_to(&self, element: &str) {
        let script = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})";
        let request_body = json!({ "script": script, "args": [{ ELEMENT: element }] });
        let _ = self.call("POST", "/execute/sync", Some(request_body)).await;
    }

    /// Whether a click on this element navigates, as a link or a submit button does.
    async fn leads_on(&self, element: &str) -> Option<bool> {
        let name = self.call("GET", &format!("/element/{element}/name"), None).await.ok()?;
        let kind = self.call("GET", &format!("/element/{element}/attribute/type"), None).await.ok()?;
        Some(name == "a" || (name == "button" && kind != "button"))
    }

    /// Whether the page with this root element is gone.
    async fn has_left(&self, page: &str) -> bool {
        let result = self.call("GET", &format!("/element/{page}/name"), None).await;
        result.is_err_and(|error| error.contains("stale element"))
    }

    /// Replaces the text of a field.
    pub async fn fill(&self, selector: &str, text: &str) {
        self.patiently(&format!("{selector} cannot be filled in"), async || {
            let element = self.look_for(selector).await?;
            self.call("POST", &format!("/element/{element}/clear"), Some(json!({}))).await.ok()?;
            let request_body = json!({ "text": text });
            self.call("POST", &format!("/element/{element}/value"), Some(request_body)).await.ok()
        })
        .await;
    }

    async fn look_for(&self, selector: &str) -> Option<String> {
        let request_body = json!({ "using": "css selector", "value": selector });
        let element = self.call("POST", "/element", Some(request_body)).await.ok()?;
        element[ELEMENT].as_str().map(str::to_owned)
    }

    /// Repeats an attempt until it succeeds or the time is over, because a page may still be loading.
    #[expect(clippy::disallowed_methods, reason = "a browser takes real time")]
    pub(super) async fn patiently<T>(&self, failure: &str, attempt: impl AsyncFn() -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            if let Some(value) = attempt().await {
                return value;
            }
            if began.elapsed() > PATIENCE {
                let (result, words) = (self.call("GET", "/url", None).await, self.words_now().await);
                panic!("{failure}: {result:?} shows {words:?}");
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Sets a session cookie.
    pub async fn holds_session(&self, origin: &str, token: &str) {
        self.open(&format!("{origin}/signed-out")).await;
        let cookie = json!({ "name": "sinete_session", "value": token, "path": "/", "httpOnly": true });
        self.done("POST", "/cookie", json!({ "cookie": cookie })).await;
    }

    pub async fn reload(&self) {
        self.done("POST", "/refresh", json!({})).await;
    }

    pub async fn back(&self) {
        self.done("POST", "/back", json!({})).await;
    }

    /// Whether an element matches the selector now.
    pub async fn shows(&self, selector: &str) -> bool {
        let script = "return document.querySelector(arguments[0]) !== null";
        self.run(script, json!([selector])).await.as_bool().unwrap()
    }

    /// Adds a virtual authenticator with user presence and user verification.
    pub async fn plug_in_authenticator(&self) -> String {
        let device = json!({
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": true,
            "hasUserVerification": true, "isUserVerified": true, "isUserConsenting": true,
        });
        self.done("POST", "/webauthn/authenticator", device).await.as_str().unwrap().to_owned()
    }

    /// Sets whether user verification succeeds.
    pub async fn allow(&self, device: &str, is_recognised: bool) {
        let path = format!("/webauthn/authenticator/{device}/uv");
        self.done("POST", &path, json!({ "isUserVerified": is_recognised })).await;
    }

    /// Removes conditional mediation from the browser.
    pub async fn offers_no_passkey_by_itself(&self) {
        let source = "PublicKeyCredential.isConditionalMediationAvailable = async () => false";
        self.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source })).await;
    }

    /// The text of the page.
    pub async fn words(&self) -> String {
        self.words_now().await.unwrap().as_str().unwrap_or_default().to_owned()
    }

    async fn words_now(&self) -> Result<Value, String> {
        let script = json!({ "script": "return document.body.innerText", "args": [] });
        self.call("POST", "/execute/sync", Some(script)).await
    }

    /// The text of an element, also if scripts are disabled.
    pub async fn element_text(&self, selector: &str) -> String {
        self.patiently(&format!("{selector} has no text"), async || {
            let element = self.look_for(selector).await?;
            let text = self.call("GET", &format!("/element/{element}/text"), None).await.ok()?;
            text.as_str().map(str::to_owned)
        })
        .await
    }

    /// The result of a script on the page.
    pub async fn run(&self, script: &str, arguments: Value) -> Value {
        self.done("POST", "/execute/sync", json!({ "script": script, "args": arguments })).await
    }

    /// The result of an asynchronous script, which calls its last argument when it is done.
    pub async fn run_to_the_end(&self, script: &str, arguments: Value) -> Value {
        self.done("POST", "/execute/async", json!({ "script": script, "args": arguments })).await
    }

    /// Sends a command of the Chrome DevTools Protocol.
    pub async fn cdp(&self, command: &str, parameters: Value) -> Value {
        self.done("POST", "/goog/cdp/execute", json!({ "cmd": command, "params": parameters })).await
    }

    /// Sets the width of the window and the color scheme.
    pub async fn look(&self, width: u32, scheme: Scheme) {
        let height = if width < 600 { 640 } else { 820 };
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.cdp("Emulation.setDeviceMetricsOverride", size).await;
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme.name() },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.cdp("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// Sets `prefers-reduced-motion`.
    pub async fn prefers_motion(&self, likes: bool) {
        let value = if likes { "no-preference" } else { "reduce" };
        let features = json!([{ "name": "prefers-reduced-motion", "value": value }]);
        self.cdp("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// A screenshot of the whole page.
    pub async fn picture(&self, format: &str) -> Vec<u8> {
        let size = self.cdp("Page.getLayoutMetrics", json!({})).await["cssContentSize"].clone();
        // The page is as high as its body, even if the window is higher.
        let script = "return Math.ceil(document.body.getBoundingClientRect().bottom + parseFloat(getComputedStyle(document.body).marginBottom))";
        let height = self.run(script, json!([])).await;
        let clip = json!({ "x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1 });
        let capture_options = match format {
            "webp" => json!({ "format": "webp", "quality": 35, "captureBeyondViewport": true, "clip": clip }),
            other => json!({ "format": other, "captureBeyondViewport": true, "clip": clip }),
        };
        let screenshot = self.cdp("Page.captureScreenshot", capture_options).await;
        STANDARD.decode(screenshot["data"].as_str().unwrap()).unwrap()
    }

    pub async fn content_width(&self) -> u64 {
        let script = "return document.documentElement.scrollWidth";
        self.run(script, json!([])).await.as_u64().unwrap()
    }

    /// Asserts that the console has no new messages: no error and no violation of the content security policy. That a
    /// field was not focused because another one has the focus is only information: the test was faster than the page.
    pub async fn expect_quiet_console(&self, context: &str) {
        let mut entries = self.done("POST", "/se/log", json!({ "type": "browser" })).await;
        let is_late_focus = |entry: &Value| {
            entry["message"]
                .as_str()
                .is_some_and(|message| message.contains("Autofocus processing was blocked"))
        };
        if let Some(entries) = entries.as_array_mut() {
            entries.retain(|entry| !is_late_focus(entry));
        }
        assert_eq!(entries, json!([]), "{context}");
    }

    async fn read(&self, path: &str) -> Value {
        self.call("GET", path, None).await.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(super) async fn done(&self, method: &str, path: &str, body: Value) -> Value {
        self.call(method, path, Some(body)).await.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    async fn call(&self, method: &str, path: &str, body: Option<Value>) -> Result<Value, String> {
        let request = self.http.request(method.parse().unwrap(), format!("{}{path}", self.session));
        let request = if let Some(body) = body { request.json(&body) } else { request };
        let answer = request.send().await.map_err(|error| error.to_string())?;
        let status = answer.status();
        let mut answer: Value = answer.json().await.map_err(|error| error.to_string())?;
        if status.is_success() {
            Ok(answer["value"].take())
        } else {
            Err(answer["value"]["message"].to_string())
        }
    }
}

impl Browser {
    /// Ends the session synchronously, because `drop` cannot await.
    fn end_session(&self) -> std::io::Result<usize> {
        let session_address = self.session.strip_prefix("http://").and_then(|it| it.split_once('/'));
        let Some((host, path)) = session_address else { return Ok(0) };
        let mut driver = TcpStream::connect(host)?;
        driver.set_read_timeout(Some(PATIENCE))?;
        write!(driver, "DELETE /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
        driver.read(&mut [0; 512])
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends with its session; a driver that is only killed may leave it running.
        let _ = self.end_session();
        let _ = Command::new("kill").arg(self.driver.id().to_string()).status();
        let _ = self.driver.wait();
    }
}

/// Whether the driver refused a click before it dispatched it.
fn is_missed_click(error: &str) -> bool {
    ["stale element", "no such element", "not interactable", "click intercepted"]
        .iter()
        .any(|reason| error.contains(reason))
}

/// How often starting a driver is retried if another program took its port.
const STARTS_MAX: usize = 20;

/// Starts a driver on a free port and returns its URL.
fn driver(fonts: &Path) -> (Child, String) {
    for _ in 0..STARTS_MAX {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .env("FONTCONFIG_FILE", fonts)
            .env("TZ", "UTC")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("there is no chromedriver: ./scripts/test installs it, on Debian as chromium-driver");
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            line.split_once("started successfully on port ").map(|(_, port)| port.to_owned())
        });
        if let Some(port) = port {
            return (driver, format!("http://127.0.0.1:{}", port.trim_end_matches('.')));
        }
        driver.wait().unwrap();
    }
    panic!("chromedriver did not start");
}

/// Chromium without a window, menus and settings, which no test looks at: a test takes two thirds of the time. This is
/// the program, not Debian's script in `/usr/bin`, because the driver cannot end what that script starts. Where it is
/// not installed, the driver starts Chromium.
const HEADLESS_SHELL: &str = "/usr/lib/chromium/chromium-headless-shell";

fn capabilities(languages: &str) -> Value {
    // Without a sandbox, because the root user of a container may not create the namespaces that it needs. What follows
    // `--no-first-run` only saves processor time: about a sixth of what a browser takes.
    let arguments = "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --force-color-profile=srgb --disable-background-networking --no-first-run --disable-component-update \
        --disable-default-apps --disable-extensions --disable-site-isolation-trials --disable-sync \
        --in-process-gpu --renderer-process-limit=1 --js-flags=--no-maglev,--no-turbofan";
    let accept_language = format!("--accept-lang={languages}");
    let arguments: Vec<_> = arguments.split_whitespace().chain([&*accept_language]).collect();
    let mut options = json!({ "args": arguments });
    if Path::new(HEADLESS_SHELL).exists() {
        options["binary"] = json!(HEADLESS_SHELL);
    }
    json!({ "capabilities": { "alwaysMatch": {
        "browserName": "chrome",
        "goog:loggingPrefs": { "browser": "ALL" },
        "timeouts": { "script": 240_000 },
        "goog:chromeOptions": options,
    } } })
}

/// Screenshots use these fonts only, so that they look the same on every machine.
const FONTS: &str = include_str!("fonts.conf");
