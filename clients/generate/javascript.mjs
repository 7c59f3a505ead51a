// The calls as a table for the library, and as declarations for TypeScript.

const NOTE = "// Made by clients/generate.mjs of what the server says about itself. Not for editing.\n";

const comment = (text, indent) => {
  const lines = (text ?? "").split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
};

const quoted = (text) => JSON.stringify(text);
const member = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name));

function typeOf(kind) {
  if (kind.type !== undefined) return kind.type;
  if (kind.list !== undefined) {
    const inner = typeOf(kind.list);
    return inner.includes("|") ? `(${inner})[]` : `${inner}[]`;
  }
  if (kind.map !== undefined) return `Record<string, ${typeOf(kind.map)}>`;
  if (kind.text) return kind.values?.length > 0 && kind.values.length < 30 ? kind.values.map(quoted).join(" | ") : "string";
  if (kind.whole || kind.number) return "number";
  return kind.truth ? "boolean" : "unknown";
}

const field = ({ name, description, kind, isRequired, isNullable }, indent) =>
  `${comment(description, indent)}${indent}${member(name)}${isRequired ? "" : "?"}: ${typeOf(kind)}${isNullable ? " | null" : ""};\n`;

const typeText = ({ name, description, fields }) =>
  `${comment(description, "")}export interface ${name} {\n${fields.map((it) => field(it, "  ")).join("")}}\n`;

function signature(operation) {
  const said = operation.path_parameters.map((name) => `${name}: string`);
  if (operation.isVersioned) said.push("version: number");
  if (operation.body !== undefined) said.push(`body: ${typeOf(operation.body)}`);
  if (operation.item !== undefined || operation.query.length > 0) {
    const isNeeded = operation.query.some((it) => it.isRequired);
    const members = operation.query.map((it) => `${member(it.name)}${it.isRequired ? "" : "?"}: ${typeOf(it.kind)}`);
    if (operation.item !== undefined) members.push("limit?: number");
    said.push(`query${isNeeded ? "" : "?"}: { ${members.join("; ")} }`);
  }
  const answer = operation.item === undefined
    ? `Promise<${operation.answer === undefined ? "void" : typeOf(operation.answer)}>`
    : `Pages<${typeOf(operation.item)}>`;
  return `${comment(operation.description, "  ")}  ${operation.name}(${said.join(", ")}): ${answer};\n`;
}

export function javascript({ operations, types }) {
  const rows = operations.map(({ name, method, path, query, isVersioned, isRepeatable, isPatch, body, item, answer }) => {
    const row = {
      method, path, takesQuery: item !== undefined || query.length > 0 || undefined, isVersioned: isVersioned || undefined, isRepeatable: isRepeatable || undefined,
      takesBody: body !== undefined || undefined, isPatch: isPatch || undefined, isPaged: item !== undefined || undefined,
      hasAnswer: answer !== undefined || undefined,
    };
    const said = Object.entries(row).filter(([, value]) => value !== undefined);
    return `  ${name}: { ${said.map(([key, value]) => `${key}: ${quoted(value)}`).join(", ")} },\n`;
  });
  const table = `${NOTE}\nexport const OPERATIONS = {\n${rows.join("")}};\n`;
  const calls = `${NOTE}
import type { Pages } from "../index.js";

${types.map(typeText).join("\n")}
/** Every call of the management API. */
export interface Calls {
${operations.map(signature).join("")}}
`;
  return { "javascript/src/management/operations.js": table, "javascript/src/management/calls.d.ts": calls };
}
