import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";

/** Where a value breaks a JSON Schema, for the keywords that our own schemas use; an unknown keyword is a throw. */
export function schemaProblems(value: JsonValue, schema: JsonObject, root: JsonObject, path = ""): readonly string[] {
  const problems: string[] = [];
  for (const [keyword, given = null] of Object.entries(schema)) {
    switch (keyword) {
      case "$schema":
      case "$id":
      case "$defs":
      case "title":
      case "description":
        break;
      case "$ref": {
        const name = (given as string).replace("#/$defs/", "");
        const target = (root["$defs"] as JsonObject)[name];
        if (!isJsonObject(target)) throw new Error(`no definition ${name}`);
        problems.push(...schemaProblems(value, target, root, path));
        break;
      }
      case "type":
        if (typeName(value) !== given) problems.push(`${path} is ${typeName(value)}, not ${given as string}`);
        break;
      case "const":
        if (!deepEqual(value, given)) problems.push(`${path} is not ${JSON.stringify(given)}`);
        break;
      case "enum":
        if (!(given as readonly JsonValue[]).includes(value)) problems.push(`${path} is none of the values`);
        break;
      case "pattern":
        if (typeof value === "string" && !new RegExp(given as string).test(value))
          problems.push(`${path} does not match`);
        break;
      case "oneOf": {
        const tried = (given as readonly JsonObject[]).map((one) => schemaProblems(value, one, root, path));
        if (tried.filter((found) => found.length === 0).length !== 1)
          problems.push(`${path} fits not exactly one: ${tried.map((found) => found[0] ?? "fits").join("; ")}`);
        break;
      }
      case "required":
        for (const name of given as readonly string[])
          if (isJsonObject(value) && value[name] === undefined) problems.push(`${path}.${name} is missing`);
        break;
      case "items":
        if (Array.isArray(value))
          for (const [index, item] of (value as readonly JsonValue[]).entries())
            problems.push(...schemaProblems(item, given as JsonObject, root, `${path}[${index}]`));
        break;
      case "properties":
        for (const [name, member] of Object.entries(isJsonObject(value) ? value : {})) {
          const known = (given as JsonObject)[name];
          if (isJsonObject(known)) problems.push(...schemaProblems(member ?? null, known, root, `${path}.${name}`));
        }
        break;
      case "additionalProperties":
        for (const [name, member] of Object.entries(isJsonObject(value) ? value : {})) {
          if ((schema["properties"] as JsonObject | undefined)?.[name] !== undefined) continue;
          if (given === false) problems.push(`${path}.${name} is not known`);
          else problems.push(...schemaProblems(member ?? null, given as JsonObject, root, `${path}.${name}`));
        }
        break;
      default:
        throw new Error(`keyword ${keyword}`);
    }
  }
  return problems;
}

function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}
