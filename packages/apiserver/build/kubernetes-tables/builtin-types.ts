import type { Property, PublishedSchema } from "./published-schemas.ts";
import { packageOf, referenceOf, shortName } from "./published-schemas.ts";

/** Groups of v1 whose objects clients of this repository do not merge. */
const leftOut: ReadonlySet<string> = new Set(["flowcontrol.apiserver.k8s.io", "resource.k8s.io"]);
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Components that are no structs. What may hold anything has no schema worth the name. */
const scalarComponents: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "time",
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "microTime",
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "any",
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "intOrString",
  "io.k8s.apimachinery.pkg.runtime.RawExtension": "{any}!",
  [`${extensions}.JSON`]: "any",
  [`${extensions}.JSONSchemaPropsOrArray`]: "any",
  [`${extensions}.JSONSchemaPropsOrBool`]: "any",
  [`${extensions}.JSONSchemaPropsOrStringArray`]: "any",
  [`${extensions}.CustomResourceSubresourceStatus`]: "any",
};

type Schemas = ReadonlyMap<string, PublishedSchema>;

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly component: string;
}

/** Kinds of objects, sorted by group, version and kind; lists and options have another metadata, or none. */
function kindsOf(schemas: Schemas): readonly Kind[] {
  return [...schemas]
    .flatMap(([component, { properties, "x-kubernetes-group-version-kind": kinds = [] }]) => {
      const { metadata } = properties ?? {};
      if (metadata === undefined || referenceOf(metadata) !== objectMeta) return [];
      return kinds
        .filter(({ group }) => !leftOut.has(group))
        .map(({ group, version, kind }) => ({
          apiVersion: group === "" ? version : `${group}/${version}`,
          kind,
          component,
        }));
    })
    .toSorted((one, other) => (`${one.apiVersion} ${one.kind}` < `${other.apiVersion} ${other.kind}` ? -1 : 1));
}

/** Components of structs in the order in which they are met from the kinds on, each before its fields. */
function reached(schemas: Schemas, kinds: readonly Kind[]): readonly string[] {
  const found = new Set<string>();
  const visit = (component: string | undefined): void => {
    if (component === undefined || found.has(component) || Object.hasOwn(scalarComponents, component)) return;
    found.add(component);
    for (const property of Object.values(schemas.get(component)?.properties ?? {}))
      visit(referenceOf(property.items ?? property.additionalProperties ?? property));
  };
  for (const { component } of kinds) visit(component);
  return [...found];
}

/** Where several structs have one name, those outside of the core group get their group, or group and version, as a prefix. */
function namesOf(components: readonly string[]): ReadonlyMap<string, string> {
  const named = (name: string) => components.filter((component) => shortName(component) === name);
  return new Map(
    components.map((component) => {
      const name = shortName(component);
      const [group = "", version = ""] = packageOf(component).split(".");
      const others = named(name).filter((other) => other !== component);
      if (others.length === 0 || group === "core") return [component, name];
      const isSameGroup = others.some((other) => packageOf(other).startsWith(`${group}.`));
      return [component, `${group}${isSameGroup ? version : ""}.${name}`];
    }),
  );
}

function typeOf(property: Property, names: ReadonlyMap<string, string>): string {
  const reference = referenceOf(property);
  if (reference !== undefined) return scalarComponents[reference] ?? names.get(reference) ?? "";
  switch (property.type) {
    case "array": {
      const keys = property["x-kubernetes-list-map-keys"] ?? [];
      const mode = property["x-kubernetes-list-type"];
      const mark = mode === "map" ? `map(${keys.join(" ")})` : mode === "set" ? "set" : "";
      return `[${typeOf(property.items ?? {}, names)}]${mark}`;
    }
    case "object":
      return property.additionalProperties === undefined
        ? "any"
        : `{${typeOf(property.additionalProperties, names)}}${property["x-kubernetes-map-type"] === "atomic" ? "!" : ""}`;
    case "integer":
    case "number":
      return property.format ?? "double";
    case "boolean":
      return "bool";
    case "string":
      return property.format === "byte" ? "bytes" : "string";
    case undefined:
    default:
      return "any";
  }
}

function fieldText(name: string, property: Property, required: boolean, names: ReadonlyMap<string, string>): string {
  const strategies = property["x-kubernetes-patch-strategy"]?.split(",") ?? [];
  const { default: fallback } = property;
  const always = isEmptyObject(fallback);
  return [
    `${name}:${typeOf(property, names)}`,
    strategies.includes("merge") ? `~${property["x-kubernetes-patch-merge-key"] ?? ""}` : "",
    strategies.includes("replace") ? "^" : "",
    always ? "+" : required ? "*" : "",
    always || fallback === undefined ? "" : `=${JSON.stringify(fallback)}`,
  ].join("");
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** `packages/kubernetes/src/object/apply/builtin-types.gen.ts`. */
export function builtinTypesFile(schemas: Schemas): string {
  const kinds = kindsOf(schemas);
  const components = reached(schemas, kinds);
  const names = namesOf(components);
  const types = components.map((component) => {
    const { properties = {}, required = [], "x-kubernetes-map-type": mapType } = schemas.get(component) ?? {};
    const fields = Object.entries(properties)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, property]) => fieldText(name, property, required.includes(name), names));
    return `${names.get(component) ?? ""}${mapType === "atomic" ? "!" : ""} ${fields.join(", ")}`;
  });
  const kindLines = kinds.map(({ apiVersion, kind, component }) =>
    [apiVersion, kind, ...(names.get(component) === kind ? [] : [names.get(component)])].join(" "),
  );
  return `// Written by packages/apiserver/build/kubernetes-tables from what Kubernetes v1.36.3 (Apache-2.0) publishes. Do not edit.
/**
 * The types of the built-in kinds as Kubernetes declares them, one a line: name (\`!\`: an atomic struct), then its fields.
 * A field is \`name:type\` and marks: \`~key\` strategic merge patch merges the list by that key (\`~\` alone: as a set), \`^\` it
 * replaces the object, \`+\` the server's model always holds it, \`*\` it is required, \`=value\` its default in JSON. A type is a
 * scalar, another line's name, \`{type}\` a map (\`!\`: atomic), \`[type]\` an atomic list, \`[type]set\`, \`[type]map(keys)\`.
 */
export const builtinTypes = \`\n${types.join("\n")}\n\`;

/** Served kinds: group and version, kind, and the type's name where it is not the kind's. */
export const builtinKinds = \`\n${kindLines.join("\n")}\n\`;
`;
}
