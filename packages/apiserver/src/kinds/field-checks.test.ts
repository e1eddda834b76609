import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { formatFieldError, type FieldError } from "@purser/kubernetes/object/field-error";
import { withSources } from "./storage/claim-source-validation.ts";
import { decodeAs } from "./decoding/decode.ts";
import { validatePodStatus, withAddresses } from "./pods/pod-status-validation.ts";
import { validateWindowsOptions } from "./pods/pod-windows-validation.ts";
import { secretWarnings, validateSecretType } from "./secret-validation.ts";
import { invalidSelector } from "./workloads/selector-validation.ts";
import { validateWorkloadStatus } from "./workloads/workload-status-validation.ts";

const told = (errors: readonly FieldError[]): readonly string[] => errors.map(formatFieldError);

test("a pod's own address wins over its list, and the list's first stands for a missing one", () => {
  const [one, two] = ["10.1.0.1", "10.1.0.2"];
  assert.deepEqual(withAddresses({ podIP: one, podIPs: [{ ip: two }] }), { podIP: one, podIPs: [{ ip: one }] });
  assert.deepEqual(withAddresses({ podIPs: [{ ip: two }] }), { podIP: two, podIPs: [{ ip: two }] });
  assert.deepEqual(withAddresses({ podIP: one }), { podIP: one, podIPs: [{ ip: one }] });
  assert.deepEqual(withAddresses({}), {});
});

const ended = { containerStatuses: [{ name: "c", state: { terminated: { exitCode: 1 } } }] };
const running = { containerStatuses: [{ name: "c", state: { running: {} } }] };
const transition = ["status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"];

for (const [policy, own, expected] of [
  ["Always", undefined, []],
  ["OnFailure", undefined, []],
  ["Never", undefined, transition],
  ["Never", "Always", []],
] as const)
  test(`a container that failed under ${own ?? policy} of a pod under ${policy} ${expected.length === 0 ? "runs" : "does not run"} again`, () => {
    const container = own === undefined ? { name: "c" } : { name: "c", restartPolicy: own };
    const spec = { restartPolicy: policy, containers: [container] };
    assert.deepEqual(told(validatePodStatus({ spec, status: running }, { spec, status: ended })), expected);
  });

test("addresses of a pod and its node are addresses, one for each family", () => {
  const errors = (status: JsonObject): readonly string[] => told(validatePodStatus({ status }, {}));
  assert.deepEqual(errors({ podIPs: [{ ip: "x" }] }), [
    'status.podIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ]);
  assert.deepEqual(errors({ podIPs: [{ ip: "10.1.0.1" }, { ip: "fd00::1" }] }), []);
  assert.deepEqual(errors({ podIPs: [{ ip: "10.1.0.1" }, { ip: "10.1.0.2" }] }), [
    'status.podIPs: Invalid value: [{"IP":"10.1.0.1"},{"IP":"10.1.0.2"}]: may specify no more than one IP for each IP family',
  ]);
  assert.deepEqual(errors({ hostIPs: [{ ip: "10.1.0.1" }] }), [
    'status.hostIPs[0].ip: Invalid value: "10.1.0.1": must be equal to `hostIP`',
  ]);
});

test("a workload counts no more parts than it has, and forgets no collision", () => {
  const errors = (kind: "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet", after: JsonObject, before = {}) =>
    told(validateWorkloadStatus(kind, { status: after }, { status: before }));
  assert.deepEqual(errors("Deployment", { replicas: 1, updatedReplicas: 2 }), [
    "status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas",
  ]);
  assert.deepEqual(errors("DaemonSet", { numberReady: -1 }), [
    "status.numberReady: Invalid value: -1: must be greater than or equal to 0",
  ]);
  assert.deepEqual(errors("StatefulSet", {}, { collisionCount: 1 }), [
    "status.collisionCount: Invalid value: 0: cannot be decremented",
  ]);
  assert.deepEqual(errors("ReplicaSet", {}, { collisionCount: 1 }), []);
});

const claimOf = (kind: string): JsonObject => ({ apiGroup: null, kind, name: "n" });

test("a claim names its source twice, and drops what the older name cannot say", () => {
  const known = claimOf("PersistentVolumeClaim");
  assert.deepEqual(withSources({ dataSource: { kind: "PersistentVolumeClaim", name: "n" } }, undefined), {
    dataSource: { kind: "PersistentVolumeClaim", name: "n" },
    dataSourceRef: known,
  });
  assert.deepEqual(withSources({ dataSource: { kind: "Other", name: "n" } }, undefined), {});
  assert.deepEqual(withSources({ dataSourceRef: claimOf("Other") }, undefined), {
    dataSourceRef: claimOf("Other"),
    dataSource: claimOf("Other"),
  });
  assert.deepEqual(withSources({ dataSourceRef: { ...known, namespace: "far" } }, undefined), {});
});

test("Docker's configuration is refused in the words of Go's reader of JSON", () => {
  const errors = (text: string): readonly string[] =>
    told(validateSecretType({ type: "kubernetes.io/dockercfg", data: { ".dockercfg": btoa(text) } }));
  const refused = 'data[.dockercfg]: Invalid value: "<secret contents redacted>": ';
  assert.deepEqual(errors("{"), [`${refused}unexpected end of JSON input`]);
  assert.deepEqual(errors("1"), [
    `${refused}json: cannot unmarshal number into Go value of type map[string]interface {}`,
  ]);
  assert.deepEqual(errors("null"), []);
});

test("a TLS secret with its halves exchanged is warned of", () => {
  const pem = (type: string): string => btoa(`-----BEGIN ${type}-----\nAA==\n-----END ${type}-----\n`);
  const data = { "tls.crt": pem("PRIVATE KEY"), "tls.key": pem("CERTIFICATE") };
  assert.deepEqual(secretWarnings({ type: "kubernetes.io/tls", data }), [
    "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
  ]);
});

for (const [name, fault] of [
  ["", "runAsUserName cannot be an empty string"],
  ["a\\b\\c", "runAsUserName cannot contain more than one backslash"],
  ["DOMAIN\\", "runAsUserName's User cannot be empty"],
  ["..", "runAsUserName's User cannot contain only periods or spaces"],
  ["NT AUTHORITY\\SYSTEM", undefined],
] as const)
  test(`the Windows user ${JSON.stringify(name)} is ${fault === undefined ? "one" : "none"}`, () => {
    const errors = validateWindowsOptions({ runAsUserName: name }, "o").map(({ detail }) => detail);
    assert.deepEqual(errors, fault === undefined ? [] : [fault]);
  });

test("a selector is quoted in the order of its declaration", () => {
  const selector = { matchExpressions: [{ key: "k", operator: "Exists" }], matchLabels: { b: "1", a: "2" } };
  assert.equal(
    formatFieldError(invalidSelector("s", selector, "no")),
    's: Invalid value: {"matchLabels":{"a":"2","b":"1"},"matchExpressions":[{"key":"k","operator":"Exists"}]}: no',
  );
});

for (const [struct, object, type] of [
  ["Secret", { type: 5 }, "v1.SecretType"],
  ["PersistentVolumeClaim", { spec: { accessModes: [5] } }, "v1.PersistentVolumeAccessMode"],
  ["PersistentVolumeClaim", { spec: { accessModes: 5 } }, "[]v1.PersistentVolumeAccessMode"],
  ["ConfigMap", { data: { a: 5 } }, "string"],
] as const)
  test(`a number in a ${struct} is none of ${type}`, () => {
    assert.ok(decodeAs(struct, object).problem?.endsWith(` of type ${type}`), decodeAs(struct, object).problem);
  });
