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

const errorTexts = (errors: readonly FieldError[]): readonly string[] => errors.map(formatFieldError);

test("status.podIP overrides podIPs, and defaults to its first entry", () => {
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
  test(`a failed container with restartPolicy ${own ?? policy} in a pod with ${policy} ${expected.length === 0 ? "may" : "must not"} return to running`, () => {
    const container = own === undefined ? { name: "c" } : { name: "c", restartPolicy: own };
    const spec = { restartPolicy: policy, containers: [container] };
    assert.deepEqual(errorTexts(validatePodStatus({ spec, status: running }, { spec, status: ended })), expected);
  });

test("pod and host IPs must be valid, one for each IP family", () => {
  const errors = (status: JsonObject): readonly string[] => errorTexts(validatePodStatus({ status }, {}));
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

test("status counts must not exceed replicas, and collisionCount must not decrease", () => {
  const errors = (kind: "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet", after: JsonObject, before = {}) =>
    errorTexts(validateWorkloadStatus(kind, { status: after }, { status: before }));
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

test("dataSource and dataSourceRef are kept in step, and unsupported sources are dropped from dataSource", () => {
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

test("an invalid .dockercfg is refused with the error text of Go's JSON decoder", () => {
  const errors = (text: string): readonly string[] =>
    errorTexts(validateSecretType({ type: "kubernetes.io/dockercfg", data: { ".dockercfg": btoa(text) } }));
  const refused = 'data[.dockercfg]: Invalid value: "<secret contents redacted>": ';
  assert.deepEqual(errors("{"), [`${refused}unexpected end of JSON input`]);
  assert.deepEqual(errors("1"), [
    `${refused}json: cannot unmarshal number into Go value of type map[string]interface {}`,
  ]);
  assert.deepEqual(errors("null"), []);
});

test("a TLS secret with certificate and key exchanged gets a warning", () => {
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
  test(`the Windows user ${JSON.stringify(name)} is ${fault === undefined ? "accepted" : "refused"}`, () => {
    const errors = validateWindowsOptions({ runAsUserName: name }, "o").map(({ detail }) => detail);
    assert.deepEqual(errors, fault === undefined ? [] : [fault]);
  });

test("a selector is quoted with its fields in declaration order", () => {
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
  test(`a number in a ${struct} is refused as ${type}`, () => {
    assert.ok(decodeAs(struct, object).problem?.endsWith(` of type ${type}`), decodeAs(struct, object).problem);
  });
