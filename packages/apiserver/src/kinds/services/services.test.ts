import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { formatFieldError } from "@purser/kubernetes/object/field-error";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { WriteContext } from "../built-in-kind.ts";
import { numberIn, objectIn, objectsIn } from "../decoding/json-parts.ts";
import { serviceKind } from "./service-kind.ts";

const taken: JsonObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "other", namespace: "n" },
  spec: { clusterIP: "10.96.0.50", clusterIPs: ["10.96.0.50"], ports: [{ port: 80, nodePort: 30_080 }] },
};

const context: WriteContext = {
  now: "2026-01-01T00:00:00Z",
  entropy: new SeededEntropy(1),
  view: { get: () => undefined, list: () => [taken as unknown as KubeObject], unread: () => [] },
  dryRun: false,
  rootAuthority: "",
};

function read(spec: JsonObject): JsonObject {
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "s", namespace: "n" }, spec };
  return serviceKind.defaults(serviceKind.decode(service).value);
}

const web: JsonObject = { ports: [{ port: 80 }], selector: { a: "b" } };

interface Outcome {
  readonly spec: JsonObject;
  readonly errors: readonly string[];
}

function made(spec: JsonObject): Outcome {
  const service = serviceKind.prepareCreate(read(spec), context);
  const unallocated = serviceKind.unallocatable?.(service, context) ?? [];
  const errors = unallocated.length > 0 ? unallocated : serviceKind.validate(service, context);
  return { spec: objectIn(service, "spec"), errors: errors.map(formatFieldError) };
}

function changed(from: JsonObject, to: JsonObject): Outcome {
  const old = serviceKind.prepareCreate(read(from), context);
  const service = serviceKind.prepareUpdate(read(to), old, "main", context);
  const unallocated = serviceKind.unallocatable?.(service, context, old) ?? [];
  const errors = unallocated.length > 0 ? unallocated : serviceKind.validate(service, context, old, "main");
  return { spec: objectIn(service, "spec"), errors: errors.map(formatFieldError) };
}

const notDual =
  'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services';
const severalFamilies =
  "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified";

describe("families of services", () => {
  const open = { clusterIP: "None", ports: [{ port: 80 }] };
  for (const [what, spec, expected] of [
    ["default to SingleStack IPv4", web, { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" }],
    [
      "PreferDualStack gets only IPv4 on an IPv4 cluster",
      { ...web, ipFamilyPolicy: "PreferDualStack" },
      { ipFamilies: ["IPv4"] },
    ],
    ["a headless Service without selector gets both", open, { ipFamilies: ["IPv4", "IPv6"] }],
    [
      "a headless Service without selector and SingleStack gets IPv4",
      { ...open, ipFamilyPolicy: "SingleStack" },
      { ipFamilies: ["IPv4"] },
    ],
    ["a headless Service with selector gets IPv4", { ...open, selector: { a: "b" } }, { ipFamilies: ["IPv4"] }],
  ] as const)
    test(what, () => {
      const { spec: got, errors } = made(spec);
      assert.deepEqual(errors, []);
      assert.deepEqual({ ...got, ...expected }, got);
    });
  for (const [what, outcome, expected] of [
    ["RequireDualStack is refused on an IPv4 cluster", made({ ...web, ipFamilyPolicy: "RequireDualStack" }), [notDual]],
    ["RequireDualStack is refused on update", changed(web, { ...web, ipFamilyPolicy: "RequireDualStack" }), [notDual]],
    [
      "IPv6 is refused on an IPv4 cluster",
      made({ ...web, ipFamilies: ["IPv6"] }),
      ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    ],
    [
      "two families are refused without a dual-stack policy",
      made({ ...web, ipFamilies: ["IPv4", "IPv6"] }),
      [severalFamilies],
    ],
    [
      "two families are refused on update of a SingleStack Service",
      changed(web, { ...web, ipFamilies: ["IPv4", "IPv6"] }),
      [severalFamilies],
    ],
  ] as const)
    test(what, () => assert.deepEqual(outcome.errors, expected));
});

describe("addresses of services", () => {
  const errorsOf = (address: string): readonly string[] => made({ ...web, clusterIP: address }).errors;
  test("are allocated from the range", () => {
    assert.deepEqual(errorsOf("10.96.0.51"), []);
    assert.match(errorsOf("10.96.0.50").join("\n"), /provided IP is already allocated/u);
    assert.match(errorsOf("10.1.2.3").join("\n"), /The range of valid IPs is 10\.96\.0\.0\/16/u);
  });
  test("are kept on updates", () => {
    assert.deepEqual(changed({ ...web, clusterIP: "10.96.0.51" }, web).spec["clusterIPs"], ["10.96.0.51"]);
    assert.match(
      changed({ ...web, clusterIP: "10.96.0.51" }, { ...web, clusterIP: "10.96.0.52" }).errors.join("\n"),
      /may not change once set/u,
    );
  });
  test("are released by a change to ExternalName", () => {
    const { spec, errors } = changed(
      { ...web, clusterIP: "10.96.0.51" },
      { type: "ExternalName", externalName: "a.b" },
    );
    assert.deepEqual(errors, []);
    assert.equal(spec["clusterIP"] ?? spec["clusterIPs"] ?? spec["ipFamilies"], undefined);
  });
});

describe("ports of nodes", () => {
  const node = (port: JsonObject): JsonObject => ({ ...web, type: "NodePort", ports: [{ port: 80, ...port }] });
  test("are allocated, or requested within the range", () => {
    assert.ok((numberIn(objectsIn(made(node({})).spec, "ports")[0] ?? {}, "nodePort") ?? 0) >= 30_000);
    assert.deepEqual(made(node({ nodePort: 80 })).errors, [
      "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767",
    ]);
    assert.match(made(node({ nodePort: 30_080 })).errors.join("\n"), /provided port is already allocated/u);
  });
  test("are kept by port name", () => {
    const before = node({ nodePort: 31_000, name: "a" });
    assert.equal(objectsIn(changed(before, node({ port: 81, name: "a" })).spec, "ports")[0]?.["nodePort"], 31_000);
  });
  test("are released by a change to ClusterIP", () => {
    const { spec, errors } = changed(node({ nodePort: 31_000 }), { ...web, ports: [{ port: 80, nodePort: 31_000 }] });
    assert.deepEqual(errors, []);
    assert.equal(objectsIn(spec, "ports")[0]?.["nodePort"], undefined);
  });
  test("a health check port is allocated with externalTrafficPolicy Local", () => {
    const local = { ...web, type: "LoadBalancer", externalTrafficPolicy: "Local" };
    assert.ok((numberIn(made(local).spec, "healthCheckNodePort") ?? 0) >= 30_000);
    assert.equal(made({ ...local, externalTrafficPolicy: "Cluster" }).spec["healthCheckNodePort"], undefined);
  });
});
