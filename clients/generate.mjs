// Makes the typed calls of the management API, for JavaScript and for Rust, of what the server says about itself.
//
//   curl -s http://localhost:8080/openapi.json | node clients/generate.mjs
//
// With a folder as its argument it writes there, so that a test can compare. It needs rustfmt.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { javascript } from "./generate/javascript.mjs";
import { rust } from "./generate/rust.mjs";
import { modelOf } from "./generate/model.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? here;
const model = modelOf(JSON.parse(readFileSync(0, "utf8")));

/** Writes files, and removes what an earlier run left in a folder that is all ours. */
function write(files, owned) {
  if (owned !== undefined) rmSync(join(target, owned), { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
}

write(javascript(model), "javascript/src/management");
write(rust(model), "rust/src/management/generated");
// It goes on to every file that this one names.
const sources = [join(target, "rust/src/management/generated.rs")];
const settings = ["--edition", "2024", "--config-path", join(here, "..", "rustfmt.toml")];
const formatted = spawnSync("rustfmt", [...settings, ...sources], { stdio: ["ignore", "inherit", "inherit"] });
if (formatted.status !== 0) throw new Error("rustfmt did not take what was made");
