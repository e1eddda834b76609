import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { builtInKinds } from "../kinds/catalogue.ts";
import { formatDuration } from "@purser/kubernetes/age";

const now = Date.UTC(2026, 0, 1, 1);
const born = "2026-01-01T00:00:00Z";

/** Cells by column name. */
function rowOf(kind: string, object: JsonObject): Readonly<Record<string, unknown>> {
  const printer = builtInKinds.find(({ type }) => type.kind === kind)?.printer;
  assert.ok(printer, kind);
  const metadata = { name: "x", creationTimestamp: born, ...(object["metadata"] as JsonObject | undefined) };
  const { cells } = printer.row({ kind, apiVersion: "v1", ...object, metadata } as unknown as KubeObject, now);
  return Object.fromEntries(printer.columns.map(({ name }, index) => [name, cells[index]]));
}

test("ages get coarser with time", () => {
  const table: readonly (readonly [number, string])[] = [
    [-2000, "<invalid>"],
    [-500, "0s"],
    [119_000, "119s"],
    [168_000, "2m48s"],
    [180_000, "3m"],
    [179 * 60_000, "179m"],
    [200 * 60_000, "3h20m"],
    [26 * 3_600_000, "26h"],
    [76 * 3_600_000, "3d4h"],
    [400 * 86_400_000, "400d"],
    [(6 * 365 + 326) * 86_400_000, "6y326d"],
    [9 * 365 * 86_400_000, "9y"],
  ];
  for (const [duration, text] of table) assert.equal(formatDuration(duration), text);
});

test("a pod's row shows the state of its containers", () => {
  const pod = (status: JsonObject, more: JsonObject = {}): Readonly<Record<string, unknown>> =>
    rowOf("Pod", { spec: { containers: [{ name: "c" }] }, status, ...more });
  const waiting = (reason: string): JsonObject => ({
    phase: "Pending",
    containerStatuses: [{ name: "c", ready: false, restartCount: 2, state: { waiting: { reason } } }],
  });
  assert.deepEqual(
    pod({
      phase: "Running",
      podIP: "10.0.0.1",
      containerStatuses: [{ ready: true, restartCount: 0, state: { running: {} } }],
    }),
    {
      Name: "x",
      Ready: "1/1",
      Status: "Running",
      Restarts: "0",
      Age: "60m",
      IP: "10.0.0.1",
      Node: "<none>",
      "Nominated Node": "<none>",
      "Readiness Gates": "<none>",
    },
  );
  assert.equal(pod(waiting("CrashLoopBackOff"))["Status"], "CrashLoopBackOff");
  assert.equal(pod(waiting("ImagePullBackOff"))["Restarts"], "2");
  assert.equal(pod({ phase: "Pending" }, { metadata: { deletionTimestamp: born } })["Status"], "Terminating");
  assert.equal(
    pod({
      phase: "Failed",
      containerStatuses: [{ ready: false, restartCount: 0, state: { terminated: { exitCode: 3 } } }],
    })["Status"],
    "ExitCode:3",
  );
});

const at = (hours: number): string => new Date(now - hours * 3_600_000).toISOString().replace(".000Z", "Z");
const runs: JsonObject = { running: { startedAt: born } };
const ended = (exitCode: number, reason = "", hours = 2): JsonObject => ({
  terminated: { exitCode, finishedAt: at(hours), ...(reason === "" ? {} : { reason }) },
});
const waits = (reason: string): JsonObject => ({ waiting: { reason } });
const is = (name: string, state: JsonObject, more: JsonObject = {}): JsonObject => ({
  name,
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const sidecar: JsonObject = { name: "i", restartPolicy: "Always" };

const pods: readonly (readonly [
  what: string,
  initContainers: readonly JsonObject[],
  status: JsonObject,
  ready: string,
  text: string,
  restarts: string,
])[] = [
  [
    "whose init container failed",
    [{ name: "i" }, { name: "j" }],
    {
      initContainerStatuses: [
        is("i", ended(0), { restartCount: 1, lastState: ended(1) }),
        is("j", ended(2, "Error"), { restartCount: 3 }),
      ],
    },
    "0/2",
    "Init:Error",
    "4 (120m ago)",
  ],
  [
    "whose second init container waits",
    [{ name: "i" }, { name: "j" }],
    { initContainerStatuses: [is("i", ended(0)), is("j", waits("PodInitializing"))] },
    "0/2",
    "Init:1/2",
    "0",
  ],
  [
    "whose sidecar runs",
    [sidecar],
    {
      initContainerStatuses: [is("i", runs, { ready: true, started: true, restartCount: 1 })],
      containerStatuses: [is("a", runs, { ready: true }), is("b", runs, { ready: true })],
    },
    "3/3",
    "Running",
    "1",
  ],
  [
    "whose sidecar has not started",
    [sidecar],
    { initContainerStatuses: [is("i", runs, { started: false })] },
    "0/3",
    "Init:0/1",
    "0",
  ],
  [
    "whose sidecar and container ended before",
    [sidecar],
    {
      initContainerStatuses: [is("i", runs, { started: true, restartCount: 4, lastState: ended(1, "", 5) })],
      containerStatuses: [is("a", runs, { ready: true, restartCount: 1, lastState: ended(1, "", 3) })],
    },
    "1/3",
    "Running",
    "5 (3h ago)",
  ],
  [
    "one of whose containers completed",
    [],
    { containerStatuses: [is("a", ended(0, "Completed")), is("b", runs, { ready: true })] },
    "1/2",
    "NotReady",
    "0",
  ],
  [
    "one of whose containers completed and another failed",
    [],
    { containerStatuses: [is("a", ended(0, "Completed")), is("b", ended(1, "Error"))] },
    "0/2",
    "Error",
    "0",
  ],
  [
    "that is initialized although an init container runs again",
    [{ name: "i" }],
    {
      conditions: [{ type: "Initialized", status: "True" }],
      initContainerStatuses: [is("i", ended(1, "Error"), { restartCount: 7 })],
      containerStatuses: [is("a", waits("CrashLoopBackOff"), { restartCount: 2 })],
    },
    "0/2",
    "CrashLoopBackOff",
    "2",
  ],
];
for (const [what, initContainers, status, ready, text, restarts] of pods)
  test(`a pod ${what} shows ${ready} ${text} ${restarts}`, () => {
    const spec = { containers: [{ name: "a" }, { name: "b" }], initContainers };
    const row = rowOf("Pod", { spec, status: { phase: "Running", ...status } });
    assert.deepEqual([row["Ready"], row["Status"], row["Restarts"]], [ready, text, restarts]);
  });

test("a finished pod keeps its state while it is terminating", () => {
  const metadata = { deletionTimestamp: born };
  const row = rowOf("Pod", {
    metadata,
    status: { phase: "Succeeded", containerStatuses: [is("a", ended(0, "Completed"))] },
  });
  assert.equal(row["Status"], "Completed");
  assert.equal(rowOf("Pod", { metadata, status: { phase: "Running", reason: "NodeLost" } })["Status"], "Unknown");
});

const details: readonly (readonly [what: string, kind: string, object: JsonObject, cells: JsonObject])[] = [
  [
    "the roles of a node are listed once, and its architecture beside its kernel",
    "Node",
    {
      metadata: {
        labels: { "node-role.kubernetes.io/a": "", "kubernetes.io/role": "a", "node-role.kubernetes.io/b": "" },
      },
      status: { nodeInfo: { kernelVersion: "6.1", architecture: "arm64" } },
    },
    { Roles: "a,b", "Kernel-Version": "6.1 (arm64)" },
  ],
  [
    "access modes are sorted, and the deprecated class annotation is shown",
    "PersistentVolumeClaim",
    {
      metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "old" } },
      spec: { volumeName: "v", storageClassName: "new" },
      status: { accessModes: ["ReadWriteMany", "ReadWriteOnce", "ReadWriteOnce"] },
    },
    { "Access Modes": "RWO,RWX", StorageClass: "old", Capacity: "0" },
  ],
  [
    "load balancer ingress points are sorted and listed once, before external IPs",
    "Service",
    {
      spec: { type: "LoadBalancer", externalIPs: ["1.1.1.1"] },
      status: { loadBalancer: { ingress: [{ hostname: "b" }, { ip: "9.9.9.9" }, { hostname: "b" }, {}] } },
    },
    { "External-IP": "9.9.9.9,b,1.1.1.1" },
  ],
  [
    "an event about an object without a name shows its kind only",
    "Event",
    { involvedObject: { kind: "Node" }, series: {} },
    { Object: "node", Count: 0 },
  ],
];
for (const [what, kind, object, cells] of details)
  test(what, () => {
    const row = rowOf(kind, object);
    assert.deepEqual(Object.fromEntries(Object.keys(cells).map((name) => [name, row[name]])), cells);
  });

test("a finished pod's row has a condition Completed", () => {
  const printer = builtInKinds.find(({ type }) => type.kind === "Pod")?.printer;
  const object = { kind: "Pod", apiVersion: "v1", metadata: { name: "x" }, status: { phase: "Succeeded" } };
  assert.deepEqual(printer?.row(object, now).conditions, [
    { type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." },
  ]);
});

test("services of each type show their addresses and ports", () => {
  const service = (spec: JsonObject, status: JsonObject = {}): readonly unknown[] => {
    const row = rowOf("Service", { spec, status });
    return [row["Type"], row["Cluster-IP"], row["External-IP"], row["Port(s)"]];
  };
  const ports = [
    { port: 80, protocol: "TCP" },
    { port: 53, protocol: "UDP" },
  ];
  assert.deepEqual(service({ type: "ClusterIP", clusterIP: "10.96.0.9", ports }), [
    "ClusterIP",
    "10.96.0.9",
    "<none>",
    "80/TCP,53/UDP",
  ]);
  assert.deepEqual(
    service({ type: "NodePort", clusterIP: "10.96.0.9", ports: [{ port: 80, nodePort: 32_685, protocol: "TCP" }] }),
    ["NodePort", "10.96.0.9", "<none>", "80:32685/TCP"],
  );
  assert.deepEqual(service({ type: "LoadBalancer", clusterIP: "10.96.0.9", ports }), [
    "LoadBalancer",
    "10.96.0.9",
    "<pending>",
    "80/TCP,53/UDP",
  ]);
  assert.deepEqual(service({ type: "ExternalName", externalName: "ex.io" }), [
    "ExternalName",
    "<none>",
    "ex.io",
    "<none>",
  ]);
  assert.deepEqual(service({ type: "ClusterIP", clusterIP: "None", ports }), [
    "ClusterIP",
    "None",
    "<none>",
    "80/TCP,53/UDP",
  ]);
});

test("workloads, jobs, bindings, services of APIs and budgets show their numbers", () => {
  const deployment = rowOf("Deployment", {
    spec: {
      replicas: 2,
      selector: { matchLabels: { b: "2", a: "1" } },
      template: { spec: { containers: [{ name: "c", image: "i" }] } },
    },
    status: { readyReplicas: 1, updatedReplicas: 2 },
  });
  assert.deepEqual(
    ["Ready", "Up-to-date", "Available", "Containers", "Images", "Selector"].map((column) => deployment[column]),
    ["1/2", 2, 0, "c", "i", "a=1,b=2"],
  );
  const job = rowOf("Job", {
    spec: { completions: 1 },
    status: {
      succeeded: 1,
      startTime: born,
      completionTime: "2026-01-01T00:00:05Z",
      conditions: [{ type: "Complete", status: "True" }],
    },
  });
  assert.deepEqual([job["Status"], job["Completions"], job["Duration"]], ["Complete", "1/1", "5s"]);
  const binding = rowOf("RoleBinding", {
    roleRef: { kind: "ClusterRole", name: "view" },
    subjects: [
      { kind: "User", name: "u" },
      { kind: "ServiceAccount", namespace: "n", name: "s" },
    ],
  });
  assert.deepEqual(
    [binding["Role"], binding["Users"], binding["Groups"], binding["ServiceAccounts"]],
    ["ClusterRole/view", "u", "", "n/s"],
  );
  const broken = { conditions: [{ type: "Available", status: "False", reason: "ServiceNotFound" }] };
  const api = rowOf("APIService", { spec: { service: { namespace: "n", name: "s" } }, status: broken });
  assert.deepEqual([api["Service"], api["Available"]], ["n/s", "False (ServiceNotFound)"]);
  const budget = rowOf("PodDisruptionBudget", { spec: { minAvailable: 1 }, status: { disruptionsAllowed: 0 } });
  assert.deepEqual(
    [budget["Min Available"], budget["Max Unavailable"], budget["Allowed Disruptions"]],
    ["1", "N/A", 0],
  );
  const quota = rowOf("ResourceQuota", { status: { hard: { pods: "40", "limits.cpu": "4" }, used: { pods: "6" } } });
  assert.deepEqual([quota["Request"], quota["Limit"]], ["pods: 6/40", "limits.cpu: 0/4"]);
});
