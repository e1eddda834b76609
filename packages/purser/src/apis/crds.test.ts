import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { test } from "node:test";
import { load, loadAll } from "js-yaml";
import { manifests } from "../../build/crds-generator/manifests.ts";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { ownTypes } from "./olm-resources.ts";
import type { Shape } from "./testing/declared-shape.ts";
import { declaredShape } from "./testing/declared-shape.ts";
import { aggregatedRoles } from "./v0/aggregated-roles.ts";
import { reservedGroupsPolicy } from "./v0/reserved-groups-policy.ts";
import { deprecationPolicy } from "./v1/deprecation-policy.ts";
import { tenantPolicies } from "./v0/tenant-grants-policies.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";

const directory = resolve(import.meta.dirname, "../../crds");
const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
/** Objects that come with the CRDs: admission policies, roles for users. */
const companions: ReadonlyMap<string, readonly KubeObject[]> = new Map<string, readonly KubeObject[]>([
  [
    "operators.coreos.com_clusterserviceversions-policy.yaml",
    [reservedGroupsPolicy.policy, reservedGroupsPolicy.binding],
  ],
  ["operators.coreos.com_tenant-policies.yaml", tenantPolicies.flatMap(({ policy, binding }) => [policy, binding])],
  ["operators.coreos.com_roles.yaml", aggregatedRoles],
  ["olm.operatorframework.io_clusterextensions-policy.yaml", [deprecationPolicy.policy, deprecationPolicy.binding]],
]);

function read(path: string): CustomResourceDefinition {
  return load(readFileSync(resolve(directory, path), "utf8")) as CustomResourceDefinition;
}

const definitions = files.filter((path) => !path.includes("/") && !companions.has(path)).map(read);

test("every own type has its CRD with the same group, plural, scope and a served version, and no other CRD is there", () => {
  for (const type of ownTypes) {
    const { spec } = definitions.find(({ spec: { names } }) => names.kind === type.kind) ?? assert.fail(type.kind);
    assert.deepEqual(
      [spec.group, spec.names.plural, spec.scope],
      [type.group, type.plural, type.namespaced ? "Namespaced" : "Cluster"],
    );
    assert.ok(
      spec.versions.some(({ name, served, storage }) => name === type.version && served && storage),
      type.kind,
    );
  }
  assert.equal(definitions.length, ownTypes.length);
});

const shortNames: Readonly<Record<string, readonly string[]>> = {
  CatalogSource: ["catsrc"],
  Subscription: ["sub", "subs"],
  InstallPlan: ["ip"],
  ClusterServiceVersion: ["csv", "csvs"],
  OperatorGroup: ["og"],
  OperatorCondition: ["condition"],
};

test("short names, the category olm of v0, status subresources and the served versions are upstream's", () => {
  for (const { spec } of definitions) {
    assert.deepEqual(spec.names.shortNames ?? [], shortNames[spec.names.kind] ?? []);
    assert.deepEqual(spec.names.categories ?? [], spec.group === "operators.coreos.com" ? ["olm"] : []);
    for (const version of spec.versions) assert.deepEqual(version.subresources, { status: {} });
  }
  const versions = (kind: string): readonly string[] | undefined =>
    definitions.find(({ spec }) => spec.names.kind === kind)?.spec.versions.map(({ name }) => name);
  assert.deepEqual(versions("OperatorGroup"), ["v1", "v1alpha2"]);
  assert.deepEqual(versions("OperatorCondition"), ["v1", "v2"]);
});

test("every file is what the generator writes, small enough for kubectl apply, and says which set it belongs to", () => {
  const written = manifests();
  assert.deepEqual([...written.keys()].toSorted(), files.toSorted());
  for (const [path, text] of written) {
    assert.equal(
      readFileSync(resolve(directory, path), "utf8"),
      text,
      `run node build/crds-generator/main.ts (${path})`,
    );
    assert.ok(statSync(resolve(directory, path)).size < 262_144, path);
    const objects = companions.get(path);
    if (objects !== undefined) {
      assert.deepEqual(loadAll(text), objects);
      continue;
    }
    const { metadata, spec } = read(path);
    assert.equal(metadata.name, `${spec.names.plural}.${spec.group}`);
    assert.equal(basename(path), `${spec.group}_${spec.names.plural}.yaml`);
    const generator = metadata.annotations?.["olm.operatorframework.io/generator"];
    const expected = path.startsWith("standard/") ? "standard" : "experimental";
    assert.equal(generator, spec.group === "olm.operatorframework.io" ? expected : undefined);
  }
});

test("the standard set of v1 lacks exactly the experimental fields", () => {
  const difference = (path: string): readonly string[] => {
    const fieldsOf = (file: string): readonly string[] => schemaPaths(schemaOf(read(file), "v1"), "");
    const standard = new Set(fieldsOf(`standard/${path}`));
    return fieldsOf(path).filter((field) => !standard.has(field));
  };
  assert.deepEqual(difference("olm.operatorframework.io_clustercatalogs.yaml"), []);
  const extension = difference("olm.operatorframework.io_clusterextensions.yaml");
  assert.deepEqual(
    extension.filter((field) => !/^\.(spec\.config|status\.activeRevisions)\b./.test(field)),
    [".spec.config", ".spec.progressDeadlineMinutes", ".status.install.bundle.release", ".status.activeRevisions"],
  );
});

test("the embedded pod template carries no descriptions", () => {
  const csv = definitions.find(({ spec }) => spec.names.kind === "ClusterServiceVersion") ?? assert.fail();
  const template = at(schemaOf(csv, "v1alpha1"), "spec", "install", "spec", "deployments", "spec", "template");
  assert.ok(JSON.stringify(template).length > 30_000);
  assert.ok(!JSON.stringify(template).includes('"description":"'));
});

function schemaOf(definition: CustomResourceDefinition, version: string): JsonObject {
  const schema = definition.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  return schema ?? assert.fail(`${definition.metadata.name} ${version}`);
}

function objectAt(schema: JsonObject, key: string): JsonObject {
  const held = member(schema, key);
  return isJsonObject(held) ? held : {};
}

/** The schema of a field, through lists. */
function at(schema: JsonObject, ...path: readonly string[]): JsonObject {
  let current = schema;
  for (const name of path) {
    if (current["type"] === "array") current = objectAt(current, "items");
    current = objectAt(objectAt(current, "properties"), name);
  }
  return current;
}

function schemaPaths(schema: JsonObject, path: string): readonly string[] {
  const inner = schema["type"] === "array" ? objectAt(schema, "items") : schema;
  return Object.keys(objectAt(inner, "properties")).flatMap((name) => [
    `${path}.${name}`,
    ...schemaPaths(objectAt(objectAt(inner, "properties"), name), `${path}.${name}`),
  ]);
}

/** Kubernetes' own types list what controllers use; ours must be complete. */
const partial = ["core.ts", "apps.ts"];

function scalar(schema: JsonObject): string {
  if (schema["x-kubernetes-int-or-string"] === true) return "any";
  const names: Readonly<Record<string, string>> = { string: "text", integer: "number", number: "number" };
  const type = schema["type"];
  return typeof type === "string" ? (names[type] ?? type) : "any";
}

/** Every disagreement between a declared type and a schema, as sentences. */
function disagreements(shape: Shape, schema: JsonObject, path: string): readonly string[] {
  switch (shape.kind) {
    case "any":
      return [];
    case "map":
      return schema["type"] === "object" ? [] : [`${path} is a map in the type only`];
    case "text":
    case "number":
    case "boolean":
      return ["any", shape.kind].includes(scalar(schema)) ? [] : [`${path} is ${scalar(schema)}, not ${shape.kind}`];
    case "list":
      return schema["type"] === "array"
        ? disagreements(shape.item, objectAt(schema, "items"), `${path}[]`)
        : [`${path} is a list in the type only`];
    case "object": {
      if (schema["x-kubernetes-preserve-unknown-fields"] === true) return [];
      const properties = objectAt(schema, "properties");
      const required = (schema["required"] ?? []) as readonly JsonValue[];
      const found: string[] = [];
      for (const [name, { optional, shape: inner }] of shape.members) {
        const property = member(properties, name);
        if (!isJsonObject(property)) found.push(`${path}.${name} is in the type only`);
        else {
          if (optional === required.includes(name))
            found.push(`${path}.${name} is ${optional ? "" : "not "}required by the CRD`);
          found.push(...disagreements(inner, property, `${path}.${name}`));
        }
      }
      if (!partial.includes(basename(shape.file)))
        for (const name of Object.keys(properties))
          if (!shape.members.has(name)) found.push(`${path}.${name} is in the CRD only`);
      return found;
    }
  }
}

for (const type of ownTypes)
  test(`the type ${type.kind} has the fields of its CRD, required where the CRD requires them`, () => {
    const directories: Readonly<Record<string, string>> = { "operators.coreos.com": "v0", "purser.dev": "policy" };
    const family = directories[type.group] ?? "v1";
    const words = type.kind.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-").toLowerCase();
    const shape = declaredShape(resolve(import.meta.dirname, family, `${words}.ts`), type.kind);
    assert.ok(shape.kind === "object");
    const definition = definitions.find(({ spec }) => spec.names.kind === type.kind) ?? assert.fail();
    const schema = schemaOf(definition, type.version);
    const required = (schema["required"] ?? []) as readonly JsonValue[];
    const found: string[] = [];
    for (const part of ["spec", "status"]) {
      const declared = shape.members.get(part);
      assert.ok(declared !== undefined, part);
      assert.equal(declared.optional, !required.includes(part), `${part} of ${type.kind}`);
      found.push(...disagreements(declared.shape, at(schema, part), `.${part}`));
    }
    assert.deepEqual(found, []);
  });

test("a policy that needs its parameters to judge lets writes of other groups pass while those are not served", () => {
  const spec = ({ policy }: (typeof tenantPolicies)[number]): JsonObject => policy["spec" as never];
  const judged = tenantPolicies.map(spec).filter((policy) => member(policy, "paramKind") !== undefined);
  assert.deepEqual(
    judged.map((policy) => {
      const group = JSON.stringify(member(policy, "matchConstraints")).match(/"apiGroups":\["([^"]*)"\]/)?.[1];
      return [group, member(policy, "failurePolicy")];
    }),
    [
      ["operators.coreos.com", "Fail"],
      ["", "Ignore"],
    ],
  );
});
