// What the calls are and which types they use, read from the description (OpenAPI 3.1).

/** Parameters that would change what an answer is. */
const PARAMETERS_LEFT_OUT = ["limit", "after", "format"];

const nameIn = (ref) => ref.split("/").at(-1);
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const camel = (text) => text.split(/[_-]/).filter(Boolean).map(capital).join("");

const isNullable = (schema) =>
  (Array.isArray(schema.type) && schema.type.includes("null")) || (schema.type === undefined && schema.enum?.includes(null) === true);
const isTexts = (values) => values?.every((value) => value === null || typeof value === "string") === true;

function plainType(schema) {
  if (schema.type === undefined && isTexts(schema.enum)) return "string";
  return Array.isArray(schema.type) ? schema.type.find((it) => it !== "null") : schema.type;
}

export function modelOf(description) {
  const { parameters, schemas } = description.components;
  const types = new Map();

  /** What a schema is, in a few words: a name, a list, a map, a text, a number, a truth, or anything. */
  function kindOf(schema, name) {
    if (schema.$ref !== undefined) return named(nameIn(schema.$ref));
    const type = plainType(schema);
    if (type === "array") return { list: kindOf(schema.items ?? {}, name) };
    if (type === "object" && schema.properties !== undefined) return own(name, schema);
    if (type === "object") {
      const values = schema.additionalProperties;
      return { map: typeof values === "object" ? kindOf(values, name) : { any: true } };
    }
    if (type === "string") return { text: true, values: schema.enum?.filter((value) => value !== null) };
    if (type === "integer") return { whole: true };
    if (type === "number") return { number: true };
    if (type === "boolean") return { truth: true };
    return { any: true };
  }

  function named(name) {
    return own(name, schemas[name]);
  }

  /** A type of its own: of the description, or of an object inside one. */
  function own(name, schema) {
    if (plainType(schema) !== "object" || schema.properties === undefined) return kindOf(schema, name);
    if (!types.has(name)) {
      const type = { name, description: schema.description, fields: [] };
      types.set(name, type);
      const required = new Set(schema.required ?? []);
      for (const [field, of] of Object.entries(schema.properties)) {
        type.fields.push({
          name: field, description: of.description, kind: kindOf(of, `${name}${camel(field)}`),
          isRequired: required.has(field), isNullable: isNullable(of),
        });
      }
    }
    return { type: name };
  }

  function operation(method, path, said) {
    const all = (said.parameters ?? []).map((it) => (it.$ref === undefined ? it : parameters[nameIn(it.$ref)]));
    const of = (place) => all.filter((it) => it.in === place && !PARAMETERS_LEFT_OUT.includes(it.name));
    const answer = Object.entries(said.responses).find(([status]) => status.startsWith("2"))[1];
    const schema = answer.content?.["application/json"]?.schema;
    const body = said.requestBody?.content["application/json"].schema;
    const isPaged = schema?.properties?.items !== undefined && schema.properties.next !== undefined;
    const id = capital(said.operationId);
    return {
      name: said.operationId, method: method.toUpperCase(), path, description: said.description, tag: said.tags[0],
      path_parameters: of("path").map((it) => it.name),
      query: of("query").map((it) => ({
        name: it.name, description: it.description, kind: kindOf(it.schema, `${id}${camel(it.name)}`), isRequired: it.required === true,
      })),
      isVersioned: all.some((it) => it.name === "If-Match"),
      isRepeatable: all.some((it) => it.name === "Idempotency-Key"),
      isPatch: said.requestBody?.content["application/merge-patch+json"] !== undefined,
      body: body && kindOf(body, `${id}Body`),
      item: isPaged ? kindOf(schema.properties.items.items, `${id}Item`) : undefined,
      answer: schema === undefined || isPaged ? undefined : kindOf(schema, `${id}Answer`),
    };
  }

  const operations = [];
  for (const [path, methods] of Object.entries(description.paths)) {
    if (!path.startsWith("/manage/")) continue;
    for (const [method, said] of Object.entries(methods)) {
      const isStream = Object.values(said.responses).some((it) => it.content?.["text/event-stream"] !== undefined);
      // A stream of events is no call with an answer.
      if (!isStream) operations.push(operation(method, path, said));
    }
  }
  operations.sort((one, other) => (one.name < other.name ? -1 : 1));
  const sorted = [...types.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { operations, types: sorted };
}
