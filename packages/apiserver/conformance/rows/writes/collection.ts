import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, configMap, gone, itemsOf, ownedBy, text } from "../../scene.ts";
import { deployment, job, pod } from "../../workloads.ts";

/** How long to wait for something that must not happen. */
const quietMs = 1500;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function conditionsOf(object: JsonObject): readonly Condition[] {
  return (at(object, "status", "conditions") ?? []) as unknown as readonly Condition[];
}

function assertCondition(object: JsonObject, type: string, expected: Partial<Condition>): void {
  const found = conditionsOf(object).find((condition) => condition.type === type);
  assertContains(found as unknown as JsonObject, expected);
}

function eventsAbout(scene: Scene, namespace: string, name: string): Promise<readonly JsonObject[]> {
  const path = `/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.name=${name}`;
  return scene.ok({ path }).then(itemsOf);
}

export const collectionRows: readonly Row[] = [
  {
    row: 212,
    name: "the first deletion of a Deployment with a finalizer increments its generation",
    run: async (scene) => {
      const path = `/apis/apps/v1/namespaces/${scene.ns}/deployments`;
      const held = { ...deployment("held", { replicas: 0 }), metadata: { name: "held", finalizers: ["x.io/a"] } };
      assertContains(await scene.ok({ method: "POST", path, body: held }), { metadata: { generation: 1 } });
      assertContains(await scene.ok({ method: "DELETE", path: `${path}/held` }), {
        metadata: { generation: 2, deletionGracePeriodSeconds: 0 },
      });
      assertContains(await scene.ok({ method: "DELETE", path: `${path}/held` }), { metadata: { generation: 2 } });
      await scene.merge(`${path}/held`, { metadata: { finalizers: null } });
      await gone(scene, `${path}/held`);
    },
  },
  {
    row: 216,
    name: "a pod without a node is deleted immediately",
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}/pods`;
      await scene.ok({ method: "POST", path, body: pod("p", { schedulerName: "nobody" }) });
      await scene.ok({ method: "DELETE", path: `${path}/p` });
      assert.equal((await scene.ask({ path: `${path}/p` })).code, 404);
    },
  },
  {
    row: 216,
    name: "a pod on a node has its grace period",
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}/pods`;
      await scene.ok({ method: "POST", path, body: pod("p") });
      await eventually(async () =>
        assert.notEqual(text(await scene.ok({ path: `${path}/p` }), "spec", "nodeName"), ""),
      );
      const asked = Date.now();
      const answer = await scene.ok({ method: "DELETE", path: `${path}/p` });
      assertContains(answer, { kind: "Pod", metadata: { deletionGracePeriodSeconds: 30 } });
      const until = Date.parse(text(answer, "metadata", "deletionTimestamp"));
      // Times on the wire have whole seconds.
      const [first, last] = [asked - 1000, Date.now() + 1000];
      assert.ok(until - 30_000 >= first && until - 30_000 <= last, `${until - asked} ms`);
      await gone(scene, `${path}/p`);
    },
  },
  {
    row: 216,
    name: "a pod on a node with grace period 0 is deleted immediately",
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}/pods`;
      await scene.ok({ method: "POST", path, body: pod("p") });
      await eventually(async () =>
        assert.notEqual(text(await scene.ok({ path: `${path}/p` }), "spec", "nodeName"), ""),
      );
      await scene.ok({ method: "DELETE", path: `${path}/p?gracePeriodSeconds=0` });
      assert.equal((await scene.ask({ path: `${path}/p` })).code, 404);
    },
  },
  {
    row: 222,
    name: "an owner in another namespace counts as absent, with an event",
    run: async (scene) => {
      const other = await scene.namespace("other");
      const owner = await scene.make("owner");
      const uid = text(owner, "metadata", "uid");
      const path = `/api/v1/namespaces/${other}/configmaps`;
      const child = configMap("child", { metadata: { ownerReferences: [ownedBy(owner)] } });
      await scene.ok({ method: "POST", path, body: child });
      await gone(scene, `${path}/child`);
      await eventually(async () => {
        const [event] = await eventsAbout(scene, other, "child");
        assertContains(event, {
          type: "Warning",
          reason: "OwnerRefInvalidNamespace",
          message: `ownerRef [v1/ConfigMap, namespace: ${other}, name: owner, uid: ${uid}] does not exist in namespace "${other}"`,
          source: { component: "garbage-collector-controller" },
        });
      });
    },
  },
  {
    row: 223,
    name: "a cluster-scoped object with a namespaced owner is kept",
    run: async (scene) => {
      const owner = await scene.make("owner");
      const metadata = { name: scene.ns, ownerReferences: [ownedBy(owner)] };
      const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
      await scene.keep(path, { metadata, rules: [] });
      await eventually(async () => {
        const [event] = await eventsAbout(scene, "default", scene.ns);
        assertContains(event, { reason: "OwnerRefInvalidNamespace" });
      });
      await sleep(quietMs);
      await scene.ok({ path: `${path}/${scene.ns}` });
    },
  },
  {
    row: 224,
    name: "dependents of an owner of an unserved kind are kept",
    run: async (scene) => {
      const owner = { apiVersion: "nobody.example.com/v1", kind: "Nothing", name: "n", uid: "0000" };
      await scene.make("child", { metadata: { ownerReferences: [owner] } });
      await sleep(quietMs);
      await scene.ok({ path: `${scene.cms}/child` });
    },
  },
  {
    row: 225,
    name: "deleting a Job without propagation policy returns a warning and keeps its pods",
    run: async (scene) => {
      const path = `/apis/batch/v1/namespaces/${scene.ns}/jobs`;
      await scene.ok({ method: "POST", path, body: job("j") });
      const pods = `/api/v1/namespaces/${scene.ns}/pods?labelSelector=batch.kubernetes.io/job-name=j`;
      await eventually(async () => assert.equal(itemsOf(await scene.ok({ path: pods })).length, 1));
      const answer = await scene.ask({ method: "DELETE", path: `${path}/j` });
      assertAnswer(answer, {
        code: 200,
        warnings: [
          "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
        ],
      });
      await gone(scene, `${path}/j`);
      await eventually(async () => {
        const [left] = itemsOf(await scene.ok({ path: pods }));
        assertContains(left, { metadata: { ownerReferences: undefined, finalizers: undefined } } as never);
      });
    },
  },
  {
    row: 227,
    name: "the conditions of a terminating namespace say what remains",
    run: async (scene) => {
      const name = await scene.namespace("ends");
      const path = `/api/v1/namespaces/${name}/configmaps`;
      await scene.ok({ method: "POST", path, body: configMap("held", { metadata: { finalizers: ["x.io/a"] } }) });
      await scene.ok({ method: "DELETE", path: `/api/v1/namespaces/${name}` });
      await eventually(async () => {
        const namespace = await scene.ok({ path: `/api/v1/namespaces/${name}` });
        assertContains(namespace, { status: { phase: "Terminating" } });
        assertCondition(namespace, "NamespaceDeletionDiscoveryFailure", {
          status: "False",
          reason: "ResourcesDiscovered",
          message: "All resources successfully discovered",
        });
        assertCondition(namespace, "NamespaceDeletionGroupVersionParsingFailure", {
          status: "False",
          reason: "ParsedGroupVersions",
          message: "All legacy kube types successfully parsed",
        });
        assertCondition(namespace, "NamespaceDeletionContentFailure", {
          status: "False",
          reason: "ContentDeleted",
          message: "All content successfully deleted, may be waiting on finalization",
        });
        assertCondition(namespace, "NamespaceContentRemaining", {
          status: "True",
          reason: "SomeResourcesRemain",
          message: "Some resources are remaining: configmaps. has 1 resource instances",
        });
        assertCondition(namespace, "NamespaceFinalizersRemaining", {
          status: "True",
          reason: "SomeFinalizersRemain",
          message: "Some content in the namespace has finalizers remaining: x.io/a in 1 resource instances",
        });
      }, 30_000);
      await scene.merge(`${path}/held`, { metadata: { finalizers: null } });
      await gone(scene, `/api/v1/namespaces/${name}`);
    },
  },
  {
    row: 228,
    name: "the namespace default cannot be deleted",
    ask: { method: "DELETE", path: "/api/v1/namespaces/default" },
    code: 403,
    reason: "Forbidden",
    message: 'namespaces "default" is forbidden: this namespace may not be deleted',
  },
];
