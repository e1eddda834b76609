import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { mergedObject } from "./merged-object.ts";

const deployment = (spec: JsonObject, labels: JsonObject = {}): JsonObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "manager", labels },
  spec,
});

test("fields of the next version are set, fields that only the previous one had go, and others stay", () => {
  const live = deployment({ replicas: 3, paused: true, minReadySeconds: 5 }, { own: "1", old: "1" });
  const previous = deployment({ replicas: 1, minReadySeconds: 5 }, { old: "1" });
  const next = deployment({ replicas: 2 }, { fresh: "1" });
  assert.deepEqual(
    mergedObject(live, previous, next),
    deployment({ replicas: 2, paused: true }, { own: "1", fresh: "1" }),
  );
});

test("members that someone else added stay when the version no longer names what holds them", () => {
  const live: JsonObject = { ...deployment({}, { own: "1", old: "1" }) };
  const next: JsonObject = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "manager" }, spec: {} };
  assert.deepEqual(mergedObject(live, deployment({}, { old: "1" }), next), deployment({}, { own: "1" }));
});

test("without a previous version nothing is removed", () => {
  const live = deployment({ paused: true });
  assert.deepEqual(
    mergedObject(live, undefined, deployment({ replicas: 2 })),
    deployment({ paused: true, replicas: 2 }),
  );
});

test("containers merge by name; one that someone else added stays behind those of the version", () => {
  const pod = (...containers: readonly JsonObject[]): JsonObject => deployment({ template: { spec: { containers } } });
  const live = pod({ name: "sidecar" }, { name: "manager", image: "a:1", tty: true }, { name: "proxy" });
  assert.deepEqual(
    mergedObject(
      live,
      pod({ name: "manager", image: "a:1" }, { name: "proxy" }),
      pod({ name: "init" }, { name: "manager", image: "a:2" }),
    ),
    pod({ name: "init" }, { name: "manager", image: "a:2", tty: true }, { name: "sidecar" }),
  );
});

test("lists without keys and atomic maps are replaced as a whole", () => {
  const live = deployment({
    selector: { matchLabels: { a: "1", b: "2" } },
    template: { spec: { nodeSelector: { a: "1", b: "2" } } },
  });
  const next = deployment({ template: { spec: { nodeSelector: { c: "3" } } } });
  assert.deepEqual(
    mergedObject(live, undefined, next),
    deployment({
      selector: { matchLabels: { a: "1", b: "2" } },
      template: { spec: { nodeSelector: { c: "3" } } },
    }),
  );
  const role = (rules: readonly JsonObject[]): JsonObject => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    rules,
  });
  assert.deepEqual(
    mergedObject(role([{ verbs: ["a"] }, { verbs: ["b"] }]), undefined, role([{ verbs: ["c"] }])),
    role([{ verbs: ["c"] }]),
  );
});
