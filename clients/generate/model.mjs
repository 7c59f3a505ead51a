// Reads operations and types from the OpenAPI 3.1 description.

/** Parameters that the library handles itself, or that change the type of the response. */
const OMITTED_PARAMETERS = ["limit", "after", "format"];

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

export function buildModel(description) {
  const { parameters, schemas } = description.components;
  const types = new Map();

  /** Reduces a schema to a named type, a list, a map, a string, an integer, a number, a boolean, or anything. */
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

  /** Registers a named type: a schema of the description, or an object nested in one. */
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

  function operation(method, path, described) {
    const all = (described.parameters ?? []).map((it) => (it.$ref === undefined ? it : parameters[nameIn(it.$ref)]));
    const of = (place) => all.filter((it) => it.in === place && !OMITTED_PARAMETERS.includes(it.name));
    const answer = Object.entries(described.responses).find(([status]) => status.startsWith("2"))[1];
    const schema = answer.content?.["application/json"]?.schema;
    const body = described.requestBody?.content["application/json"].schema;
    const isPaged = schema?.properties?.items !== undefined && schema.properties.next !== undefined;
    const id = capital(described.operationId);
    return {
      name: described.operationId, method: method.toUpperCase(), path, description: described.description, tag: described.tags[0],
      path_parameters: of("path").map((it) => it.name),
      query: of("query").map((it) => ({
        name: it.name, description: it.description, kind: kindOf(it.schema, `${id}${camel(it.name)}`), isRequired: it.required === true,
      })),
      isVersioned: all.some((it) => it.name === "If-Match"),
      acceptsIdempotencyKey: all.some((it) => it.name === "Idempotency-Key"),
      isPatch: method === "patch",
      body: body && kindOf(body, `${id}Body`),
      item: isPaged ? kindOf(schema.properties.items.items, `${id}Item`) : undefined,
      answer: schema === undefined || isPaged ? undefined : kindOf(schema, `${id}Answer`),
    };
  }

  const operations = [];
  for (const [path, methods] of Object.entries(description.paths)) {
    if (!path.startsWith("/manage/")) continue;
    for (const [method, described] of Object.entries(methods)) {
      const isStream = Object.values(described.responses).some((it) => it.content?.["text/event-stream"] !== undefined);
      // The event stream is not a request with a response.
      if (!isStream) operations.push(operation(method, path, described));
    }
  }
  operations.sort((one, other) => (one.name < other.name ? -1 : 1));
  const sorted = [...types.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { operations, types: sorted };
}
