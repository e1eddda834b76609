import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";

/** Every node of a schema by its path (`^.spec.list.items`), as upstream's upgrade check names them. */
export function schemaPaths(root: JsonObject): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  walk(root, "^", found);
  return found;
}

function walk(node: JsonObject, path: string, found: Map<string, JsonObject>): void {
  found.set(path, node);
  const visit = (value: JsonValue | undefined, below: string) => {
    if (isJsonObject(value)) walk(value, below, found);
  };
  const items = member(node, "items");
  if (Array.isArray(items)) for (const [i, item] of items.entries()) visit(item, `${path}.items[${i}]`);
  else visit(items, `${path}.items`);
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const branches = member(node, keyword);
    if (Array.isArray(branches))
      for (const [i, branch] of branches.entries()) visit(branch, `${path}.${keyword}[${i}]`);
  }
  visit(member(node, "not"), `${path}.not`);
  for (const [name, property] of membersOf(node, "properties")) visit(property, `${path}.${name}`);
  visit(member(node, "additionalProperties"), `${path}.additionalProperties`);
  for (const [name, schema] of membersOf(node, "patternProperties"))
    visit(schema, `${path}.patternProperties[${name}]`);
  visit(member(node, "additionalItems"), `${path}.additionalItems`);
  for (const keyword of ["definitions", "dependencies"]) {
    for (const [name, schema] of membersOf(node, keyword)) visit(schema, `${path}.${keyword}[${name}]`);
  }
}

function membersOf(node: JsonObject, keyword: string): readonly (readonly [string, JsonValue | undefined])[] {
  const held = member(node, keyword);
  return isJsonObject(held) ? Object.keys(held).map((name) => [name, member(held, name)] as const) : [];
}
