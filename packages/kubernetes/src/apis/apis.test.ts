import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../json.ts";
import { findCondition, withCondition } from "./condition.ts";
import { labelKeyFaults, labelValueFaults } from "./label-syntax.ts";
import { asKubeObject, formatKey, keyOf, parseKey } from "./object.ts";
import { apiVersionOf, groupResource, kindOf, parseApiVersion, resourcePath } from "./resource-type.ts";
import { clusterRoles, deployments, nodes, pods } from "./resources.ts";
import { readStatus, statusObject, statusOf, successObject } from "./status.ts";

test("a key is namespace and name, and comes back from its text", () => {
  for (const [key, text] of [
    [{ name: "n" }, "n"],
    [{ namespace: "ns", name: "n" }, "ns/n"],
    [{ namespace: "", name: "n" }, "/n"],
    [{ namespace: "ns", name: "a/b" }, "ns/a/b"],
  ] as const) {
    assert.equal(formatKey(key), text);
    assert.deepEqual(parseKey(text), key);
  }
  const object = { apiVersion: "v1", kind: "Pod" };
  assert.deepEqual(keyOf({ ...object, metadata: { namespace: "ns", name: "n", uid: "u" } }), {
    namespace: "ns",
    name: "n",
  });
  assert.deepEqual(keyOf({ ...object, metadata: { name: "n" } }), { name: "n" });
  assert.deepEqual(keyOf({ ...object, metadata: {} }), { name: "" });
});

test("JSON is an object of Kubernetes when it has a version, a kind and metadata or none", () => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } };
  assert.equal(asKubeObject(pod), pod);
  assert.deepEqual(asKubeObject({ apiVersion: "v1", kind: "Pod", a: 1 }), {
    apiVersion: "v1",
    kind: "Pod",
    a: 1,
    metadata: {},
  });
  const others: readonly (JsonValue | undefined)[] = [
    undefined,
    null,
    5,
    "v1",
    [pod],
    { kind: "Pod" },
    { apiVersion: "v1" },
    { apiVersion: 1, kind: "Pod" },
    { apiVersion: "v1", kind: 1 },
    { ...pod, metadata: null },
    { ...pod, metadata: "m" },
  ];
  for (const other of others) assert.equal(asKubeObject(other), undefined, JSON.stringify(other));
});

test("versions, kinds and resources are written as people and requests write them", () => {
  assert.equal(apiVersionOf(pods), "v1");
  assert.equal(apiVersionOf(deployments), "apps/v1");
  assert.deepEqual(parseApiVersion("v1"), { group: "", version: "v1" });
  assert.deepEqual(parseApiVersion("apps/v1"), { group: "apps", version: "v1" });
  assert.deepEqual(parseApiVersion("a/b/c"), { group: "a", version: "b/c" });
  assert.deepEqual(kindOf({ apiVersion: "apps/v1", kind: "Deployment", metadata: {} }), {
    group: "apps",
    version: "v1",
    kind: "Deployment",
  });
  assert.equal(groupResource(pods), "pods");
  assert.equal(groupResource(clusterRoles), "clusterroles.rbac.authorization.k8s.io");
});

test("the path of a request leads to a collection, an object or its subresource", () => {
  assert.equal(resourcePath(pods), "/api/v1/pods");
  assert.equal(resourcePath(pods, { namespace: "ns" }), "/api/v1/namespaces/ns/pods");
  assert.equal(resourcePath(pods, { namespace: "ns", name: "p" }, "status"), "/api/v1/namespaces/ns/pods/p/status");
  assert.equal(resourcePath(deployments, { name: "d" }), "/apis/apps/v1/deployments/d");
  assert.equal(resourcePath(nodes, { namespace: "ns", name: "a b/c" }), "/api/v1/nodes/a%20b%2Fc");
});

test("a refusal is a Status with the code of its reason, and is read back", () => {
  const details = { name: "p", group: "g", kind: "k", uid: "u", causes: [{ reason: "r", message: "m", field: "f" }] };
  const refusal = statusOf("Conflict", "changed", { ...details, retryAfterSeconds: 3 });
  assert.deepEqual(refusal, {
    code: 409,
    reason: "Conflict",
    message: "changed",
    details: { ...details, retryAfterSeconds: 3 },
  });
  assert.deepEqual(statusObject(refusal), {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "changed",
    reason: "Conflict",
    details: { ...details, retryAfterSeconds: 3 },
    code: 409,
  });
  assert.deepEqual(readStatus(500, statusObject(refusal)), refusal);
  const bare = statusOf("NotFound", "gone");
  assert.deepEqual(bare, { code: 404, reason: "NotFound", message: "gone" });
  assert.deepEqual(readStatus(500, statusObject(bare)), bare);
  const nameless = { code: 400, reason: "", message: "m" };
  assert.deepEqual(Object.keys(statusObject(nameless)), [
    "kind",
    "apiVersion",
    "metadata",
    "status",
    "message",
    "code",
  ]);
  assert.deepEqual(readStatus(500, statusObject(nameless)), nameless);
  assert.deepEqual(successObject({ name: "p" }), {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: "p" },
  });
});

test("what is no Status is a refusal with the code of the answer, and strange members are left out", () => {
  const unread = { code: 502, reason: "", message: "the server answered 502 without a Status" };
  for (const body of [undefined, null, "<html>", [], {}, { kind: "Pod" }, { kind: 5 }])
    assert.deepEqual(readStatus(502, body), unread);
  assert.deepEqual(readStatus(502, { kind: "Status" }), { code: 502, reason: "", message: "" });
  const strange = { name: 5, causes: ["x", { reason: 5, field: "f" }], retryAfterSeconds: "3" };
  assert.deepEqual(readStatus(502, { kind: "Status", code: "409", reason: 1, message: 2, details: strange }), {
    code: 502,
    reason: "",
    message: "",
    details: { causes: [{ field: "f" }] },
  });
  assert.deepEqual(readStatus(502, { kind: "Status", details: { causes: "x" } }).details, {});
  assert.deepEqual(readStatus(502, { kind: "Status", details: [] }), { code: 502, reason: "", message: "" });
});

test("a condition keeps the time of its last transition until its status changes", () => {
  const ready = {
    type: "Ready",
    status: "True",
    reason: "r",
    message: "m",
    lastTransitionTime: "then",
  } as const;
  const other = { ...ready, type: "Other" };
  const next = { type: "Ready", status: "True", reason: "s", message: "n", observedGeneration: 2 } as const;
  assert.deepEqual(withCondition(undefined, next, "now"), [{ ...next, lastTransitionTime: "now" }]);
  assert.deepEqual(withCondition([other], next, "now"), [other, { ...next, lastTransitionTime: "now" }]);
  assert.deepEqual(withCondition([ready, other], next, "now"), [{ ...next, lastTransitionTime: "then" }, other]);
  const failed = { ...next, status: "False" } as const;
  assert.deepEqual(withCondition([other, ready], failed, "now"), [other, { ...failed, lastTransitionTime: "now" }]);
  assert.equal(findCondition([other, ready], "Ready"), ready);
  assert.equal(findCondition([other], "Ready"), undefined);
  assert.equal(findCondition(undefined, "Ready"), undefined);
});

test("the faults of a label are named whole, at the borders of its length", () => {
  const name =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const subdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  const value =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const a = (count: number): string => "a".repeat(count);
  const keys: readonly (readonly [key: string, faults: readonly string[]])[] = [
    ["a", []],
    [a(21), []],
    [a(22), []],
    [a(63), []],
    [a(64), ["name part must be no more than 63 bytes"]],
    [`${a(253)}/b`, []],
    [`${a(254)}/b`, ["prefix part must be no more than 253 bytes"]],
    ["a_", [`name part ${name}`]],
    [`${a(30)}-`, [`name part ${name}`]],
    ["", ["name part must be non-empty", `name part ${name}`]],
    ["/", ["prefix part must be non-empty", "name part must be non-empty", `name part ${name}`]],
    ["a_b/c", [`prefix part ${subdomain}`]],
    ["a/b/c", [`a valid label key ${name} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]],
    ["é".repeat(32), ["name part must be no more than 63 bytes", `name part ${name}`]],
  ];
  assert.deepEqual(
    keys.map(([key]) => [key, labelKeyFaults(key)]),
    keys,
  );
  const values: readonly (readonly [text: string, faults: readonly string[]])[] = [
    ["", []],
    ["a", []],
    [a(63), []],
    [a(64), ["must be no more than 63 bytes"]],
    ["-", [value]],
    [`${a(40)}.`, [value]],
    [`${a(63)}.`, ["must be no more than 63 bytes", value]],
  ];
  assert.deepEqual(
    values.map(([text]) => [text, labelValueFaults(text)]),
    values,
  );
});
