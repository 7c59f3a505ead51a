// Generates the typed calls of the management API for every client library from the OpenAPI description of the server.
//
//   curl -s http://localhost:8080/openapi.json | node clients/generate.mjs
//
// With a folder as its argument it writes there, so that a test can compare. It needs rustfmt.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateGo } from "./generate/go.mjs";
import { generateJavaScript } from "./generate/javascript.mjs";
import { generatePython } from "./generate/python.mjs";
import { generateRust } from "./generate/rust.mjs";
import { buildModel } from "./generate/model.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? here;
const model = buildModel(JSON.parse(readFileSync(0, "utf8")));

/** Writes files, after removing a folder that contains generated files only. */
function write(files, owned) {
  if (owned !== undefined) rmSync(join(target, owned), { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
}

write(generateGo(model));
write(generateJavaScript(model), "javascript/src/management");
write(generatePython(model));
write(generateRust(model), "rust/src/management/generated");
// rustfmt follows the `mod` declarations of this file.
const settings = ["--edition", "2024", "--config-path", join(here, "..", "rustfmt.toml")];
const formatted = spawnSync("rustfmt", [...settings, join(target, "rust/src/management/generated.rs")], { stdio: ["ignore", "inherit", "inherit"] });
if (formatted.status !== 0) throw new Error("rustfmt failed");
