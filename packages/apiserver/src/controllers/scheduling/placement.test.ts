import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { placeFor } from "./placement.ts";
import { demandOf } from "./requests.ts";
import { NodeUsage } from "./usage.ts";

function pod(spec: JsonObject = {}, container: JsonObject = {}): Pod {
  const containers = [{ name: "c", image: "i", ...container }];
  return { kind: "Pod", apiVersion: "v1", metadata: { name: "p" }, spec: { containers, ...spec } } as unknown as Pod;
}

function node(name: string, spec: JsonObject = {}, labels: JsonObject = {}, allocatable: JsonObject = {}): KubeObject {
  return {
    kind: "Node",
    apiVersion: "v1",
    metadata: { name, labels },
    spec,
    status: { allocatable: { cpu: "2", memory: "4Gi", pods: "10", ...allocatable } },
  } as unknown as KubeObject;
}

const taint = (effect: string): JsonObject => ({ taints: [{ key: "k", value: "v", effect }] });
const term = (terms: readonly JsonObject[]): JsonObject => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
});
const named = (...values: readonly string[]): JsonObject => ({
  matchFields: [{ key: "metadata.name", operator: "In", values }],
});
const asks = (requests: JsonObject): JsonObject => ({ resources: { requests } });

/** Result for a pod on nodes without pods: the node's name, or the reasons without the part about preemption. */
function place(held: Pod, nodes: readonly KubeObject[], usage = new NodeUsage()): string {
  const placement = placeFor(
    held,
    nodes.map((one) => ({ node: one, used: usage.usedOf(one.metadata.name ?? "") })),
  );
  return placement.kind === "node" ? placement.name : placement.message.replace(/ no new claims.*$/, "");
}

const none = (reasons: string, nodes = 1): string => `0/${nodes} nodes are available: ${reasons}.`;

for (const [what, held, nodes, expected] of [
  ["a pod goes to the only node", pod(), [node("a")], "a"],
  ["reports a cluster without nodes", pod(), [], "no nodes available to schedule pods"],
  ["does not use a cordoned node", pod(), [node("a", { unschedulable: true })], none("1 node(s) were unschedulable")],
  [
    "uses a cordoned node when the pod tolerates it",
    pod({ tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] }),
    [node("a", { unschedulable: true })],
    "a",
  ],
  [
    "does not use a node with a NoSchedule taint",
    pod(),
    [node("a", taint("NoSchedule"))],
    none("1 node(s) had untolerated taint(s)"),
  ],
  [
    "does not use a node with a NoExecute taint",
    pod(),
    [node("a", taint("NoExecute"))],
    none("1 node(s) had untolerated taint(s)"),
  ],
  [
    "uses a tainted node when the pod tolerates it",
    pod({ tolerations: [{ key: "k", operator: "Equal", value: "v", effect: "NoSchedule" }] }),
    [node("a", taint("NoSchedule"))],
    "a",
  ],
  ["prefers a node without a PreferNoSchedule taint", pod(), [node("a", taint("PreferNoSchedule")), node("b")], "b"],
  [
    "uses a node that matches the node selector",
    pod({ nodeSelector: { disk: "ssd" } }),
    [node("a"), node("b", {}, { disk: "ssd" })],
    "b",
  ],
  [
    "reports a selector that no node matches",
    pod({ nodeSelector: { disk: "ssd" } }),
    [node("a"), node("b")],
    none("2 node(s) didn't match Pod's node affinity/selector", 2),
  ],
  [
    "matches any term of required node affinity",
    pod(
      term([
        { matchExpressions: [{ key: "x", operator: "Exists" }] },
        { matchExpressions: [{ key: "y", operator: "In", values: ["1"] }] },
      ]),
    ),
    [node("a"), node("b", {}, { y: "1" })],
    "b",
  ],
  ["affinity may name the node", pod(term([named("b")])), [node("a"), node("b")], "b"],
  [
    "reports nodes outside a name affinity separately from unschedulable ones",
    pod(term([named("b")])),
    [node("a"), node("b", { unschedulable: true })],
    none("1 node(s) didn't satisfy plugin(s) [NodeAffinity], 1 node(s) were unschedulable", 2),
  ],
  [
    "reports contradictory node names in affinity",
    pod(
      term([
        {
          matchFields: [...(named("a")["matchFields"] as JsonObject[]), ...(named("b")["matchFields"] as JsonObject[])],
        },
      ]),
    ),
    [node("a")],
    none("pod affinity terms conflict"),
  ],
  [
    "reports insufficient cpu and memory",
    pod({}, asks({ cpu: "3", memory: "5Gi" })),
    [node("a")],
    none("1 Insufficient cpu, 1 Insufficient memory"),
  ],
  [
    "reports a missing extended resource",
    pod({}, asks({ "ex.io/gpu": "1" })),
    [node("a")],
    none("1 Insufficient ex.io/gpu"),
  ],
  [
    "counts nodes by reason",
    pod({}, asks({ cpu: "3" })),
    [node("a"), node("b", { unschedulable: true }), node("c", {}, {}, { pods: "0", cpu: "8" })],
    none("1 Insufficient cpu, 1 Too many pods, 1 node(s) were unschedulable", 3),
  ],
] as const satisfies readonly (readonly [string, Pod, readonly KubeObject[], string])[])
  test(what, () => assert.equal(place(held, nodes), expected));

test("the preemption message distinguishes full nodes from unsuitable ones", () => {
  const usage = new NodeUsage();
  usage.assume("ns/other", "a", demandOf(pod({}, asks({ cpu: "1500m" }))));
  const message = (held: Pod): string => {
    const placement = placeFor(
      held,
      [node("a"), node("b", { unschedulable: true })].map((one) => ({
        node: one,
        used: usage.usedOf(one.metadata.name ?? ""),
      })),
    );
    return placement.kind === "none" ? placement.message.slice(placement.message.indexOf("no new claims")) : "";
  };
  const head = "no new claims to deallocate, preemption:";
  assert.equal(
    message(pod({}, asks({ cpu: "1" }))),
    `${head} 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.`,
  );
  assert.equal(
    message(pod({}, asks({ cpu: "9" }))),
    `${head} 0/2 nodes are available: 2 Preemption is not helpful for scheduling.`,
  );
  assert.equal(
    message(pod({ preemptionPolicy: "Never" }, asks({ cpu: "1" }))),
    `${head} not eligible due to preemptionPolicy=Never.`,
  );
});

test("finished and deleted pods free resources, assumed ones use them", () => {
  const usage = new NodeUsage();
  const heavy = pod({}, asks({ cpu: "2" }));
  const bound = { ...heavy, spec: { ...heavy.spec, nodeName: "a" } } as Pod;
  const ended = { ...bound, status: { phase: "Succeeded" } } as Pod;
  assert.equal(usage.note("ns/p", bound), false);
  assert.equal(place(heavy, [node("a")], usage), none("1 Insufficient cpu"));
  assert.equal(usage.note("ns/p", ended), true);
  assert.equal(place(heavy, [node("a")], usage), "a");
  usage.assume("ns/q", "a", demandOf(heavy));
  assert.equal(place(heavy, [node("a")], usage), none("1 Insufficient cpu"));
  assert.equal(usage.note("ns/q", undefined), true);
  assert.deepEqual(usage.usedOf("a"), { pods: 0, amounts: new Map(), ports: [] });
});

test("two pods cannot use the same host port, except on different addresses", () => {
  const port = (hostIP: string, protocol = "TCP"): Pod =>
    pod({}, { ports: [{ containerPort: 80, hostPort: 8080, hostIP, protocol }] });
  const taken = none("1 node(s) didn't have free ports for the requested pod ports");
  for (const [first, second, expected] of [
    [port(""), port(""), taken],
    [port("0.0.0.0"), port("10.0.0.1"), taken],
    [port("10.0.0.1"), port("10.0.0.2"), "a"],
    [port("", "UDP"), port(""), "a"],
  ] as const) {
    const usage = new NodeUsage();
    usage.assume("ns/p", "a", demandOf(first));
    assert.equal(place(second, [node("a")], usage), expected);
  }
});

test("a pod requests the sum of its containers, or the init container that needs more", () => {
  const cpu = (requests: string, more: JsonObject = {}): JsonObject => ({
    name: requests,
    ...asks({ cpu: requests }),
    ...more,
  });
  const nanos = (held: Pod): bigint | undefined => demandOf(held).amounts.get("cpu");
  const sidecar = { restartPolicy: "Always" };
  for (const [containers, initContainers, milli] of [
    [[cpu("100m"), cpu("200m")], [], 300n],
    [[cpu("100m")], [cpu("500m"), cpu("400m")], 500n],
    [[cpu("100m")], [cpu("300m", sidecar)], 400n],
    [[cpu("100m")], [cpu("300m", sidecar), cpu("400m")], 700n],
    [[cpu("600m")], [cpu("400m"), cpu("300m", sidecar)], 900n],
  ] as const)
    assert.equal(nanos(pod({ containers, initContainers })), milli * 1_000_000n);
  assert.equal(
    nanos(pod({ overhead: { cpu: "50m" }, resources: { requests: { cpu: "1" } } }, asks({ cpu: "100m" }))),
    1_050_000_000n,
  );
});
