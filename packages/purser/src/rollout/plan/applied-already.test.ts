import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { appliedAlready, differences, hasAllOf } from "./applied-already.ts";

const manager = "us";
const wanted = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a", labels: { app: "a" }, resourceVersion: "7" },
  spec: { ports: [{ port: 80 }], selector: { app: "a" } },
} as KubeObject;
const fields: JsonObject = {
  "f:metadata": { "f:labels": { "f:app": {} } },
  "f:spec": { "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } }, "f:selector": {} },
};

function live(change: JsonObject = {}, owned: JsonObject = fields): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "a",
      uid: "u",
      resourceVersion: "9",
      labels: { app: "a", other: "b" },
      managedFields: [{ manager, operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: owned }],
    },
    spec: { ports: [{ port: 80, protocol: "TCP" }], selector: { app: "a" }, clusterIP: "10.0.0.1", ...change },
  } as KubeObject;
}

test("an object that holds all that is wanted, with defaults and labels of other field managers, needs no write", () => {
  assert.equal(appliedAlready(live(), wanted, manager), true);
});

const changes: readonly (readonly [string, KubeObject])[] = [
  ["a value that drifted", live({ selector: { app: "b" } })],
  ["a list that grew", live({ ports: [{ port: 80 }, { port: 81 }] })],
  ["a removed field", live({ selector: {} })],
  ["a field of ours that is wanted no longer", live({}, { ...fields, "f:data": {} })],
  [
    "a list item of ours that is wanted no longer",
    live({}, { "f:spec": { "f:ports": { 'k:{"port":81,"protocol":"TCP"}': { ".": {} } } } }),
  ],
  ["an object that we never applied", { ...live(), metadata: { name: "a", labels: { app: "a" } } }],
];

for (const [what, object] of changes)
  test(`${what} has to be applied`, () => {
    assert.equal(appliedAlready(object, wanted, manager), false);
  });

test("differences name every field that is missing or has another value, with the value, and a missing owner", () => {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "o" };
  const owning = { ...wanted, metadata: { ...wanted.metadata, annotations: { a: "b" }, ownerReferences: [owner] } };
  const drifted = live({ selector: { app: "b" }, ports: [{ port: 80, protocol: "TCP" }] });
  assert.deepEqual(
    [...differences(drifted, owning)],
    [
      ["/metadata/annotations", null],
      ["/spec/selector/app", "b"],
      ["/metadata/ownerReferences", []],
    ],
  );
  const owned = { ...live(), metadata: { ...live().metadata, ownerReferences: [{ ...owner, uid: "other" }, owner] } };
  assert.deepEqual(
    [
      hasAllOf(owned, { ...wanted, metadata: { ...wanted.metadata, ownerReferences: [owner] } }),
      hasAllOf(drifted, wanted),
    ],
    [true, false],
  );
});
