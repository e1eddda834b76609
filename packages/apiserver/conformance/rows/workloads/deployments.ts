import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { names, pathsOf, unscheduled, said, image, changed, conditions, assertCondition } from "../../rollouts.ts";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, gone, itemsOf, text } from "../../scene.ts";
import { deployment } from "../../workloads.ts";

async function setsOf(scene: Scene): Promise<readonly JsonObject[]> {
  const sets = itemsOf(await scene.ok({ path: pathsOf(scene).sets }));
  const revision = (set: JsonObject): number =>
    Number(text(set, "metadata", "annotations", "deployment.kubernetes.io/revision"));
  return sets.toSorted((a, b) => revision(a) - revision(b));
}

async function complete(scene: Scene, name: string, replicas: number, generation?: number): Promise<JsonObject> {
  const path = `${pathsOf(scene).deployments}/${name}`;
  await eventually(async () => {
    const now = await scene.ok({ path });
    assertContains(now, {
      status: {
        ...(generation === undefined ? {} : { observedGeneration: generation }),
        replicas,
        updatedReplicas: replicas,
        readyReplicas: replicas,
        availableReplicas: replicas,
      },
    });
    assertCondition(now, "Progressing", { reason: "NewReplicaSetAvailable" });
  });
  return scene.ok({ path });
}

/** A row about the deletion of a Deployment, with the order in which its dependents are deleted. */
function cascade(propagation: "Background" | "Foreground" | "Orphan", check: (scene: Scene) => Promise<void>): Row {
  return {
    row: 295,
    name: propagation,
    run: async (scene) => {
      const { deployments } = pathsOf(scene);
      await scene.ok({ method: "POST", path: deployments, body: deployment("d", { replicas: 1 }) });
      await complete(scene, "d", 1);
      await scene.ok({ method: "DELETE", path: `${deployments}/d?propagationPolicy=${propagation}` });
      await check(scene);
    },
  };
}

export const deploymentRows: readonly Row[] = [
  {
    row: 290,
    name: "a Deployment rolls out",
    run: async (scene) => {
      const { deployments, pods } = pathsOf(scene);
      const watch = await scene.watch(`${deployments}?watch=true`);
      await scene.ok({ method: "POST", path: deployments, body: deployment("d", { replicas: 2 }) });
      const done = await complete(scene, "d", 2);
      assertContains(done, {
        metadata: { generation: 1, annotations: { "deployment.kubernetes.io/revision": "1" } },
        status: { observedGeneration: 1, unavailableReplicas: undefined },
      } as never);
      const [set] = await setsOf(scene);
      const name = text(set ?? {}, "metadata", "name");
      assert.match(name, /^d-[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
      assertContains(set, {
        metadata: {
          annotations: {
            "deployment.kubernetes.io/desired-replicas": "2",
            "deployment.kubernetes.io/max-replicas": "3",
            "deployment.kubernetes.io/revision": "1",
          },
          labels: { app: "d", "pod-template-hash": name.slice(2) },
        },
        status: { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 2, observedGeneration: 1 },
      });
      const [owner] = at(set, "metadata", "ownerReferences") as unknown as readonly JsonObject[];
      assertContains(owner, { kind: "Deployment", name: "d", controller: true, blockOwnerDeletion: true });
      assertCondition(done, "Available", {
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      });
      assertCondition(done, "Progressing", {
        status: "True",
        reason: "NewReplicaSetAvailable",
        message: `ReplicaSet "${name}" has successfully progressed.`,
      });
      const made = itemsOf(await scene.ok({ path: pods }));
      assert.equal(made.length, 2);
      for (const one of made) {
        assert.equal(text(one, "metadata", "generateName"), `${name}-`);
        assertContains(one, { status: { phase: "Running" } });
      }
      await eventually(async () => {
        assert.deepEqual(await said(scene, "Deployment"), [
          `Normal ScalingReplicaSet: Scaled up replica set ${name} from 0 to 2`,
        ]);
        assert.deepEqual(
          (await said(scene, "ReplicaSet")).filter((event) => event.includes(" SuccessfulCreate: ")),
          made.map((one) => `Normal SuccessfulCreate: Created pod: ${text(one, "metadata", "name")}`).toSorted(),
        );
      });
      // Successive states of the object; some may be merged.
      const seen: string[] = [];
      for (;;) {
        const event = await watch.next();
        if (event === undefined) break;
        const state = event.object as unknown as JsonObject;
        const progress = conditions(state).find((condition) => condition["type"] === "Progressing");
        const step = text(progress ?? {}, "reason");
        if (step !== seen.at(-1)) seen.push(step);
        if (step === "NewReplicaSetAvailable") break;
      }
      assert.equal(seen[0], "");
      assert.equal(seen[1], "NewReplicaSetCreated");
      assert.equal(seen.at(-1), "NewReplicaSetAvailable");
      assert.ok(seen.length <= 4, seen.join());
    },
  },
  {
    row: 290,
    name: "a Deployment with unready pods",
    run: async (scene) => {
      const { deployments } = pathsOf(scene);
      await scene.ok({ method: "POST", path: deployments, body: deployment("d", { replicas: 2 }, unscheduled) });
      await eventually(async () => {
        const now = await scene.ok({ path: `${deployments}/d` });
        assertContains(now, {
          status: { replicas: 2, updatedReplicas: 2, unavailableReplicas: 2, readyReplicas: undefined },
        } as never);
        assertCondition(now, "Available", {
          status: "False",
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
        });
        const [set] = await setsOf(scene);
        assertCondition(now, "Progressing", {
          status: "True",
          reason: "ReplicaSetUpdated",
          message: `ReplicaSet "${text(set ?? {}, "metadata", "name")}" is progressing.`,
        });
      });
    },
  },
  {
    row: 291,
    name: "a new template creates a second ReplicaSet, a former one reuses its own",
    run: async (scene) => {
      const { deployments } = pathsOf(scene);
      await scene.ok({ method: "POST", path: deployments, body: deployment("d", { replicas: 2 }) });
      await complete(scene, "d", 2);
      await changed(scene, `${deployments}/d`, image("2"));
      const done = await complete(scene, "d", 2, 2);
      assertContains(done, { metadata: { annotations: { "deployment.kubernetes.io/revision": "2" } } });
      const [first, second] = await setsOf(scene);
      const [old, fresh] = [first, second].map((set) => text(set ?? {}, "metadata", "name"));
      assertContains(first, { spec: { replicas: 0 }, status: { replicas: 0 } });
      assertContains(second, { spec: { replicas: 2 } });
      await eventually(async () => {
        const events = await said(scene, "Deployment");
        for (const step of [
          `Scaled up replica set ${fresh ?? ""} from 0 to 1`,
          `Scaled down replica set ${old ?? ""} from 2 to 1`,
          `Scaled up replica set ${fresh ?? ""} from 1 to 2`,
          `Scaled down replica set ${old ?? ""} from 1 to 0`,
        ])
          assert.ok(
            events.includes(`Normal ScalingReplicaSet: ${step}`),
            `${step}\n  is not in\n  ${events.join("\n  ")}`,
          );
      });
      await changed(scene, `${deployments}/d`, image("1"));
      assertContains(await complete(scene, "d", 2, 3), {
        metadata: { annotations: { "deployment.kubernetes.io/revision": "3" } },
      });
      assert.deepEqual(
        (await setsOf(scene)).map((set) => text(set, "metadata", "name")),
        [fresh, old],
      );
    },
  },
  {
    row: 292,
    name: "scale, pause, resume",
    run: async (scene) => {
      const { deployments } = pathsOf(scene);
      const path = `${deployments}/d`;
      await scene.ok({ method: "POST", path: deployments, body: deployment("d", { replicas: 1 }) });
      await complete(scene, "d", 1);
      assert.equal((await scene.merge(`${path}/scale`, { spec: { replicas: 3 } })).code, 200);
      await complete(scene, "d", 3, 2);
      const [set] = await setsOf(scene);
      assertContains(set, {
        metadata: {
          annotations: {
            "deployment.kubernetes.io/desired-replicas": "3",
            "deployment.kubernetes.io/max-replicas": "4",
          },
        },
      });
      await scene.merge(path, { spec: { paused: true } });
      await eventually(async () =>
        assertCondition(await scene.ok({ path }), "Progressing", {
          status: "Unknown",
          reason: "DeploymentPaused",
          message: "Deployment is paused",
        }),
      );
      await changed(scene, path, image("2"));
      await scene.merge(path, { spec: { replicas: 2 } });
      await eventually(async () => {
        const sets = await setsOf(scene);
        assert.equal(sets.length, 1);
        assertContains(sets[0], { spec: { replicas: 2 } });
      });
      await scene.merge(path, { spec: { paused: false } });
      await complete(scene, "d", 2);
      await eventually(async () => assert.equal((await setsOf(scene)).length, 2));
    },
  },
  {
    row: 292,
    name: "of surplus pods the one with the lowest deletion cost is deleted",
    run: async (scene) => {
      const { deployments, pods } = pathsOf(scene);
      await scene.ok({ method: "POST", path: deployments, body: deployment("d", { replicas: 3 }) });
      await complete(scene, "d", 3);
      const held = await names(scene, pods);
      const cheap = held[1] ?? "";
      const annotations = { "controller.kubernetes.io/pod-deletion-cost": "-5" };
      assert.equal((await scene.merge(`${pods}/${cheap}`, { metadata: { annotations } })).code, 200);
      // Time for the controller's cache to see it.
      await new Promise((resolve) => setTimeout(resolve, 500));
      await scene.merge(`${deployments}/d`, { spec: { replicas: 2 } });
      await eventually(async () =>
        assert.deepEqual(
          await names(scene, pods),
          held.filter((name) => name !== cheap),
        ),
      );
    },
  },
  {
    row: 293,
    name: "ProgressDeadlineExceeded",
    run: async (scene) => {
      const { deployments } = pathsOf(scene);
      const body = deployment("d", { replicas: 1, progressDeadlineSeconds: 2 }, unscheduled);
      await scene.ok({ method: "POST", path: deployments, body });
      await eventually(async () => {
        const [set] = await setsOf(scene);
        assertCondition(await scene.ok({ path: `${deployments}/d` }), "Progressing", {
          status: "False",
          reason: "ProgressDeadlineExceeded",
          message: `ReplicaSet "${text(set ?? {}, "metadata", "name")}" has timed out progressing.`,
        });
      });
    },
  },
  {
    row: 294,
    name: "pods with a missing service account",
    run: async (scene) => {
      const { deployments } = pathsOf(scene);
      await scene.ok({ method: "POST", path: deployments, body: deployment("d", {}, { serviceAccountName: "nosa" }) });
      await eventually(async () => {
        const [set = {}] = await setsOf(scene);
        const name = text(set, "metadata", "name");
        const why = `pods "${name}-" is forbidden: error looking up service account ${scene.ns}/nosa: serviceaccount "nosa" not found`;
        const failed = { status: "True", reason: "FailedCreate", message: why };
        assertCondition(set, "ReplicaFailure", failed);
        assertCondition(await scene.ok({ path: `${deployments}/d` }), "ReplicaFailure", failed);
        const events = await said(scene, "ReplicaSet");
        assert.ok(events.includes(`Warning FailedCreate: Error creating: ${why}`), events.join("\n"));
      });
    },
  },
  {
    row: 294,
    name: "pods that exceed a quota",
    run: async (scene) => {
      const { deployments } = pathsOf(scene);
      const quota = { metadata: { name: "q" }, spec: { hard: { pods: "0" } } };
      await scene.ok({ method: "POST", path: `/api/v1/namespaces/${scene.ns}/resourcequotas`, body: quota });
      await eventually(async () =>
        assertContains(await scene.ok({ path: `/api/v1/namespaces/${scene.ns}/resourcequotas/q` }), {
          status: { hard: { pods: "0" }, used: { pods: "0" } },
        }),
      );
      await scene.ok({ method: "POST", path: deployments, body: deployment("d") });
      await eventually(async () => {
        const now = await scene.ok({ path: `${deployments}/d` });
        const failure = conditions(now).find((condition) => condition["type"] === "ReplicaFailure") ?? {};
        assertContains(failure, { status: "True", reason: "FailedCreate" });
        assert.match(
          text(failure, "message"),
          /^pods "d-[^"]+" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0$/,
        );
      });
    },
  },
  cascade("Background", async (scene) => {
    const { deployments, sets, pods } = pathsOf(scene);
    assert.equal((await scene.ask({ path: `${deployments}/d` })).code, 404);
    await eventually(async () => {
      assert.equal(itemsOf(await scene.ok({ path: sets })).length, 0);
      assert.equal(itemsOf(await scene.ok({ path: pods })).length, 0);
    });
  }),
  cascade("Foreground", async (scene) => {
    const { deployments, sets, pods } = pathsOf(scene);
    await gone(scene, `${deployments}/d`);
    assert.equal(itemsOf(await scene.ok({ path: sets })).length, 0);
    assert.equal(itemsOf(await scene.ok({ path: pods })).length, 0);
  }),
  cascade("Orphan", async (scene) => {
    const { deployments } = pathsOf(scene);
    await gone(scene, `${deployments}/d`);
    const [set] = await setsOf(scene);
    assertContains(set, { metadata: { ownerReferences: undefined }, status: { readyReplicas: 1 } } as never);
  }),
];
