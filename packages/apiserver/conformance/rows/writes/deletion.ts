import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import { at, configMap, gone, namesOf, ownedBy, text } from "../../scene.ts";

const cms = "/api/v1/namespaces/{ns}/configmaps";

function deleteOptions(more: JsonObject): JsonObject {
  return { kind: "DeleteOptions", apiVersion: "v1", ...more };
}

export const deletionRows: readonly Row[] = [
  {
    row: 207,
    name: "deleting a ConfigMap returns a Status",
    ask: { method: "DELETE", path: `${cms}/a` },
    code: 200,
    contains: { kind: "Status", status: "Success", details: { name: "a", kind: "configmaps" } },
  },
  {
    row: 207,
    name: "deleting a Service returns the Service",
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}/services`;
      await scene.ok({ method: "POST", path, body: { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } } });
      assertContains(await scene.ok({ method: "DELETE", path: `${path}/s` }), {
        kind: "Service",
        metadata: { name: "s" },
      });
    },
  },
  { row: 208, name: "what is missing", ask: { method: "DELETE", path: `${cms}/none` }, code: 404 },
  {
    row: 209,
    name: "another uid is a conflict about the Kind",
    ask: { method: "DELETE", path: `${cms}/a`, body: deleteOptions({ preconditions: { uid: "zz" } }) },
    code: 409,
    contains: { details: { kind: "ConfigMap" } },
  },
  {
    row: 209,
    name: "another revision is a conflict about the Kind",
    ask: { method: "DELETE", path: `${cms}/a`, body: deleteOptions({ preconditions: { resourceVersion: "1" } }) },
    code: 409,
    contains: { details: { kind: "ConfigMap" } },
  },
  {
    row: 210,
    name: "an object with a finalizer is kept until the finalizer is removed",
    run: async (scene) => {
      await scene.make("held", { metadata: { finalizers: ["x.io/a"] } });
      const path = `${scene.cms}/held`;
      const deleted = await scene.ok({ method: "DELETE", path });
      assertContains(deleted, { metadata: { deletionGracePeriodSeconds: 0, name: "held" } });
      await scene.merge(path, { metadata: { finalizers: null } });
      assert.equal((await scene.ask({ path })).code, 404);
    },
  },
  {
    row: 211,
    name: "a terminating object cannot get new finalizers",
    run: async (scene) => {
      await scene.make("held", { metadata: { finalizers: ["x.io/a"] } });
      const path = `${scene.cms}/held`;
      await scene.ok({ method: "DELETE", path });
      const answer = await scene.merge(path, { metadata: { finalizers: ["x.io/a", "x.io/b"] } });
      assert.equal(answer.code, 422);
      assert.match(answer.message, /no new finalizers can be added if the object is being deleted/);
      assertAnswer(await scene.ask({ method: "POST", path: scene.cms, body: configMap("held") }), {
        code: 409,
        message: 'object is being deleted: configmaps "held" already exists',
      });
      await scene.merge(path, { metadata: { finalizers: null } });
    },
  },
  {
    row: 213,
    name: "an unknown propagation policy",
    ask: { method: "DELETE", path: `${cms}/a?propagationPolicy=Nope` },
    code: 422,
  },
  {
    row: 213,
    name: "both orphanDependents and propagationPolicy",
    ask: {
      method: "DELETE",
      path: `${cms}/a`,
      body: deleteOptions({ propagationPolicy: "Orphan", orphanDependents: true }),
    },
    code: 422,
  },
  {
    row: 214,
    name: "options of another kind",
    ask: { method: "DELETE", path: `${cms}/a`, body: { kind: "Foo", apiVersion: "v1" } },
    code: 400,
  },
  {
    row: 214,
    name: "unknown fields in options",
    ask: { method: "DELETE", path: `${cms}/a`, body: deleteOptions({ bogus: 1 }) },
    code: 200,
  },
  {
    row: 215,
    name: "deletecollection by label returns the deleted objects, a dry run deletes nothing",
    run: async (scene) => {
      for (const name of ["c1", "c2"]) await scene.make(name, { metadata: { labels: { set: "c" } } });
      const path = `${scene.cms}?labelSelector=set=c`;
      assert.equal((await scene.ask({ method: "DELETE", path: `${path}&dryRun=All` })).code, 200);
      assert.deepEqual(namesOf(await scene.ok({ path })), ["c1", "c2"]);
      assert.deepEqual(namesOf(await scene.ok({ method: "DELETE", path })), ["c1", "c2"]);
      assert.deepEqual(namesOf(await scene.ok({ path })), []);
    },
  },
  {
    row: 217,
    name: "background deletion deletes dependents after their owner",
    run: async (scene) => {
      const owner = await scene.make("owner");
      await scene.make("child", { metadata: { ownerReferences: [ownedBy(owner)] } });
      await scene.ok({ method: "DELETE", path: `${scene.cms}/owner?propagationPolicy=Background` });
      await gone(scene, `${scene.cms}/child`);
    },
  },
  {
    row: 218,
    name: "foreground deletion waits for a blocking dependent",
    run: async (scene) => {
      const owner = await scene.make("owner");
      const reference = ownedBy(owner, { blockOwnerDeletion: true });
      await scene.make("child", { metadata: { ownerReferences: [reference], finalizers: ["x.io/a"] } });
      await scene.ok({ method: "DELETE", path: `${scene.cms}/owner?propagationPolicy=Foreground` });
      await eventually(async () =>
        assert.notEqual(text(await scene.ok({ path: `${scene.cms}/child` }), "metadata", "deletionTimestamp"), ""),
      );
      assert.equal((await scene.ask({ path: `${scene.cms}/owner` })).code, 200);
      await scene.merge(`${scene.cms}/child`, { metadata: { finalizers: null } });
      await gone(scene, `${scene.cms}/owner`);
    },
  },
  {
    row: 219,
    name: "orphaned dependents lose the owner reference and are kept",
    run: async (scene) => {
      const owner = await scene.make("owner");
      await scene.make("child", { metadata: { ownerReferences: [ownedBy(owner)] } });
      await scene.ok({ method: "DELETE", path: `${scene.cms}/owner?propagationPolicy=Orphan` });
      await gone(scene, `${scene.cms}/owner`);
      assert.equal(at(await scene.ok({ path: `${scene.cms}/child` }), "metadata", "ownerReferences"), undefined);
    },
  },
  {
    row: 220,
    name: "an object whose owner does not exist is deleted",
    run: async (scene) => {
      const nobody = { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: "0000" };
      await scene.make("child", { metadata: { ownerReferences: [nobody] } });
      await gone(scene, `${scene.cms}/child`);
    },
  },
  {
    row: 221,
    name: "the reference to a missing owner is removed when another owner exists",
    run: async (scene) => {
      const owner = await scene.make("owner");
      const nobody = { apiVersion: "v1", kind: "ConfigMap", name: "nobody", uid: "0000" };
      await scene.make("child", { metadata: { ownerReferences: [ownedBy(owner), nobody] } });
      await eventually(async () => {
        const held = at(await scene.ok({ path: `${scene.cms}/child` }), "metadata", "ownerReferences");
        assert.deepEqual(held, [ownedBy(owner)]);
      });
    },
  },
  {
    row: 226,
    name: "a terminating namespace refuses creates and is deleted with its content",
    run: async (scene) => {
      const name = await scene.namespace("ends");
      const path = `/api/v1/namespaces/${name}/configmaps`;
      await scene.ok({ method: "POST", path, body: configMap("held", { metadata: { finalizers: ["x.io/a"] } }) });
      await scene.ok({ method: "DELETE", path: `/api/v1/namespaces/${name}` });
      const refused = await scene.ask({ method: "POST", path, body: configMap("late") });
      assert.equal(refused.code, 403);
      const [cause] = at(refused.object, "details", "causes") as unknown as readonly { readonly reason: string }[];
      assert.equal(cause?.reason, "NamespaceTerminating");
      await scene.merge(`${path}/held`, { metadata: { finalizers: null } });
      await gone(scene, `/api/v1/namespaces/${name}`);
    },
  },
  {
    row: 229,
    name: "the name label of a namespace is restored",
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}`;
      const answer = await scene.merge(path, { metadata: { labels: { "kubernetes.io/metadata.name": null } } });
      assert.equal(at(answer.object, "metadata", "labels", "kubernetes.io/metadata.name"), scene.ns);
    },
  },
];
