import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { Row } from "../row.ts";
import { eventually } from "../eventually.ts";
import type { Scene } from "../scene.ts";
import { at, text } from "../scene.ts";
import { deployment, job, pod } from "../workloads.ts";

const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

interface Shown {
  readonly columns: readonly string[];
  readonly cells: readonly JsonValue[];
  readonly row: JsonObject;
}

async function shown(scene: Scene, path: string): Promise<Shown> {
  const table = await scene.ok({ path, headers: asTable });
  const columns = at(table, "columnDefinitions") as unknown as readonly JsonObject[];
  const [row = {}] = at(table, "rows") as unknown as readonly JsonObject[];
  return {
    columns: columns.map((column) => `${String(text(column, "name"))}${column["priority"] === 1 ? "*" : ""}`),
    cells: at(row, "cells") as readonly JsonValue[],
    row,
  };
}

/** A pattern for values that depend on time or are random. */
type Cell = JsonValue | RegExp;

function assertCells(actual: readonly JsonValue[], expected: readonly Cell[]): void {
  assert.deepEqual(
    actual.map((cell, index) => {
      const wanted = expected[index];
      return wanted instanceof RegExp && typeof cell === "string" && wanted.test(cell) ? wanted.source : cell;
    }),
    expected.map((wanted) => (wanted instanceof RegExp ? wanted.source : wanted)),
  );
}

const age = /^(\d+s|\d+m(\d+s)?)$/;

/** A row about an unscheduled pod with a given status. */
function podIn(name: string, status: JsonObject, spec: JsonObject, cells: readonly Cell[], row: JsonObject = {}): Row {
  return {
    row: 299,
    name: `a pod: ${name}`,
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}/pods`;
      await scene.ok({ method: "POST", path, body: pod("p", { schedulerName: "nobody", ...spec }) });
      await scene.ok({
        method: "PATCH",
        path: `${path}/p/status`,
        body: { status },
        headers: { "content-type": "application/merge-patch+json" },
      });
      const answer = await shown(scene, `${path}/p`);
      assert.deepEqual(answer.columns, [
        "Name",
        "Ready",
        "Status",
        "Restarts",
        "Age",
        "IP*",
        "Node*",
        "Nominated Node*",
        "Readiness Gates*",
      ]);
      assertCells(answer.cells.slice(0, 4), ["p", ...cells]);
      if (Object.keys(row).length > 0) assert.deepEqual(at(answer.row, "conditions"), row["conditions"]);
    },
  };
}

function containerIn(state: JsonObject, more: JsonObject = {}): JsonObject {
  return { name: "c", image: "i", imageID: "", ready: false, restartCount: 0, state, ...more };
}

function serviceIn(name: string, spec: JsonObject, cells: readonly Cell[]): Row {
  return {
    row: 299,
    name: `a Service: ${name}`,
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}/services`;
      await scene.ok({ method: "POST", path, body: { metadata: { name: "s" }, spec } });
      const answer = await shown(scene, `${path}/s`);
      assert.deepEqual(answer.columns, ["Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Selector*"]);
      assertCells(answer.cells, ["s", ...cells]);
    },
  };
}

/** A row about an object that needs no preparation. */
function objectIn(
  name: string,
  collection: string,
  body: (scene: Scene) => JsonObject,
  columns: readonly string[],
  cells: readonly Cell[],
): Row {
  return {
    row: 299,
    name,
    run: async (scene) => {
      const path = collection.replace("{ns}", scene.ns);
      const made = body(scene);
      if (collection.includes("{ns}")) await scene.ok({ method: "POST", path, body: made });
      else await scene.keep(path, made);
      const answer = await shown(scene, `${path}/${text(made, "metadata", "name")}`);
      assert.deepEqual(answer.columns, columns);
      assertCells(
        answer.cells,
        cells.map((cell) => (typeof cell === "string" ? cell.replace("{ns}", scene.ns) : cell)),
      );
    },
  };
}

const inNamespace = (group: string, plural: string): string => `/apis/${group}/v1/namespaces/{ns}/${plural}`;
const created = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const ip = /^\d+\.\d+\.\d+\.\d+$/;

export const tableRows: readonly Row[] = [
  podIn("pending", { phase: "Pending" }, {}, ["0/1", "Pending", "0"]),
  podIn(
    "running",
    {
      phase: "Running",
      containerStatuses: [containerIn({ running: { startedAt: "2020-01-01T00:00:00Z" } }, { ready: true })],
      conditions: [{ type: "Ready", status: "True" }],
    },
    {},
    ["1/1", "Running", "0"],
  ),
  podIn(
    "crashing",
    {
      phase: "Running",
      containerStatuses: [
        containerIn(
          { waiting: { reason: "CrashLoopBackOff" } },
          {
            restartCount: 2,
            lastState: { terminated: { exitCode: 1, finishedAt: new Date(Date.now() - 281_000).toISOString() } },
          },
        ),
      ],
    },
    {},
    ["0/1", "CrashLoopBackOff", /^2 \(\d+m(\d+s)? ago\)$/],
  ),
  podIn(
    "without its image",
    { phase: "Pending", containerStatuses: [containerIn({ waiting: { reason: "ImagePullBackOff" } })] },
    {},
    ["0/1", "ImagePullBackOff", "0"],
  ),
  podIn(
    "completed",
    { phase: "Succeeded", containerStatuses: [containerIn({ terminated: { exitCode: 0, reason: "Completed" } })] },
    {},
    ["0/1", "Completed", "0"],
    {
      conditions: [
        { type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." },
      ],
    },
  ),
  podIn(
    "failed",
    { phase: "Failed", containerStatuses: [containerIn({ terminated: { exitCode: 3 } })] },
    {},
    ["0/1", "ExitCode:3", "0"],
    { conditions: [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }] },
  ),
  podIn(
    "terminated by a signal",
    { phase: "Failed", containerStatuses: [containerIn({ terminated: { exitCode: 137, signal: 9 } })] },
    {},
    ["0/1", "Signal:9", "0"],
  ),
  podIn("evicted", { phase: "Failed", reason: "Evicted" }, {}, ["0/1", "Evicted", "0"]),
  podIn(
    "being prepared",
    {
      phase: "Pending",
      initContainerStatuses: [
        { ...containerIn({ terminated: { exitCode: 0 } }), name: "i1" },
        { ...containerIn({ running: { startedAt: "2020-01-01T00:00:00Z" } }), name: "i2" },
      ],
    },
    { initContainers: ["i1", "i2"].map((name) => ({ name, image: "i" })) },
    ["0/1", "Init:1/2", "0"],
  ),
  podIn(
    "failing in an init container",
    {
      phase: "Pending",
      initContainerStatuses: [{ ...containerIn({ waiting: { reason: "CrashLoopBackOff" } }), name: "i1" }],
    },
    { initContainers: [{ name: "i1", image: "i" }] },
    ["0/1", "Init:CrashLoopBackOff", "0"],
  ),
  podIn(
    "failed in an init container",
    {
      phase: "Pending",
      initContainerStatuses: [{ ...containerIn({ terminated: { exitCode: 1, reason: "Error" } }), name: "i1" }],
    },
    { initContainers: [{ name: "i1", image: "i" }] },
    ["0/1", "Init:Error", "0"],
  ),
  podIn("gated", {}, { schedulingGates: [{ name: "x.io/gate" }] }, ["0/1", "SchedulingGated", "0"]),
  {
    row: 299,
    name: "a pod: terminating",
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}/pods`;
      const body = pod("p", { schedulerName: "nobody" }, { finalizers: ["x.io/a"] });
      await scene.ok({ method: "POST", path, body });
      await scene.ok({ method: "DELETE", path: `${path}/p` });
      assertCells((await shown(scene, `${path}/p`)).cells.slice(0, 4), ["p", "0/1", "Terminating", "0"]);
      await scene.merge(`${path}/p`, { metadata: { finalizers: null } });
    },
  },
  serviceIn(
    "ClusterIP",
    {
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 53, protocol: "UDP" },
      ],
      selector: { b: "1", a: "2" },
    },
    ["ClusterIP", ip, "<none>", "80/TCP,53/UDP", age, "a=2,b=1"],
  ),
  serviceIn("NodePort", { type: "NodePort", ports: [{ port: 80 }] }, [
    "NodePort",
    ip,
    "<none>",
    /^80:3\d{4}\/TCP$/,
    age,
    "<none>",
  ]),
  serviceIn("LoadBalancer", { type: "LoadBalancer", ports: [{ port: 80 }] }, [
    "LoadBalancer",
    ip,
    "<pending>",
    /^80:3\d{4}\/TCP$/,
    age,
    "<none>",
  ]),
  serviceIn("ExternalName", { type: "ExternalName", externalName: "example.com" }, [
    "ExternalName",
    "<none>",
    "example.com",
    "<none>",
    age,
    "<none>",
  ]),
  serviceIn("headless", { clusterIP: "None", ports: [{ port: 80 }], selector: { a: "b" } }, [
    "ClusterIP",
    "None",
    "<none>",
    "80/TCP",
    age,
    "a=b",
  ]),
  {
    row: 299,
    name: "a Deployment and its ReplicaSet",
    run: async (scene) => {
      const path = `/apis/apps/v1/namespaces/${scene.ns}`;
      const body = deployment("d", { replicas: 2 });
      await scene.ok({ method: "POST", path: `${path}/deployments`, body });
      await eventually(async () => {
        const answer = await shown(scene, `${path}/deployments/d`);
        assert.deepEqual(answer.columns, [
          "Name",
          "Ready",
          "Up-to-date",
          "Available",
          "Age",
          "Containers*",
          "Images*",
          "Selector*",
        ]);
        assertCells(answer.cells, ["d", "2/2", 2, 2, age, "c", "example.com/app:1", "app=d"]);
      }, 20_000);
      const sets = await shown(scene, `${path}/replicasets`);
      assert.deepEqual(sets.columns, [
        "Name",
        "Desired",
        "Current",
        "Ready",
        "Age",
        "Containers*",
        "Images*",
        "Selector*",
      ]);
      assertCells(sets.cells, [/^d-/, 2, 2, 2, age, "c", "example.com/app:1", /^app=d,pod-template-hash=/]);
    },
  },
  {
    row: 299,
    name: "a Job",
    run: async (scene) => {
      const path = `/apis/batch/v1/namespaces/${scene.ns}/jobs`;
      await scene.ok({ method: "POST", path, body: job("j", { suspend: true }) });
      const suspended = await shown(scene, `${path}/j`);
      assert.deepEqual(suspended.columns, [
        "Name",
        "Status",
        "Completions",
        "Duration",
        "Age",
        "Containers*",
        "Images*",
        "Selector*",
      ]);
      await eventually(async () =>
        assertCells((await shown(scene, `${path}/j`)).cells.slice(0, 5), ["j", "Suspended", "0/1", "", age]),
      );
      await scene.merge(`${path}/j`, { spec: { suspend: false } });
      await eventually(async () => {
        const { cells } = await shown(scene, `${path}/j`);
        assertCells(cells.slice(0, 7), ["j", "Complete", "1/1", age, age, "c", "example.com/app:1"]);
      }, 20_000);
    },
  },
  objectIn(
    "a CustomResourceDefinition",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    (scene) => scene.definition("foos", "Foo", { type: "object" }),
    ["Name", "Created At"],
    [/^foos\./, created],
  ),
  {
    row: 299,
    name: "an APIService",
    run: async (scene) => {
      const answer = await shown(scene, "/apis/apiregistration.k8s.io/v1/apiservices/v1.apps");
      assert.deepEqual(answer.columns, ["Name", "Service", "Available", "Age"]);
      assert.deepEqual(answer.cells.slice(0, 3), ["v1.apps", "Local", "True"]);
    },
  },
  objectIn(
    "a ConfigMap",
    "/api/v1/namespaces/{ns}/configmaps",
    () => ({ metadata: { name: "x" }, data: { a: "1" }, binaryData: { b: "MQ==" } }),
    ["Name", "Data", "Age"],
    ["x", 2, age],
  ),
  objectIn(
    "a Secret",
    "/api/v1/namespaces/{ns}/secrets",
    () => ({ metadata: { name: "x" }, stringData: { a: "1" } }),
    ["Name", "Type", "Data", "Age"],
    ["x", "Opaque", 1, age],
  ),
  objectIn(
    "a RoleBinding",
    inNamespace("rbac.authorization.k8s.io", "rolebindings"),
    () => ({
      metadata: { name: "x" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [
        { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" },
        { kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "g" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
      ],
    }),
    ["Name", "Role", "Age", "Users*", "Groups*", "ServiceAccounts*"],
    ["x", "ClusterRole/view", age, "u", "g", "n/s"],
  ),
  objectIn(
    "a Role",
    inNamespace("rbac.authorization.k8s.io", "roles"),
    () => ({ metadata: { name: "x" }, rules: [] }),
    ["Name", "Created At"],
    ["x", created],
  ),
  objectIn(
    "a Lease",
    inNamespace("coordination.k8s.io", "leases"),
    () => ({ metadata: { name: "x" }, spec: { holderIdentity: "me" } }),
    ["Name", "Holder", "Age"],
    ["x", "me", age],
  ),
  objectIn(
    "a PodDisruptionBudget",
    inNamespace("policy", "poddisruptionbudgets"),
    () => ({ metadata: { name: "x" }, spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } }),
    ["Name", "Min Available", "Max Unavailable", "Allowed Disruptions", "Age"],
    ["x", "1", "N/A", 0, age],
  ),
  objectIn(
    "a NetworkPolicy",
    inNamespace("networking.k8s.io", "networkpolicies"),
    () => ({ metadata: { name: "x" }, spec: { podSelector: {} } }),
    ["Name", "Pod-Selector", "Age"],
    ["x", "<none>", age],
  ),
  objectIn(
    "a PriorityClass",
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    (scene) => ({ metadata: { name: scene.ns }, value: 7 }),
    ["Name", "Value", "Global-Default", "Age", "PreemptionPolicy"],
    ["{ns}", 7, false, age, "PreemptLowerPriority"],
  ),
  objectIn(
    "a CronJob",
    inNamespace("batch", "cronjobs"),
    () => ({
      metadata: { name: "x" },
      spec: {
        schedule: "0 0 1 1 *",
        suspend: true,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
        },
      },
    }),
    [
      "Name",
      "Schedule",
      "Timezone",
      "Suspend",
      "Active",
      "Last Schedule",
      "Age",
      "Containers*",
      "Images*",
      "Selector*",
    ],
    ["x", "0 0 1 1 *", "<none>", "True", 0, "<none>", age, "c", "i", "<none>"],
  ),
  objectIn(
    "an EndpointSlice",
    inNamespace("discovery.k8s.io", "endpointslices"),
    () => ({
      metadata: { name: "x" },
      addressType: "IPv4",
      ports: [{ port: 80 }],
      endpoints: [{ addresses: ["10.1.2.3"] }],
    }),
    ["Name", "AddressType", "Ports", "Endpoints", "Age"],
    ["x", "IPv4", "80", "10.1.2.3", age],
  ),
  objectIn(
    "a ValidatingAdmissionPolicy",
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    (scene) => ({
      metadata: { name: scene.ns },
      spec: {
        matchConstraints: {
          resourceRules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["nothing"] }],
        },
        validations: [{ expression: "true" }],
      },
    }),
    ["Name", "Validations", "ParamKind", "Age"],
    ["{ns}", 1, "<unset>", age],
  ),
  objectIn(
    "a ResourceQuota",
    "/api/v1/namespaces/{ns}/resourcequotas",
    () => ({ metadata: { name: "x" }, spec: {} }),
    ["Name", "Request", "Limit", "Age"],
    ["x", "", "", age],
  ),
];
