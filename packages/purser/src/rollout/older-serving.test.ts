import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { services } from "@purser/kubernetes/apis/resources";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { done, failed } from "@purser/kubernetes/result";
import { RecordingCluster } from "../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { deleteOlderServing, olderServing } from "./older-serving.ts";
import { ownerOf } from "./plan/strategy/csv-owner.ts";
import { authReaderNamespace, olderServingNames } from "./plan/strategy/serving-names.ts";
import type { StrategyWorld } from "./plan/strategy/strategy-world.ts";

const api = { name: "things", group: "g.io", version: "v1", kind: "Thing", deploymentName: "server" };
const csvOf = (...owned: readonly object[]): ClusterServiceVersion =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "ns", name: "op.v1", uid: "u" },
    spec: { apiservicedefinitions: { owned } },
  }) as unknown as ClusterServiceVersion;
const csv = csvOf(api);
const owned = ownerOf(csv).labels;
const names = olderServingNames(api);
const object = (
  apiVersion: string,
  kind: string,
  name: string,
  namespace?: string,
  labels: object = owned,
): KubeObject =>
  ({
    apiVersion,
    kind,
    metadata: { name, uid: `uid-${kind}-${name}`, labels, ...(namespace === undefined ? {} : { namespace }) },
  }) as unknown as KubeObject;
const rbac = "rbac.authorization.k8s.io/v1";
const service = object("v1", "Service", names.service, "ns", { ...owned, "olm.managed": "true" });
const beside = [
  object("v1", "Secret", names.secret, "ns"),
  object(rbac, "Role", names.secret, "ns"),
  object(rbac, "RoleBinding", names.secret, "ns"),
  object(rbac, "ClusterRoleBinding", names.authDelegator),
  object(rbac, "RoleBinding", names.authReader, authReaderNamespace),
];
const found = async (held: readonly KubeObject[], of = csv): Promise<readonly string[]> =>
  (await olderServing(new RecordingCluster(held), of)).map(({ type, uid }) => `${type.kind} ${uid}`);

test("what an older release of OLM made for an API is found by its Service, which comes last", async () => {
  const all = [...beside, service].map(({ kind, metadata }) => `${kind} ${metadata.uid}`);
  assert.deepEqual(await found([service, ...beside]), all);
  assert.deepEqual(await found([service]), all.slice(-1));
});

for (const [what, held, of] of [
  ["without its Service", beside, csv],
  ["whose Service is not managed", [object("v1", "Service", names.service, "ns"), ...beside], csv],
  ["of a CSV without APIs", [service, ...beside], csvOf()],
  ["of another API", [service, ...beside], csvOf({ ...api, version: "v2", group: "h.io" })],
] as const)
  test(`nothing is found ${what}`, async () => assert.deepEqual(await found(held, of), []));

test("an object of that name that belongs to something else is not among them", async () =>
  assert.deepEqual(await found([service, object("v1", "Secret", names.secret, "ns", {})]), [
    `Service uid-Service-${names.service}`,
  ]));

const world = {
  olderServing: ["a", "b"].map((name) => ({ type: services, key: { namespace: "ns", name }, uid: `uid-${name}` })),
} as unknown as StrategyWorld;
for (const [kind, goesOn] of [
  [undefined, true],
  ["notFound", true],
  ["conflict", true],
  ["forbidden", false],
] as const)
  test(`the deletion ${goesOn ? "goes on" : "ends"} after ${kind ?? "success"}, each by the uid that was seen`, async () => {
    const sent: string[] = [];
    const writer = {
      write: ({
        verb,
        key,
        preconditions,
      }: {
        verb: string;
        key: { name: string };
        preconditions: { uid: string };
      }) => {
        sent.push(`${verb} ${key.name} ${preconditions.uid}`);
        return Promise.resolve(
          kind === undefined
            ? done({ warnings: [] })
            : failed({ kind, status: { code: 403, reason: "", message: "no" } }),
        );
      },
    } as unknown as ObjectWriter;
    const deleted = await deleteOlderServing(world, writer, new AbortController().signal);
    assert.equal(deleted.ok, goesOn);
    assert.deepEqual(sent, ["delete a uid-a", "delete b uid-b"].slice(0, goesOn ? 2 : 1));
  });
