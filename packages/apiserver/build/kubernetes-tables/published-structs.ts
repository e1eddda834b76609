import type { Property, PublishedSchema } from "./published-schemas.ts";
import { packageOf, shortName } from "./published-schemas.ts";

/** Whose struct bears a name without a prefix in kinds/fields, where several do and the core group has none. */
const unprefixed: ReadonlySet<string> = new Set(["apiextensions.v1", "authentication.v1"]);

/** The component of a struct of kinds/fields: `Pod`, or `events.Event` where its group does not own the short name. */
export function componentOf(struct: string, components: readonly string[]): string | undefined {
  const dot = struct.indexOf(".");
  const [group, name] = dot < 0 ? ["", struct] : [struct.slice(0, dot), struct.slice(dot + 1)];
  const named = components.filter((component) => shortName(component) === name);
  if (group !== "") return named.find((component) => packageOf(component).startsWith(`${group}.`));
  return (
    named.find((component) => packageOf(component) === "core.v1") ??
    (named.length === 1 ? named[0] : named.find((component) => unprefixed.has(packageOf(component)))) ??
    named.find((component) => packageOf(component) === "rbac.v1")
  );
}

function factsOf(name: string, property: Property, isRequired: boolean): string {
  const { enum: values, "x-kubernetes-list-type": list, "x-kubernetes-list-map-keys": keys } = property;
  const { "x-kubernetes-patch-strategy": strategy, "x-kubernetes-patch-merge-key": mergeKey } = property;
  const map = property["x-kubernetes-map-type"];
  const facts = [
    isRequired ? "!" : "",
    values === undefined ? "" : `=${values.join("|")}`,
    list === undefined ? "" : `@${list}${keys === undefined ? "" : `:${keys.join(",")}`}`,
    map === undefined ? "" : `~${map}`,
    strategy === undefined ? "" : `^${strategy}${mergeKey === undefined ? "" : `:${mergeKey}`}`,
  ].join("");
  return facts === "" ? "" : `${name}${facts}`;
}

/** `packages/apiserver/src/openapi/published-structs.gen.ts`: a line for each struct of kinds/fields that is published. */
export function publishedStructsFile(
  schemas: ReadonlyMap<string, PublishedSchema>,
  structs: readonly string[],
): string {
  const components = [...schemas.keys()];
  const lines = structs.toSorted().flatMap((struct) => {
    const component = componentOf(struct, components);
    if (component === undefined) return [];
    const { properties = {}, required = [], "x-kubernetes-map-type": map } = schemas.get(component) ?? {};
    const facts = Object.entries(properties)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, property]) => factsOf(name, property, required.includes(name)));
    return [
      [struct, packageOf(component), map === undefined ? "" : `~${map}`, ...facts]
        .filter((text) => text !== "")
        .join(" "),
    ];
  });
  return `// Written by packages/apiserver/build/kubernetes-tables from what Kubernetes v1.36.3 (Apache-2.0) publishes. Do not edit.
/**
 * How Kubernetes publishes the structs of its API, one per line: name, package, then what its schema says beyond names and
 * types of fields (those are in kinds/fields).
 * \`!\` required; \`=A|B\` the values that are allowed; \`@\` list type and \`:\` keys of its items; \`~\` map type, alone: of the
 * struct itself; \`^\` strategy of strategic merge patches and \`:\` merge key.
 */
export const publishedStructs = \`\n${lines.join("\n")}\n\`;
`;
}
