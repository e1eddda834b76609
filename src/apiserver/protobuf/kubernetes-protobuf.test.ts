import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { protobufDecoders } from "./kubernetes-protobuf.ts";

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
