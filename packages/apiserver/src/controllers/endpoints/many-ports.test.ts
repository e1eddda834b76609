import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod, Service } from "@purser/kubernetes/apis/core";
import type { JsonObject } from "@purser/kubernetes/json";
import { allSteps } from "@purser/kubernetes/steps";
import { numberIn, objectsIn, textIn, textsIn } from "../../kinds/decoding/json-parts.ts";
import { hasLabels } from "../label-lookup.ts";
import { selectorOf, slicesOf, subsetsOf } from "./service-endpoints.ts";
import { countedSteps } from "@purser/kubernetes/testing/counted-steps";

const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

const service = (ports: readonly JsonObject[], selector: Readonly<Record<string, string>> = { app: "a" }): Service =>
  ({ apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { selector, ports } }) as unknown as Service;

const pod = (index: number, ports: readonly JsonObject[] = []): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `p${index}`, namespace: "n", uid: `u${index}`, labels: { app: "a" } },
    spec: { containers: [{ name: "c", ports }] },
    status: { podIP: `10.0.0.${index}`, conditions: [{ type: "Ready", status: "True" }] },
  }) as unknown as Pod;

test("pods with other numbers for a named port are other subsets; a name that no container has is left out", () => {
  const ports = [
    { name: "web", port: 80, protocol: "TCP", targetPort: "http" },
    { name: "dns", port: 53, protocol: "UDP", targetPort: "http" },
    { name: "fix", port: 9, protocol: "TCP", targetPort: 99 },
  ];
  const containers = [
    [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    [
      { name: "http", containerPort: 8081, protocol: "TCP" },
      { name: "http", containerPort: 8082, protocol: "TCP" },
      { name: "http", containerPort: 53, protocol: "UDP" },
    ],
    [],
  ];
  const pods = containers.map((held, index) => pod(index + 1, held));
  const offered = allSteps(slicesOf(service(ports), pods)).map(({ ports: held, endpoints }) => [
    held.map((one) => `${textIn(one, "name")}:${numberIn(one, "port")}/${textIn(one, "protocol")}`).join(" "),
    endpoints.flatMap((one) => textsIn(one, "addresses")).join(" "),
  ]);
  assert.deepEqual(offered, [
    ["web:8080/TCP fix:99/TCP", "10.0.0.1"],
    ["web:8081/TCP dns:53/UDP fix:99/TCP", "10.0.0.2"],
    ["fix:99/TCP", "10.0.0.3"],
  ]);
  const subsets = allSteps(subsetsOf(service(ports), pods)).map((subset) => [
    objectsIn(subset, "ports")
      .map((one) => `${textIn(one, "name")}:${numberIn(one, "port")}`)
      .join(" "),
    objectsIn(subset, "addresses")
      .map((one) => textIn(one, "ip"))
      .join(" "),
  ]);
  assert.deepEqual(subsets, [
    ["web:8080", "10.0.0.1"],
    ["fix:99", "10.0.0.1 10.0.0.2 10.0.0.3"],
    ["dns:53 web:8081", "10.0.0.2"],
  ]);
});

for (const [what, target, pauses] of [
  ["numbers", 99, 1],
  ["names", "http", 30],
] as const)
  test(`the 2,000 ports of a Service whose targets are ${what} are written once for all pods, with pauses`, () => {
    let reads = 0;
    const ports = many(2_000, (index) => ({
      name: `p${index}`,
      get port() {
        reads++;
        return index;
      },
      get protocol() {
        reads++;
        return "TCP";
      },
      targetPort: target,
    }));
    const pods = many(100, (index) => pod(index, [{ name: "http", containerPort: 80, protocol: "TCP" }]));
    const { value, pauses: found } = countedSteps(subsetsOf(service(ports), pods));
    assert.equal(value.length, 1);
    assert.ok(reads <= 6_000, `${reads} reads of ports`);
    assert.ok(found >= pauses, `${found} pauses`);
  });

test("labels are compared until one differs", () => {
  let reads = 0;
  const selector = Object.defineProperties(
    {},
    Object.fromEntries(
      many(1_000, (index) => [
        index === 0 ? "app" : `k${index}`,
        { enumerable: true, get: () => (reads++, index === 0 ? "a" : "x") },
      ]),
    ),
  ) as Readonly<Record<string, string>>;
  assert.equal(hasLabels(pod(1), selector), false);
  assert.ok(reads <= 2, `${reads} reads`);
  assert.equal(hasLabels(pod(1), { app: "a" }), true);
  assert.equal(hasLabels(pod(1), { app: "b" }), false);
  assert.equal(hasLabels(pod(1), { toString: "x" }), false);
  assert.equal(selectorOf(service([], {})), undefined);
});
