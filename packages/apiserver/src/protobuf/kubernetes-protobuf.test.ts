import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "@purser/kubernetes/json";
import { decodeAs } from "../kinds/decoding/decode.ts";
import { protobufDecoders } from "./kubernetes-protobuf.ts";
import { deleteOptionsKind, requestKinds } from "./request-kinds.ts";

const decoders = protobufDecoders();
const core = (kind: string) => decoders.decoderOfKind({ group: "", version: "v1", kind })!;

test("a ConfigMap of a typed Go client is read as its JSON form", () => {
  const read = core("ConfigMap")(
    Buffer.from("azhzAAoPCgJ2MRIJQ29uZmlnTWFwEh4KFAoCcGIaBGRlbW9aCAoDYXBwEgF4EgYKAWsSAXYaACIA", "base64"),
  );
  assert.ok(read.ok);
  assert.deepEqual(read.value.value, {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "pb", namespace: "demo", labels: { app: "x" } },
    data: { k: "v" },
  });
});

test("a Service keeps a named target port", () => {
  const bytes =
    "azhzAAoNCgJ2MRIHU2VydmljZRIzCgsKA3BicxoEZGVtbxIkChoKBGh0dHASA1RDUBhQIgkIARAAGgN3ZWIoABIGCgFhEgFiGgAiAA==";
  const read = core("Service")(Buffer.from(bytes, "base64"));
  assert.ok(read.ok);
  assert.deepEqual((read.value.value as { spec?: unknown }).spec, {
    ports: [{ name: "http", protocol: "TCP", port: 80, targetPort: "web", nodePort: 0 }],
    selector: { a: "b" },
  });
});

test("DeleteOptions keep a grace period of zero", () => {
  const read = decoders.deleteOptions!(
    Buffer.from("azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxIOCAAiCkJhY2tncm91bmQaACIA", "base64"),
  );
  assert.ok(read.ok);
  assert.deepEqual(read.value.value, {
    kind: "DeleteOptions",
    apiVersion: "v1",
    gracePeriodSeconds: 0,
    propagationPolicy: "Background",
  });
});

test("any bytes give an object or a refusal, never a throw", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (tail) => {
      const read = core("Pod")(Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0x00]), tail]));
      return read.ok || read.problem.code === 400;
    }),
  );
});

/**
 * One object of every kind in the table, with every field of every struct set somewhere: made by a Go program that fills
 * the types of Kubernetes 1.36.3 by reflection and writes them as typed clients do, as JSON and (`pb`, base64) as protobuf.
 */
const objectsOfGo = readFileSync(join(import.meta.dirname, "testing/go-objects.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as { readonly kind: string; readonly json: JsonObject; readonly pb: string });

for (const { group, version, kind } of requestKinds())
  test(`${group || "core"}/${version} ${kind}: an object of a typed Go client is the same in protobuf as in JSON`, () => {
    const found = objectsOfGo.find((object) => object.kind === `${group || "core"} ${version} ${kind}`);
    assert.ok(found !== undefined, "it is not among the recorded objects");
    const decode =
      group === deleteOptionsKind.group ? decoders.deleteOptions : decoders.decoderOfKind({ group, version, kind });
    const read = decode?.(Buffer.from(found.pb, "base64"));
    assert.ok(read?.ok, JSON.stringify(read));
    const struct = group === "events.k8s.io" ? "events.Event" : kind;
    const { value, unknown } = decodeAs(struct, read.value.value as JsonObject);
    assert.deepEqual(value, decodeAs(struct, found.json).value);
    assert.deepEqual(unknown, []);
  });

function field(number: number, value: string): string {
  return `${String.fromCharCode((number << 3) | 2, value.length)}${value}`;
}

function configMap(raw: string) {
  return core("ConfigMap")(
    Buffer.from(`k8s\0${field(1, field(1, "v1") + field(2, "ConfigMap"))}${field(2, raw)}`, "latin1"),
  );
}

/** What kube-apiserver 1.36.3 reads of such bytes. */
const odd: readonly (readonly [what: string, raw: string, read: JsonObject])[] = [
  ["an entry without a key", field(2, ""), { data: { "": "" } }],
  ["an entry without a value", field(2, field(1, "k")), { data: { k: "" } }],
  ["an entry of bytes without a value", field(3, field(1, "k")), { binaryData: { k: "" } }],
  [
    "metadata in two pieces",
    field(1, field(1, "x")) + field(1, field(3, "ns")),
    { metadata: { name: "x", namespace: "ns" } },
  ],
  ["a field that a later version may have", field(15, "zz"), {}],
  ["a zero that is set", "\x20\0", { immutable: false }],
  ["a truth that is not 1", "\x20\x07", { immutable: true }],
  [
    "the first second of 1970",
    field(1, field(8, "\x08\0\x10\0")),
    { metadata: { creationTimestamp: "1970-01-01T00:00:00Z" } },
  ],
  ["a time that is not set", field(1, field(8, "")), { metadata: { creationTimestamp: null } }],
];

for (const [what, raw, expected] of odd)
  test(`reads ${what} as Go's decoder does`, () => {
    const read = configMap(raw);
    assert.ok(read.ok, JSON.stringify(read));
    assert.deepEqual(read.value.value, { kind: "ConfigMap", apiVersion: "v1", ...expected });
  });

/** What kube-apiserver 1.36.3 says about such bytes. */
const malformed: readonly (readonly [raw: string, fault: string])[] = [
  ["\x10\x01", "proto: wrong wireType = 0 for field Data"],
  ["\x08\x01", "proto: wrong wireType = 0 for field ObjectMeta"],
  [field(1, "\x28\x01"), "proto: wrong wireType = 0 for field UID"],
  ["\x0a\x32abc", "unexpected EOF"],
  [`${field(1, "\x0a\x02x")}${field(2, "")}`, "unexpected EOF"],
  ["\x0c", "proto: ConfigMap: wiretype end group for non-group"],
  ["\x02\0", "proto: ConfigMap: illegal tag 0 (wire type 2)"],
  ["\x7e", "proto: illegal wireType 6"],
  ["\x7a\x28", "unexpected EOF"],
  [`\x0a${"\xff".repeat(10)}\x01`, "proto: integer overflow"],
  ["\x80", "unexpected EOF"],
];

for (const [raw, fault] of malformed)
  test(`refuses ${Buffer.from(raw, "latin1").toString("hex")} with "${fault}"`, () => {
    const read = configMap(raw);
    assert.ok(!read.ok);
    assert.equal(read.problem.message, `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${fault}`);
  });

test("a MicroTime keeps its microseconds, a Time its whole seconds only", () => {
  const time = (seconds: number, nanos: readonly number[]) =>
    `\x08${String.fromCharCode(seconds)}\x10${String.fromCharCode(...nanos)}`;
  // 678,901,999 nanoseconds as a varint.
  const fraction = [0xef, 0xf1, 0xdc, 0xc3, 0x02];
  const raw = field(1, field(8, time(5, fraction))) + field(2, field(4, time(5, fraction)));
  const lease = { group: "coordination.k8s.io", version: "v1", kind: "Lease" };
  const read = decoders.decoderOfKind(lease)!(Buffer.from(`k8s\0${field(2, raw)}`, "latin1"));
  assert.ok(read.ok);
  const { metadata, spec } = read.value.value as { readonly metadata: JsonObject; readonly spec: JsonObject };
  assert.equal(metadata["creationTimestamp"], "1970-01-01T00:00:05Z");
  assert.equal(spec["renewTime"], "1970-01-01T00:00:05.678901Z");
});
