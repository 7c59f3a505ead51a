// Passkeys and conveniences in forms. Everything else works without this script. It never assigns markup, only
// text, because the Content-Security-Policy requires Trusted Types.

const passkeys = "PublicKeyCredential" in window && "credentials" in navigator;

/** Decodes base64url. */
function bytes(text) {
  const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

/** Encodes as base64url. */
function text(buffer) {
  const plain = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(plain).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

const described = (list) => list?.map((one) => ({ ...one, id: bytes(one.id) }));

/** Converts the WebAuthn options from JSON. Older browsers have no function for it. */
function options(verb, json) {
  const parsed = verb === "create" ? PublicKeyCredential.parseCreationOptionsFromJSON : PublicKeyCredential.parseRequestOptionsFromJSON;
  if (parsed) return parsed.call(PublicKeyCredential, json);
  const own = { ...json, challenge: bytes(json.challenge) };
  if (own.user) own.user = { ...own.user, id: bytes(own.user.id) };
  if (own.excludeCredentials) own.excludeCredentials = described(own.excludeCredentials);
  if (own.allowCredentials) own.allowCredentials = described(own.allowCredentials);
  return own;
}

/** The credential as JSON. */
function answer(credential) {
  const given = credential.response;
  const response = { clientDataJSON: text(given.clientDataJSON) };
  if (given.attestationObject) {
    response.attestationObject = text(given.attestationObject);
    response.transports = given.getTransports?.() ?? [];
  } else {
    response.authenticatorData = text(given.authenticatorData);
    response.signature = text(given.signature);
    if (given.userHandle) response.userHandle = text(given.userHandle);
  }
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
    response,
  };
}

let waiting = new AbortController();

/** Runs a WebAuthn ceremony and submits the credential with the form of the button. */
async function ceremony(button, mediation) {
  const verb = button.dataset.passkey;
  const trouble = button.parentElement.querySelector(".trouble");
  waiting.abort();
  waiting = new AbortController();
  const json = JSON.parse(button.dataset.options);
  const fields = button.form.elements;
  if (verb === "create" && fields.identifier) {
    // At sign-up the authenticator shows the name that the user has just entered.
    if (!button.form.reportValidity()) return;
    json.user.name = fields.identifier.value;
    json.user.displayName = fields.name?.value || fields.identifier.value;
  }
  const asked = { publicKey: options(verb, json), signal: waiting.signal };
  if (mediation) asked.mediation = mediation;
  else busy(button, true);
  try {
    const credential = await navigator.credentials[verb](asked);
    const field = button.form.elements.credential;
    field.value = JSON.stringify(answer(credential));
    field.disabled = false;
    busy(button, true);
    button.form.submit();
  } catch (cause) {
    busy(button, false);
    if (mediation || cause.name === "AbortError") return;
    trouble.textContent = button.dataset.failed;
    trouble.hidden = false;
    button.focus();
    listen();
  }
}

/** Lets the browser offer passkeys in the address field (conditional mediation). */
async function listen() {
  const button = document.querySelector('[data-passkey="get"]');
  const field = document.querySelector('[autocomplete~="webauthn"]');
  if (!button || !field || !passkeys) return;
  if (await PublicKeyCredential.isConditionalMediationAvailable?.()) ceremony(button, "conditional");
}

function busy(button, on) {
  const label = button.querySelector("span") ?? button;
  const working = button.dataset.working ?? button.form?.dataset.working;
  if (on && working) {
    button.dataset.label ??= label.textContent;
    label.textContent = working;
  } else if (!on && button.dataset.label) {
    label.textContent = button.dataset.label;
  }
  button.setAttribute("aria-disabled", String(on));
}

for (const button of document.querySelectorAll("[data-passkey]")) {
  if (passkeys) {
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") !== "true") ceremony(button);
    });
  } else {
    const trouble = button.parentElement.querySelector(".trouble");
    trouble.textContent = button.dataset.unsupported;
    trouble.hidden = false;
    button.hidden = true;
  }
}
listen();

// Buttons that show and hide a password.
for (const peek of document.querySelectorAll(".peek")) {
  const field = document.getElementById(peek.getAttribute("aria-controls"));
  const [show, label] = [peek.textContent, peek.ariaLabel];
  peek.hidden = false;
  peek.addEventListener("click", () => {
    const shown = field.type === "text";
    field.type = shown ? "password" : "text";
    peek.textContent = shown ? show : peek.dataset.hide;
    peek.ariaLabel = shown ? label : peek.dataset.hideLabel;
    field.focus();
  });
}

// A form is submitted once; its button then shows that the request is in progress.
for (const form of document.forms) {
  form.addEventListener("submit", (event) => {
    for (const field of form.querySelectorAll('input[type="password"], input[type="text"]')) {
      if (field.closest(".reveal")) field.type = "password";
    }
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "yes";
    if (event.submitter) busy(event.submitter, true);
  });
}

// On return to a page in the back/forward cache, its forms can be submitted again.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const form of document.forms) delete form.dataset.sent;
  for (const button of document.querySelectorAll('[aria-disabled="true"]')) busy(button, false);
  listen();
});

// Buttons that send a message again, with a countdown until that is allowed.
for (const button of document.querySelectorAll("[data-countdown]")) {
  const label = button.textContent;
  const due = Date.now() + Number(button.dataset.countdown) * 1000;
  const tick = () => {
    const left = Math.ceil((due - Date.now()) / 1000);
    button.setAttribute("aria-disabled", String(left > 0));
    button.textContent = left > 0 ? button.dataset.counting.replace("{}", left) : label;
    if (left > 0) setTimeout(tick, 1000);
  };
  button.addEventListener("click", (event) => {
    if (button.getAttribute("aria-disabled") === "true") event.preventDefault();
  });
  tick();
}

// Scales a chosen picture down before it is sent, so that every photograph fits and its metadata stays here.
for (const field of document.querySelectorAll("[data-picture]")) {
  const form = field.form;
  field.addEventListener("change", async () => {
    if (!field.files.length) return;
    try {
      const image = await createImageBitmap(field.files[0]);
      const [side, size] = [Math.min(image.width, image.height), 256];
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = size;
      const drawing = canvas.getContext("2d");
      drawing.fillStyle = "white";
      drawing.fillRect(0, 0, size, size);
      drawing.drawImage(image, (image.width - side) / 2, (image.height - side) / 2, side, side, 0, 0, size, size);
      const encoded = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.85));
      form.elements.picture.value = text(await encoded.arrayBuffer());
      form.requestSubmit();
    } catch {
      form.querySelector(".trouble").hidden = false;
    }
  });
}

// Unsaved branding in the samples of pages, which are documents of their own: the name, the colors by a style sheet
// made for them, and a chosen logo.
const samples = document.querySelectorAll(".sample iframe");
const inSamples = (change) => {
  for (const sample of samples) if (sample.contentDocument) change(sample.contentDocument);
};

/** The contrast of two colors (WCAG 2.2 section 1.4.3). */
function contrast(one, other) {
  const light = (color) => {
    const parts = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const [a, b] = [light(one), light(other)];
  return Math.max(a, b) / Math.min(a, b);
}

/** Shows or hides the error beside a field. */
function complain(field, problem) {
  const trouble = document.getElementById(`${field.id}-error`);
  trouble.querySelector("span").textContent = problem;
  trouble.hidden = !problem;
  field.setAttribute("aria-invalid", String(Boolean(problem)));
}

for (const field of document.querySelectorAll("[data-contrast-with]")) {
  field.addEventListener("input", () => {
    const color = field.value.trim();
    if (color && !/^#[0-9a-f]{6}$/i.test(color)) return;
    const isLow = color && contrast(color, field.dataset.contrastWith) < Number(field.dataset.contrastMin);
    complain(field, isLow ? field.dataset.problem : "");
    inSamples((sample) => {
      for (const link of sample.querySelectorAll('link[href*="accent="]')) {
        const address = new URL(link.href);
        address.searchParams.set(field.name, color);
        link.href = address.href;
      }
    });
  });
}

for (const field of document.querySelectorAll("[data-encode]")) {
  field.addEventListener("change", async () => {
    const kept = field.form.elements[field.dataset.encode];
    const [file] = field.files;
    const isLarge = file && file.size > Number(field.dataset.bytesMax);
    complain(field, isLarge ? field.dataset.tooLarge : "");
    const content = file && !isLarge ? await file.arrayBuffer() : null;
    kept.value = content ? text(content) : "";
    if (!content) return;
    const address = `data:${file.type};base64,${kept.value.replace(/-/g, "+").replace(/_/g, "/")}`;
    inSamples((sample) => {
      const mark = sample.querySelector(".brand > :first-child");
      const logo = sample.createElement("img");
      Object.assign(logo, { src: address, alt: "", height: 36 });
      mark?.replaceWith(logo);
    });
  });
}

for (const field of samples.length ? document.querySelectorAll('.panel input[name="name"]') : []) {
  field.addEventListener("input", () =>
    inSamples((sample) => {
      const name = sample.querySelector(".brand > :last-child");
      if (name && field.value.trim()) name.textContent = field.value.trim();
    }),
  );
}

// Removes spaces and hyphens from a code that was pasted.
for (const field of document.querySelectorAll(".code:not(.long)")) {
  field.addEventListener("input", () => {
    const bare = field.value.replace(/[\s-]/g, "");
    if (bare !== field.value) field.value = bare;
  });
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const shown = document.getElementById(button.dataset.copy);
    const lines = Array.from(shown.children, (one) => one.textContent.trim());
    await navigator.clipboard.writeText(lines.join("\n") || shown.dataset.text || shown.textContent);
    button.textContent = button.dataset.copied;
  });
}

// Identifiers get a button that copies them. Its texts are on the page once.
for (const panels of document.querySelectorAll("[data-copy-label]")) {
  for (const code of panels.querySelectorAll(".id > code:only-child")) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "copy", textContent: panels.dataset.copyLabel });
    Object.assign(button.dataset, { copyText: code.textContent, copied: panels.dataset.copied });
    button.setAttribute("aria-label", `${panels.dataset.copyLabel}: ${code.textContent}`);
    code.after(button);
  }
}

// Buttons that copy an identifier or a secret beside them.
for (const button of document.querySelectorAll("[data-copy-text]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copyText);
    const label = button.textContent;
    button.textContent = button.dataset.copied;
    setTimeout(() => (button.textContent = label), 2000);
  });
}

// A file that is chosen becomes the text of a field, where it can be checked before it is sent.
for (const input of document.querySelectorAll("[data-file-into]")) {
  input.closest("[data-file-field]")?.removeAttribute("hidden");
  input.addEventListener("change", async () => {
    const field = document.getElementById(input.dataset.fileInto);
    if (input.files[0]) field.value = await input.files[0].text();
    field.focus();
  });
}

// The slash key leads to the search.
const search = document.getElementById("results-q") || document.getElementById("to-search");
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (!search || isTyping || event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (search.href) search.click();
  else search.focus();
});

for (const button of document.querySelectorAll("[data-print]")) {
  button.addEventListener("click", () => print());
}

// Times in the user's time zone.
const spoken = document.documentElement.lang;
const times = new Intl.DateTimeFormat(spoken === "en" ? "en-GB" : spoken, { dateStyle: "long", timeStyle: "short" });
for (const time of document.querySelectorAll("time[datetime]")) {
  time.title ||= time.dateTime;
  time.textContent = times.format(new Date(time.dateTime));
}
