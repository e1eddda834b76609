import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ListScope } from "@purser/kubernetes/kube/object-reader";
import { clusterServiceVersions } from "../../../apis/olm-resources.ts";
import { improved } from "../../../compat.ts";
import { observeCsv } from "./observe-csv.ts";
import { csvAt, namespace } from "./plan/testing/csv-world.ts";

const never = new AbortController().signal;

test("each API that a CSV names is looked up once, and no more than 256 of them in one turn of the event loop", async () => {
  const apis = Array.from({ length: 1000 }, (_, index) => ({ group: `g${index}.io`, version: "v1", kind: "A" }));
  const base = csvAt("op.v1", "Pending");
  const csv = { ...base, spec: { ...base.spec, nativeAPIs: [...apis, ...apis] } };
  const cluster = new RecordingCluster([]);
  await cluster.write({ verb: "apply", type: clusterServiceVersions, object: csv, fieldManager: "t", force: true });
  let [turn, isOver] = [0, false];
  const count = (): void => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  count();
  const lookedUp = new Map<number, number>();
  const world = await observeCsv(
    { namespace, name: "op.v1" },
    { reader: cluster, signal: never },
    {
      compat: improved,
      client: { version: () => Promise.resolve({ major: "", minor: "", gitVersion: "v1.36.3" }) },
      discovery: {
        typeOfLately({ group, version, kind }) {
          lookedUp.set(turn, (lookedUp.get(turn) ?? 0) + 1);
          return Promise.resolve(
            group === "g999.io" ? { group, version, kind, plural: "as", namespaced: true } : undefined,
          );
        },
      },
    },
  );
  isOver = true;
  assert.deepEqual([...(world?.servedApis ?? [])], ["g999.io/v1/A"]);
  assert.equal(
    [...lookedUp.values()].reduce((sum, each) => sum + each, 0),
    1000,
  );
  // The last of one turn and the first of the next may fall between two counts.
  assert.ok(Math.max(...lookedUp.values()) <= 512, [...lookedUp.values()].join(" "));
});

const owner = (name: string, where: string): Readonly<Record<string, string>> => ({
  "olm.owner": name,
  "olm.owner.namespace": where,
  "olm.owner.kind": "ClusterServiceVersion",
});

for (const [words, labels, isAdopted] of [
  ["it owns itself", owner("op.v1", namespace), true],
  ["of the CSV that it replaces", owner("op.v0", namespace), true],
  ["of a CSV that is being replaced", owner("gone.v1", namespace), true],
  ["of another CSV of the namespace", owner("other.v1", namespace), false],
  ["of a CSV of its own name in another namespace", owner("op.v1", "elsewhere"), false],
  ["without an owner", {}, false],
] as const)
  test(`a CSV ${isAdopted ? "adopts" : "does not adopt"} an APIService ${words}`, async () => {
    const base = csvAt("op.v1", "Pending");
    const owned = [{ group: "g.io", version: "v1", kind: "A", name: "as", deploymentName: "d" }];
    const csv = { ...base, spec: { ...base.spec, replaces: "op.v0", apiservicedefinitions: { owned } } };
    const service = {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1.g.io", labels },
    };
    const others = [csvAt("op.v0", "Replacing"), csvAt("other.v1", "Succeeded"), csvAt("gone.v1", "Replacing")];
    const world = await observeCsv(
      { namespace, name: "op.v1" },
      { reader: new RecordingCluster([csv, ...others, service] as unknown as readonly KubeObject[]), signal: never },
      {
        compat: improved,
        client: { version: () => Promise.resolve({ major: "", minor: "", gitVersion: "v1.36.3" }) },
        discovery: { typeOfLately: () => Promise.resolve(undefined) },
      },
    );
    assert.deepEqual(world?.unadoptableApiServices, isAdopted ? [] : ["v1.g.io"]);
  });

const now = Date.parse("2026-01-01T00:00:30Z");
const planOf = (name: string, phase: string, message?: string): KubeObject =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "InstallPlan",
    metadata: { name: "p", namespace },
    spec: { clusterServiceVersionNames: [name] },
    status: { phase, ...(message === undefined ? {} : { message }) },
  }) as KubeObject;

/** Notes lists of everything that the cluster grants. */
class GrantsCluster extends RecordingCluster {
  wide = 0;

  override async list<Type extends KubeObject>(
    type: ResourceType<Type>,
    scope: ListScope = {},
  ): Promise<readonly Type[]> {
    if (type.kind === "ClusterRole" && scope.labelSelector === undefined) this.wide++;
    return super.list(type, scope);
  }
}

for (const [words, lastTransitionTime, plans, wide] of [
  ["no plan brings it", "2026-01-01T00:00:01Z", [], 1],
  ["a plan creates its objects", "2026-01-01T00:00:01Z", [planOf("op.v1", "Installing")], 0],
  ["its objects have not followed for thirty seconds", "2026-01-01T00:00:00Z", [planOf("op.v1", "Installing")], 1],
  ["its plan fails", "2026-01-01T00:00:01Z", [planOf("op.v1", "Installing", "retrying execution due to error: no")], 1],
  ["its plan is complete", "2026-01-01T00:00:01Z", [planOf("op.v1", "Complete")], 1],
  ["a plan creates the objects of another CSV", "2026-01-01T00:00:01Z", [planOf("other.v1", "Installing")], 1],
] as const)
  test(`what others grant to a CSV that lacks rights is ${wide === 0 ? "not " : ""}read when ${words}`, async () => {
    const base = csvAt("op.v1", "Pending");
    const rules = [{ apiGroups: [""], resources: ["nodes"], verbs: ["get"] }];
    const clusterPermissions = [{ serviceAccountName: "sa", rules }];
    const install = { strategy: "deployment", spec: { deployments: [], clusterPermissions } };
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "sa", namespace } };
    const status = { phase: "Pending", reason: "RequirementsUnknown", lastTransitionTime };
    const csv = { ...base, status, spec: { ...base.spec, install } };
    const cluster = new GrantsCluster([csv, account, ...plans] as unknown as readonly KubeObject[]);
    const world = await observeCsv(
      { namespace, name: "op.v1" },
      { reader: cluster, signal: never, now },
      {
        compat: improved,
        client: { version: () => Promise.resolve({ major: "", minor: "", gitVersion: "v1.36.3" }) },
        discovery: { typeOfLately: () => Promise.resolve(undefined) },
      },
    );
    assert.equal(cluster.wide, wide);
    assert.equal(world?.isBeingCreated, wide === 0 ? true : undefined);
  });
