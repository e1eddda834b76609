import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import {
  convertsByWebhook,
  isEstablished,
  lostVersion,
  schemaRefusalText,
  schemaRefusals,
  versionsToCheck,
} from "./crd-compatibility.ts";
import { installedAlongside, withInstalledAlongside } from "./installed-alongside.ts";

const prefix = "operatorframework.io/installed-alongside-";

test("a CRD names the CSVs that it was installed with by annotations of one form; others are ignored", () => {
  const annotations = {
    [`${prefix}1`]: "ns/op.v1",
    [`${prefix}2`]: "op.v1",
    [`${prefix}3`]: "a/b/c",
    [`${prefix}4`]: "/op.v1",
    [`${prefix}5`]: "ns/",
    other: "ns/op.v2",
  };
  assert.deepEqual([...installedAlongside(annotations)], [[`${prefix}1`, { namespace: "ns", name: "op.v1" }]]);
  assert.equal(installedAlongside(undefined).size, 0);
});

test("a CRD that is written keeps its other annotations, and names the CSVs that exist and its own", () => {
  const own = { namespace: "ns", name: "op.v2" };
  const marks = (others: Parameters<typeof withInstalledAlongside>[1], csv = own) =>
    Object.entries(withInstalledAlongside({ [`${prefix}old`]: "ns/op.v1", kept: "yes" }, others, csv)).map(
      ([key, value]) => {
        assert.ok(key === "kept" || /^operatorframework.io\/installed-alongside-[0-9a-f]+$/.test(key), key);
        return value;
      },
    );
  assert.deepEqual(marks([{ namespace: "far", name: "x.v1" }]), ["yes", "far/x.v1", "ns/op.v2"]);
  assert.deepEqual(marks([], { namespace: "", name: "op.v2" }), ["yes"]);
  assert.deepEqual(marks([], { namespace: "ns", name: "" }), ["yes"]);
  assert.deepEqual(Object.values(withInstalledAlongside(undefined, [], own)), ["ns/op.v2"]);
});

type Version = readonly [name: string, served: boolean, schema?: object];

const crdOf = (
  versions: readonly Version[] | undefined,
  more: object = {},
  status?: object,
): CustomResourceDefinition =>
  ({
    spec: {
      group: "g.io",
      scope: "Namespaced",
      names: { kind: "A", plural: "as" },
      versions: versions?.map(([name, served, schema]) => ({
        name,
        served,
        ...(schema === undefined ? {} : { schema: { openAPIV3Schema: schema } }),
      })),
      ...more,
    },
    ...(status === undefined ? {} : { status }),
  }) as unknown as CustomResourceDefinition;

test("objects of versions that are served before and after have to stay readable", () => {
  const live = crdOf([
    ["v1", true],
    ["v2", false],
    ["v3", true],
  ]);
  const next = crdOf([
    ["v1", true],
    ["v2", true],
    ["v3", false],
    ["v4", true],
  ]);
  const type = { group: "g.io", version: "v1", kind: "A", plural: "as", namespaced: true };
  assert.deepEqual(versionsToCheck(live, next), [type]);
  assert.deepEqual(versionsToCheck(live, crdOf([["v1", true]], { scope: "Cluster" })), [
    { ...type, namespaced: false },
  ]);
  assert.deepEqual([versionsToCheck(crdOf(undefined), next), versionsToCheck(live, crdOf(undefined))], [[], []]);
});

test("objects that the new schema of their version refuses are named with every field; without a schema none is", () => {
  const type = { group: "g.io", version: "v1", kind: "A", plural: "as", namespaced: true };
  const schema = { type: "object", required: ["a", "b"], properties: { a: { type: "string" }, b: { type: "string" } } };
  const object = (name: string | undefined, namespace: string | undefined, fields: object) =>
    ({
      metadata: { ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) },
      ...fields,
    }) as never;
  const objects = [
    object("x", "ns", { a: "1" }),
    object("y", undefined, {}),
    object("z", "ns", { a: "1", b: "1" }),
    object(undefined, "ns", { b: "1" }),
  ];
  const found = [...schemaRefusals(crdOf([["v1", true, schema]]), type, objects)];
  assert.deepEqual(found, [
    { object: "ns/x", fields: "[].b: Required value" },
    { object: "y", fields: "[[].a: Required value, [].b: Required value]" },
    { object: "ns/", fields: "[].a: Required value" },
  ]);
  assert.equal(
    schemaRefusalText(type, { object: "ns/x", fields: "f" }),
    'error validating g.io/v1, Kind=A "ns/x": updated validation is too restrictive: f',
  );
  assert.deepEqual([...schemaRefusals(crdOf([["v2", true, schema]]), type, objects)], []);
  assert.deepEqual([...schemaRefusals(crdOf([["v1", true]]), type, objects)], []);
});

test("a stored version that is removed is lost, a webhook converts, and a CRD is established when its names are accepted too", () => {
  const stored = crdOf([["v1", true]], {}, { storedVersions: ["v1", "v2", "v3"] });
  assert.equal(
    lostVersion(
      stored,
      crdOf([
        ["v1", true],
        ["v3", false],
      ]),
    ),
    "v2",
  );
  assert.equal(lostVersion(stored, crdOf(undefined)), "v1");
  assert.equal(lostVersion(crdOf([]), crdOf([])), undefined);
  const conversions = ["Webhook", "None"].map((strategy) => convertsByWebhook(crdOf([], { conversion: { strategy } })));
  assert.deepEqual([...conversions, convertsByWebhook(crdOf([]))], [true, false, false]);
  const conditions = (established: string, names: string) =>
    isEstablished(
      crdOf(
        [],
        {},
        {
          conditions: [
            { type: "Established", status: established },
            { type: "NamesAccepted", status: names },
            { type: "Other", status: "True" },
          ],
        },
      ),
    );
  assert.deepEqual(
    [conditions("True", "True"), conditions("False", "True"), conditions("True", "False"), isEstablished(crdOf([]))],
    [true, false, false, false],
  );
});
