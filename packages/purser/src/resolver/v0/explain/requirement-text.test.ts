// Which of several requirements that nothing meets gives the text: OLM keeps one constraint per formula, the last one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "../../../catalog/loading/load.ts";
import { indexOf } from "../../../catalog/memory-index.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { resolveNow } from "../../resolution.ts";
import { resolveNamespace } from "../resolve-namespace.ts";
import type { NamespaceInput } from "../input.ts";

const api: JsonObject = { type: "olm.gvk.required", value: { group: "g.io", version: "v1", kind: "K" } };
const other: JsonObject = { type: "olm.gvk.required", value: { group: "g.io", version: "v1", kind: "L" } };
const packageX: JsonObject = { type: "olm.package.required", value: { packageName: "x", versionRange: ">=1.0.0" } };
const label: JsonObject = { type: "olm.label.required", value: { label: "lts" } };
const rule: JsonObject = { type: "olm.constraint", value: { cel: { rule: "false" }, failureMessage: "never" } };
const deprecated: JsonObject = { type: "olm.deprecated", value: {} };

/** A world in which a Subscription wants `a.v1`, which has these properties and cannot be installed. */
function world(properties: readonly JsonObject[]): NamespaceInput {
  const blobs = [
    { schema: "olm.package", name: "a", defaultChannel: "stable" },
    { schema: "olm.channel", package: "a", name: "stable", entries: [{ name: "a.v1" }] },
    {
      schema: "olm.bundle",
      package: "a",
      name: "a.v1",
      image: "i",
      properties: [{ type: "olm.package", value: { packageName: "a", version: "1.0.0" } }, ...properties],
    },
  ];
  const text = blobs.map((blob) => JSON.stringify(blob)).join("\n");
  return {
    namespace: "ns",
    globalNamespace: "olm",
    catalogs: [
      {
        key: { namespace: "olm", name: "cat" },
        priority: 0,
        content: { kind: "present", index: indexOf(loadCatalog([{ file: "catalog.json", text }]).blobs) },
      },
    ],
    subscriptions: [
      {
        apiVersion: "operators.coreos.com/v1alpha1",
        kind: "Subscription",
        metadata: { namespace: "ns", name: "s" },
        spec: { name: "a", source: "cat", sourceNamespace: "olm", channel: "stable" },
      },
    ],
    clusterServiceVersions: [],
    operatorGroups: [
      {
        apiVersion: "operators.coreos.com/v1",
        kind: "OperatorGroup",
        metadata: { namespace: "ns", name: "og" },
        spec: {},
      },
    ],
  };
}

/** The one text about the bundle. */
function named(properties: readonly JsonObject[]): string {
  const outcome = resolveNow(resolveNamespace(world(properties)));
  const texts = outcome.kind === "unsatisfiable" ? outcome.constraints : [outcome.kind];
  return texts.filter((text) => !text.startsWith("subscription ")).join("; ");
}

const needs = (what: string): string => `bundle a.v1 requires an operator ${what}`;
const texts = {
  api: needs("providing an API with group: g.io, version: v1, kind: K"),
  other: needs("providing an API with group: g.io, version: v1, kind: L"),
  package: needs("with package: x and with version in range: >=1.0.0"),
  label: needs("with label: lts"),
};

const table: readonly (readonly [string, readonly JsonObject[], string])[] = [
  ["an API before a label: the registry states the API again, last", [api, label], texts.api],
  ["a label before an API", [label, api], texts.api],
  ["a package before a label: the registry states the package again, last", [packageX, label], texts.package],
  ["an API before a CEL rule", [api, rule], texts.api],
  ["two APIs around a label: the last of the two", [api, label, other], texts.other],
  ["an API and a package before a label: the later one of the properties", [api, packageX, label], texts.package],
  ["labels and rules are stated once", [rule, label], texts.label],
  ["a deprecation gives way to a requirement", [api, deprecated], texts.api],
];

for (const [name, properties, expected] of table) test(name, () => assert.equal(named(properties), expected));
