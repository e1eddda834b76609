/** The name in GraphQL of a key of a blob: camel case, letters and digits; `field_` goes before what begins with neither. As catalogd's. */
export function fieldName(key: string): string {
  if (key === "") return "value";
  const [first = "", ...rest] = key.split(/[^a-zA-Z0-9]+/).filter((part) => part !== "");
  const begin = first.toUpperCase() === first ? first.toLowerCase() : first.slice(0, 1).toLowerCase() + first.slice(1);
  const name = begin + rest.map(capitalized).join("");
  return /^[a-zA-Z]/.test(name) ? name : `field_${name}`;
}

/** The name of the GraphQL type for a schema of blobs or for a field: `olm.bundle` is `OlmBundle`; `Unknown` when no letter is left. As catalogd's. */
export function typeName(text: string): string {
  const parts = text
    .replaceAll(/[^a-zA-Z0-9]/g, "_")
    .replace(/^[0-9]+/, "")
    .split("_");
  const name = parts
    .filter((part) => part !== "")
    .map(capitalized)
    .join("");
  return name === "" ? "Unknown" : name;
}

/** The field of the query for the blobs of a schema: `olm.bundle` is `olmbundles`. */
export function queryFieldName(schema: string): string {
  return `${schema.replaceAll(/[^a-zA-Z0-9]/g, "").toLowerCase()}s`;
}

const capitalized = (part: string): string => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase();
