import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { ObjectWrite, Written, WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { clusterRoles } from "@purser/kubernetes/apis/resources";
import type { ApplyContext } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { failed, type Result } from "@purser/kubernetes/result";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { type Compat, improved, parseCompat } from "../../../compat.ts";
import { apiRolesController } from "./api-roles-controller.ts";

const key = { namespace: "ns", name: "op.v1" };
const csv = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: key,
  spec: {
    customresourcedefinitions: { owned: [{ name: "as.g.io", version: "v1", kind: "A" }] },
    install: { strategy: "deployment", spec: { deployments: [] } },
  },
  status: { phase: "Succeeded" },
} as unknown as ClusterServiceVersion;

/** Notes reads, and refuses to create what exists. */
class Cluster extends RecordingCluster {
  readonly reads: string[] = [];

  override async get<Type extends KubeObject>(type: ResourceType<Type>, asked: ObjectKey): Promise<Type | undefined> {
    this.reads.push(`${type.kind} ${asked.name}`);
    return super.get(type, asked);
  }

  override async write(write: ObjectWrite): Promise<Result<Written, WriteRefusal>> {
    if (write.verb === "create" && (await super.get(write.type, write.object.metadata as ObjectKey)) !== undefined)
      return failed({ kind: "alreadyExists", status: { code: 409, reason: "AlreadyExists", message: "exists" } });
    return super.write(write);
  }
}

/** What one pass writes and reads while the informer of managed roles shows none. */
async function passOver(held: readonly KubeObject[], compat: Compat): Promise<readonly [string[], string[]]> {
  const cluster = new Cluster(held);
  const cache = {
    cached: ({ kind }: ResourceType) =>
      kind === "ClusterServiceVersion"
        ? csv
        : kind === "CustomResourceDefinition"
          ? { metadata: { name: "as.g.io", uid: "crd-uid" } }
          : undefined,
    byIndex: () => [csv],
  };
  const context = { reader: cluster, writer: cluster, cache, now: 0, signal: new AbortController().signal };
  await apiRolesController({ compat }).reconcile(key, context as unknown as ApplyContext);
  return [cluster.writes, cluster.reads];
}

const role = (labels: Readonly<Record<string, string>>): KubeObject =>
  ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: clusterRoles.kind,
    metadata: { name: "as.g.io-v1-edit", labels },
    rules: [],
  }) as KubeObject;
const others = ["admin", "view", "crdview"].map((suffix) => `create clusterroles as.g.io-v1-${suffix}`);
const create = "create clusterroles as.g.io-v1-edit";
const replace = "update clusterroles as.g.io-v1-edit";
const read = "ClusterRole as.g.io-v1-edit";
const strict = parseCompat("api-roles");
assert.ok(strict.ok);

for (const [words, held, compat, edit, reads] of [
  ["that do not exist are created without a read", [], improved, [create], []],
  ["of its name that others made is left alone", [role({})], improved, [], [read]],
  ["of its name that is ours is corrected", [role({ "olm.managed": "true" })], improved, [replace], [read]],
  ["of its name that others made is overwritten with --compat=api-roles", [role({})], strict.value, [replace], [read]],
] as const)
  test(`a role of an API ${words}`, async () => {
    const [written, asked] = await passOver(held, compat);
    assert.deepEqual(written.toSorted(), [...others, ...edit].toSorted());
    assert.deepEqual(asked, reads);
  });

const at = (namespace: string, phase: string, metadata: object = {}): ClusterServiceVersion =>
  ({
    ...csv,
    metadata: { namespace, name: "op.v1", generation: 1, ...metadata },
    status: { phase },
  }) as ClusterServiceVersion;

/** Keys that a change of the CSV in namespace `b` wakes beside its own, while CSVs of the same API are elsewhere. */
function heirsOf(
  before: ClusterServiceVersion | undefined,
  after: ClusterServiceVersion | undefined,
): readonly string[] {
  const [watch] = apiRolesController({ compat: improved }).watches;
  const held = [
    at("d", "Succeeded"),
    at("c", "Succeeded"),
    at("a", "Pending"),
    ...(after === undefined ? [] : [after]),
  ];
  const cache = { byIndex: () => held } as unknown as CacheView;
  const change = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  const woken = watch?.concerned?.(change, cache) ?? [];
  return [...new Set(woken.map(({ namespace = "" }) => namespace))].filter((name) => name !== "b");
}

for (const [words, before, after, expected] of [
  [
    "that was deleted hands its roles to the first of the others that are installed",
    at("b", "Succeeded"),
    undefined,
    ["c"],
  ],
  [
    "that is being deleted hands them on",
    at("b", "Succeeded"),
    at("b", "Succeeded", { deletionTimestamp: "t" }),
    ["c"],
  ],
  ["that failed hands them on", at("b", "Succeeded"), at("b", "Failed"), ["c"]],
  ["with another specification hands them on", at("b", "Succeeded"), at("b", "Succeeded", { generation: 2 }), ["c"]],
  ["that becomes installed wakes no other", at("b", "Installing"), at("b", "Succeeded"), []],
  ["with a new status wakes no other", at("b", "Succeeded"), at("b", "Succeeded"), []],
  ["that was never installed hands nothing on", at("b", "Pending"), undefined, []],
  ["that appears wakes no other", undefined, at("b", "Succeeded"), []],
] as const)
  test(`a CSV ${words}`, () => assert.deepEqual(heirsOf(before, after), expected));
