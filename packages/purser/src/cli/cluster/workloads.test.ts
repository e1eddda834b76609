import assert from "node:assert/strict";
import { test } from "node:test";
import { statusOf } from "@purser/kubernetes/apis/status";
import type { Installation } from "../../installation/installation.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { ApiRefusedError } from "@purser/kubernetes/kube/refusal";
import { readDeployments, remedyLines, sickWorkloadLines, sickWorkloadsOf } from "./workloads.ts";

const extension: Installation = {
  api: "v1",
  reference: "ext/x",
  name: "x",
  packageName: "x",
  state: "Degraded",
  why: "",
};
const subscription: Installation = {
  ...extension,
  api: "v0",
  reference: "sub/ns/x",
  namespace: "ns",
  bundle: "x.v1",
  target: "x.v2",
};
const meta = (name: string, annotations: Readonly<Record<string, string>> = {}) => ({
  name,
  namespace: "ns",
  labels: { app: "x" },
  annotations,
});

interface Cluster {
  readonly pods?: readonly object[];
  readonly namespace?: Readonly<Record<string, string>>;
  readonly refuse?: boolean;
}

/** A client of a cluster with one Deployment that has no available pod; it records its requests. */
function clientOf({ pods = [], namespace = {}, refuse = false }: Cluster) {
  const asked: string[] = [];
  const deployment = { metadata: meta("manager"), spec: { selector: { matchLabels: { app: "x" } } } };
  const client = {
    list: ({ plural }: { plural: string }, options: { namespace?: string; labelSelector?: string }) => {
      asked.push(`${plural} ${options.namespace ?? "*"} ${options.labelSelector ?? ""}`.trimEnd());
      if (refuse && plural === "pods")
        return Promise.reject(new ApiRefusedError({ kind: "forbidden", status: statusOf("Forbidden", "no") }));
      return Promise.resolve(plural === "pods" ? pods : [deployment]);
    },
    get: () => Promise.resolve({ metadata: { name: "ns", annotations: namespace } }),
  } as unknown as KubeClient;
  return { client, asked };
}
const crashing = (annotations: Readonly<Record<string, string>> = {}): object => ({
  metadata: meta("p", annotations),
  status: {
    containerStatuses: [
      { name: "c", ready: false, restartCount: 2, state: { waiting: { reason: "CrashLoopBackOff" } } },
    ],
  },
});

test("the Deployments of an installation are found for OLM v0 and OLM v1, each once", async () => {
  const v1 = clientOf({});
  await readDeployments(v1.client, extension);
  assert.deepEqual(v1.asked, [
    "deployments * olm.operatorframework.io/owner-kind=ClusterExtension,olm.operatorframework.io/owner-name=x",
  ]);
  const v0 = clientOf({});
  assert.equal((await readDeployments(v0.client, subscription)).length, 1);
  assert.deepEqual(v0.asked, ["deployments ns olm.owner=x.v1", "deployments ns olm.owner=x.v2"]);
});

test("a crash is reported with its pod and the command for its log", async () => {
  const { client } = clientOf({ pods: [crashing()] });
  assert.deepEqual(sickWorkloadLines(await sickWorkloadsOf(client, extension)), [
    "Deployment ns/manager: 0 of 1 available",
    "  Pod p, container c: CrashLoopBackOff after 2 restarts",
    "fix: Read what the container said before it ended",
    "     kubectl -n ns logs p -c c --previous",
  ]);
});

test("a simulated crash is reported with the annotation that requests it", async () => {
  const byNamespace = await sickWorkloadsOf(
    clientOf({ pods: [crashing()], namespace: { "sim/result": "crash" } }).client,
    subscription,
  );
  assert.deepEqual(remedyLines(byNamespace.flatMap(({ remedies }) => remedies)), [
    "fix: The namespace requests the failure with the annotation sim/result=crash: remove it",
    "     kubectl annotate namespace ns sim/result-",
  ]);
  const byPod = await sickWorkloadsOf(clientOf({ pods: [crashing({ "sim/result": "fail" })] }).client, subscription);
  assert.match(byPod[0]?.remedies[0]?.summary ?? "", /pod or its template .* sim\/result=fail/);
});

test("a user who may not read pods gets the rest of the report", async () => {
  assert.deepEqual(await sickWorkloadsOf(clientOf({ refuse: true }).client, extension), []);
});
