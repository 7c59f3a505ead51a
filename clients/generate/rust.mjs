// The calls as methods and the types as structs, in files that are short enough to be read.

const NOTE = "Made by `clients/generate.mjs` of what the server says about itself. Not for editing.";
const LINES_MAX = { calls: 190, types: 250 };

const snake = (text) => text.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/[^A-Za-z0-9]+/g, "_").toLowerCase();
const RESERVED = new Set(["type", "use", "ref", "self", "match", "move", "loop", "where", "in", "for", "fn", "impl", "mod"]);
const identifier = (name) => {
  const plain = snake(name);
  return RESERVED.has(plain) ? `r#${plain}` : plain;
};

/** The first sentences, as lines that fit. */
function doc(text, fallback, indent = "") {
  const words = (text ?? fallback).replace(/\s+/g, " ").replaceAll("[", "\\[").replaceAll("]", "\\]").replaceAll("<", "\\<").trim().split(" ");
  const lines = [""];
  for (const word of words) {
    if (lines.at(-1).length + word.length > 100) lines.push("");
    lines[lines.length - 1] += `${lines.at(-1) === "" ? "" : " "}${word}`;
  }
  return lines.map((line) => `${indent}/// ${line}\n`).join("");
}

function typeOf(kind) {
  if (kind.type !== undefined) return kind.type;
  if (kind.list !== undefined) return `Vec<${typeOf(kind.list)}>`;
  if (kind.map !== undefined) return kind.map.any ? "serde_json::Map<String, Value>" : `BTreeMap<String, ${typeOf(kind.map)}>`;
  if (kind.text) return "String";
  if (kind.whole) return "i64";
  if (kind.number) return "f64";
  return kind.truth ? "bool" : "Value";
}

const described = (name, { description, kind }) => {
  const values = kind.values?.length > 0 && kind.values.length < 30 ? ` One of ${kind.values.map((it) => `\`${it}\``).join(", ")}.` : "";
  return `${(description ?? `\`${name}\`.`).replace(/([^.])$/, "$1.")}${values}`;
};

/** The types that hold a secret, or something that does: nothing of theirs is written to a log by mistake. */
function secretive(types) {
  const holds = (kind, found) => found.has(kind.type) || [kind.list, kind.map].some((it) => it !== undefined && holds(it, found));
  const isSecret = ({ name, kind }) => kind.text === true && /(^|_)(secret|token|password)$/.test(name);
  const found = new Set(types.filter(({ fields }) => fields.some(isSecret)).map(({ name }) => name));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { name, fields } of types) if (fields.some(({ kind }) => holds(kind, found))) found.add(name);
  }
  return found;
}

function typeText({ name, description, fields }, secrets) {
  const patch = name.includes("Patch");
  const rows = fields.map((field) => {
    const plain = typeOf(field.kind);
    const isAbsent = !field.isRequired;
    // In a patch, nothing leaves a member as it is, and null takes it away.
    const isDouble = patch && field.isNullable && isAbsent;
    const type = isDouble ? `Option<Option<${plain}>>` : isAbsent || field.isNullable ? `Option<${plain}>` : plain;
    const own = identifier(field.name);
    const said = [];
    if (own.replace("r#", "") !== field.name) said.push(`rename = ${JSON.stringify(field.name)}`);
    if (isAbsent && !patch) said.push("default");
    if (isAbsent) said.push('skip_serializing_if = "Option::is_none"');
    const attribute = said.length > 0 ? `    #[serde(${said.join(", ")})]\n` : "";
    return `${doc(described(field.name, field), "", "    ")}${attribute}    pub ${own}: ${type},\n`;
  });
  const derived = `#[derive(Clone, ${secrets.has(name) ? "" : "Debug, "}Default, PartialEq, Serialize${patch ? "" : ", Deserialize"})]\n`;
  return `${doc(description, `What the description calls \`${name}\`.`)}${derived}pub struct ${name} {\n${rows.join("")}}\n`;
}

const queryName = ({ name }) => `${name[0].toUpperCase()}${name.slice(1)}Query`;

function queryText(operation) {
  const rows = operation.query.map((it) => {
    const type = it.isRequired ? typeOf(it.kind) : `Option<${typeOf(it.kind)}>`;
    const attribute = it.isRequired ? "" : '    #[serde(skip_serializing_if = "Option::is_none")]\n';
    return `${doc(described(it.name, it), "", "    ")}${attribute}    pub ${identifier(it.name)}: ${type},\n`;
  });
  return `/// Which of them [\`crate::management::Management::${identifier(operation.name)}\`] lists.\n#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]\npub struct ${queryName(operation)} {\n${rows.join("")}}\n`;
}

function method(operation) {
  const said = operation.path_parameters.map((name) => `${identifier(name)}: &str`);
  const path = operation.path.replace(/\{(\w+)\}/g, "{}");
  const places = operation.path_parameters.map((name) => `segment(${identifier(name)})`);
  const address = places.length > 0 ? `&format!(${JSON.stringify(path)}, ${places.join(", ")})` : JSON.stringify(path);
  if (operation.isVersioned) said.push("version: i64");
  if (operation.body !== undefined) said.push(`body: &${typeOf(operation.body)}`);
  if (operation.query.length > 0) said.push(`query: &${queryName(operation)}`);
  const head = doc(operation.description, operation.name, "    ");
  const name = identifier(operation.name);
  if (operation.item !== undefined) {
    const query = operation.query.length > 0 ? "query" : "&()";
    const itself = said.length > 0 ? `&self, ${said.join(", ")}` : "&self";
    return `${head}    pub fn ${name}(${itself}) -> Pages<'_, ${typeOf(operation.item)}> {\n        self.pages(${address}, ${query})\n    }\n`;
  }
  let asked = `Asked::new("${operation.method}", ${address})`;
  if (operation.isVersioned) asked += ".version(version)";
  if (operation.isRepeatable) asked += ".repeatable()";
  if (operation.query.length > 0) asked += ".query(query)";
  if (operation.body !== undefined) asked += operation.isPatch ? ".patch(body)" : ".body(body)";
  const [answer, call] = operation.answer === undefined ? ["()", "done"] : [typeOf(operation.answer), "answer"];
  return `${head}    pub async fn ${name}(${["&self", ...said].join(", ")}) -> Result<${answer}, Problem> {\n        self.${call}(${asked}).await\n    }\n`;
}

/** Packs texts into files of a bearable length. */
function packed(texts, most) {
  const files = [[]];
  let lines = 0;
  for (const text of texts) {
    const length = text.split("\n").length;
    if (lines + length > most && files.at(-1).length > 0) {
      files.push([]);
      lines = 0;
    }
    files.at(-1).push(text);
    lines += length;
  }
  return files;
}

const uses = (text, lines) => lines.filter(([word]) => new RegExp(`\\b${word}\\b`).test(text)).map(([, line]) => `${line}\n`).join("");

export function rust({ operations, types }) {
  const secrets = secretive(types);
  const structs = [...types.map((type) => typeText(type, secrets)), ...operations.filter((it) => it.query.length > 0).map(queryText)];
  const files = {};
  const modules = { types: [], calls: [] };
  const add = (kind, text) => {
    const name = `${kind}_${modules[kind].length + 1}`;
    modules[kind].push(name);
    files[`rust/src/management/generated/${name}.rs`] = text;
  };
  for (const texts of packed(structs, LINES_MAX.types)) {
    const body = texts.join("\n");
    const derives = uses(body, [["Deserialize", "use serde::{Deserialize, Serialize};"]]) || "use serde::Serialize;\n";
    const imports = uses(body, [["BTreeMap", "use std::collections::BTreeMap;"], ["Value", "use serde_json::Value;"]]);
    const named = types.map(({ name }) => name).filter((name) => new RegExp(`\\b${name}\\b`).test(body) && !body.includes(`pub struct ${name} {`));
    const others = named.length > 0 ? `use super::{${named.join(", ")}};\n` : "";
    add("types", `//! ${NOTE}\n\n${others}${derives}${imports}\n${body}`);
  }
  for (const texts of packed(operations.map(method), LINES_MAX.calls)) {
    const body = texts.join("\n");
    const named = [...types.map(({ name }) => name), ...operations.map(queryName)].filter((name) => new RegExp(`\\b${name}\\b`).test(body));
    const shared = [["Asked", "Asked"], ["Management", "Management"], ["Pages", "Pages"], ["Problem", "Problem"], ["segment", "segment"]];
    const used = shared.filter(([word]) => word === "Management" || new RegExp(`\\b${word}\\b`).test(body)).map(([, name]) => name);
    add("calls", `//! ${NOTE}\n\nuse super::{${named.join(", ")}};\nuse crate::management::{${used.join(", ")}};\n\nimpl Management {\n${body}}\n`);
  }
  const list = [...modules.calls, ...modules.types].map((name) => `mod ${name};\n`).join("");
  const out = modules.types.map((name) => `pub use ${name}::*;\n`).join("");
  files["rust/src/management/generated.rs"] = `//! ${NOTE}\n\n${list}\n${out}`;
  return files;
}
