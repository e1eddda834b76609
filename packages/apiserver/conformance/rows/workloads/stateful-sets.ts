import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { pathsOf, nameOf, names, said, image, changed, counted } from "../../rollouts.ts";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, gone, itemsOf, text } from "../../scene.ts";
import { statefulSet } from "../../workloads.ts";

async function imagesOf(scene: Scene): Promise<readonly string[]> {
  const pods = itemsOf(await scene.ok({ path: pathsOf(scene).pods }));
  return pods
    .map((one) => {
      const [container] = at(one, "spec", "containers") as unknown as readonly JsonObject[];
      return `${nameOf(one)} ${text(container ?? {}, "image").split(":")[1] ?? ""}`;
    })
    .toSorted();
}

export const statefulSetRows: readonly Row[] = [
  {
    row: 290,
    name: "a StatefulSet starts its pods in order",
    run: async (scene) => {
      const { stateful, pods, revisions } = pathsOf(scene);
      const watch = await scene.watch(`${stateful}?watch=true`);
      await scene.ok({
        method: "POST",
        path: stateful,
        body: statefulSet("s", { replicas: 2, serviceName: "svc" }),
      });
      const done = await counted(scene, `${stateful}/s`, { replicas: 2, readyReplicas: 2, availableReplicas: 2 });
      // The hash depends only on the template.
      const revision = "s-7798d4c587";
      assert.deepEqual(at(done, "status"), {
        observedGeneration: 1,
        replicas: 2,
        readyReplicas: 2,
        currentReplicas: 2,
        updatedReplicas: 2,
        currentRevision: revision,
        updateRevision: revision,
        collisionCount: 0,
        availableReplicas: 2,
      });
      const made = itemsOf(await scene.ok({ path: pods }));
      assert.deepEqual(made.map(nameOf).toSorted(), ["s-0", "s-1"]);
      assertContains(
        made.find((one) => nameOf(one) === "s-1"),
        {
          metadata: {
            generateName: "s-",
            labels: {
              app: "s",
              "apps.kubernetes.io/pod-index": "1",
              "controller-revision-hash": revision,
              "statefulset.kubernetes.io/pod-name": "s-1",
            },
          },
          spec: { hostname: "s-1", subdomain: "svc" },
        },
      );
      assertContains(await scene.ok({ path: `${revisions}/${revision}` }), {
        revision: 1,
        metadata: { labels: { app: "s", "controller.kubernetes.io/hash": "7798d4c587" } },
      });
      assert.deepEqual(await said(scene, "StatefulSet"), [
        "Normal SuccessfulCreate: Create Pod s-0 in StatefulSet s successful",
        "Normal SuccessfulCreate: Create Pod s-1 in StatefulSet s successful",
      ]);
      const seen: string[] = [];
      while (!seen.at(-1)?.startsWith("2 2")) {
        const status = at((await watch.next())?.object as unknown as JsonObject, "status") as JsonObject;
        const [all, ready] = [status["replicas"], status["readyReplicas"] ?? 0].map((count) => JSON.stringify(count));
        seen.push(`${all} ${ready}`);
      }
      // A pod is created after the previous one is ready; states may be merged.
      assert.equal(seen[0], "0 0");
      const second = seen.findIndex((state) => state.startsWith("2"));
      assert.ok(seen.slice(0, second).includes("1 1") && !seen.includes("2 0"), seen.join());
    },
  },
  {
    row: 291,
    name: "a StatefulSet is updated from its last pod to its first, and rolled back",
    run: async (scene) => {
      const { stateful, revisions } = pathsOf(scene);
      const path = `${stateful}/s`;
      await scene.ok({ method: "POST", path: stateful, body: statefulSet("s", { replicas: 2 }) });
      await counted(scene, path, { readyReplicas: 2 });
      await changed(scene, path, image("2"));
      const done = await counted(scene, path, { observedGeneration: 2, readyReplicas: 2, currentReplicas: 2 });
      assert.equal(text(done, "status", "currentRevision"), text(done, "status", "updateRevision"));
      assert.deepEqual(await imagesOf(scene), ["s-0 2", "s-1 2"]);
      await changed(scene, path, image("1"));
      await counted(scene, path, { observedGeneration: 3, readyReplicas: 2, currentReplicas: 2 });
      const held = itemsOf(await scene.ok({ path: revisions })).map((revision) => revision["revision"]);
      assert.deepEqual(new Set(held), new Set([2, 3]));
    },
  },
  {
    row: 291,
    name: "pods below the partition keep their revision",
    run: async (scene) => {
      const { stateful, pods } = pathsOf(scene);
      const path = `${stateful}/s`;
      const spec = { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } };
      await scene.ok({ method: "POST", path: stateful, body: statefulSet("s", spec) });
      await counted(scene, path, { readyReplicas: 2 });
      await changed(scene, path, image("2"));
      await counted(scene, path, { observedGeneration: 2, readyReplicas: 2, currentReplicas: 1, updatedReplicas: 1 });
      await scene.ok({ method: "DELETE", path: `${pods}/s-0?gracePeriodSeconds=0` });
      await eventually(async () => assert.deepEqual(await imagesOf(scene), ["s-0 1", "s-1 2"]));
    },
  },
  {
    row: 292,
    name: "a StatefulSet scales down from the highest ordinal",
    run: async (scene) => {
      const { stateful, pods } = pathsOf(scene);
      const path = `${stateful}/s`;
      const spec = { replicas: 3, podManagementPolicy: "Parallel", ordinals: { start: 4 } };
      await scene.ok({ method: "POST", path: stateful, body: statefulSet("s", spec) });
      await counted(scene, path, { readyReplicas: 3 });
      assert.equal((await scene.merge(`${path}/scale`, { spec: { replicas: 1 } })).code, 200);
      await counted(scene, path, { observedGeneration: 2, replicas: 1, readyReplicas: 1 });
      assert.deepEqual(await names(scene, pods), ["s-4"]);
    },
  },
  {
    row: 290,
    name: "a StatefulSet creates the claims of its pods and retains them",
    run: async (scene) => {
      const { stateful, claims } = pathsOf(scene);
      const claim = {
        metadata: { name: "data", labels: { l: "1" } },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      };
      const mounts = [{ name: "c", image: "example.com/app:1", volumeMounts: [{ name: "data", mountPath: "/d" }] }];
      const body = statefulSet("s", { volumeClaimTemplates: [claim] }, { containers: mounts });
      await scene.ok({ method: "POST", path: stateful, body });
      await eventually(async () => {
        assertContains(await scene.ok({ path: `${claims}/data-s-0` }), {
          metadata: {
            labels: { app: "s", l: "1" },
            finalizers: ["kubernetes.io/pvc-protection"],
            ownerReferences: undefined,
          },
          status: { phase: "Pending" },
        } as never);
        assert.ok(
          (await said(scene, "StatefulSet")).includes(
            "Normal SuccessfulCreate: Create Claim data-s-0 Pod s-0 in StatefulSet s success",
          ),
        );
      });
      await scene.ok({ method: "DELETE", path: `${stateful}/s` });
      await eventually(async () => assert.deepEqual(await names(scene, pathsOf(scene).pods), []));
      assert.deepEqual(await names(scene, claims), ["data-s-0"]);
      await scene.ok({ method: "DELETE", path: `${claims}/data-s-0` });
      await gone(scene, `${claims}/data-s-0`);
    },
  },
  {
    row: 295,
    name: "a deleted StatefulSet's pods and revisions are deleted",
    run: async (scene) => {
      const { stateful, pods, revisions } = pathsOf(scene);
      await scene.ok({ method: "POST", path: stateful, body: statefulSet("s") });
      await counted(scene, `${stateful}/s`, { readyReplicas: 1 });
      await scene.ok({ method: "DELETE", path: `${stateful}/s` });
      await eventually(async () => {
        assert.deepEqual(await names(scene, pods), []);
        assert.deepEqual(await names(scene, revisions), []);
      });
    },
  },
  {
    row: 294,
    name: "a StatefulSet whose pods are refused",
    run: async (scene) => {
      const { stateful } = pathsOf(scene);
      const body = statefulSet("s", {}, { serviceAccountName: "nosa" });
      await scene.ok({ method: "POST", path: stateful, body });
      const why = `pods "s-0" is forbidden: error looking up service account ${scene.ns}/nosa: serviceaccount "nosa" not found`;
      await eventually(async () => {
        assert.deepEqual(await said(scene, "StatefulSet"), [
          `Warning FailedCreate: Create Pod s-0 in StatefulSet s failed error: ${why}`,
        ]);
        assertContains(await scene.ok({ path: `${stateful}/s` }), {
          status: { observedGeneration: 1, replicas: 0 },
        });
      });
    },
  },
  {
    row: 88,
    name: "the mutable fields of a StatefulSet",
    run: async (scene) => {
      const { stateful } = pathsOf(scene);
      await scene.ok({ method: "POST", path: stateful, body: statefulSet("s", { replicas: 0 }) });
      assertAnswer(await scene.merge(`${stateful}/s`, { spec: { serviceName: "other" } }), {
        code: 422,
        reason: "Invalid",
        message:
          "StatefulSet.apps \"s\" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      });
    },
  },
];
