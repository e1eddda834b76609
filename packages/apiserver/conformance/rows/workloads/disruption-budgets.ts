import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { pathsOf, said, counted } from "../../rollouts.ts";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at } from "../../scene.ts";
import { daemonSet, pod, statefulSet } from "../../workloads.ts";

/** Budgets and refused evictions. */
export const budgetRows: readonly Row[] = [
  {
    row: 298,
    name: "an eviction decrements a budget and a new pod increments it",
    run: async (scene) => {
      const { stateful, budgets, pods } = pathsOf(scene);
      const spec = { maxUnavailable: 1, selector: { matchLabels: { app: "s" } } };
      await scene.ok({ method: "POST", path: budgets, body: { metadata: { name: "b" }, spec } });
      await scene.ok({ method: "POST", path: stateful, body: statefulSet("s", { replicas: 2 }) });
      const full = { currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, disruptionsAllowed: 1 };
      const before = await counted(scene, `${budgets}/b`, full);
      const [condition = {}] = at(before, "status", "conditions") as unknown as readonly JsonObject[];
      assertContains(condition, { type: "DisruptionAllowed", status: "True", reason: "SufficientPods" });
      const watch = await scene.watch(`${budgets}?watch=true`);
      const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "s-0" } };
      assertAnswer(await scene.ask({ method: "POST", path: `${pods}/s-0/eviction`, body }), { code: 201 });
      for (let spent = false; !spent;) {
        const status = at((await watch.next())?.object as unknown as JsonObject, "status") as JsonObject;
        spent = status["disruptionsAllowed"] === 0 && at(status, "disruptedPods", "s-0") !== undefined;
      }
      await counted(scene, `${budgets}/b`, full);
    },
  },
  {
    row: 298,
    name: "a budget over pods without a scalable controller",
    run: async (scene) => {
      const { daemons, budgets } = pathsOf(scene);
      await scene.ok({ method: "POST", path: daemons, body: daemonSet("d") });
      await counted(scene, `${daemons}/d`, { observedGeneration: 1 });
      const spec = { maxUnavailable: 1, selector: { matchLabels: { app: "d" } } };
      await scene.ok({ method: "POST", path: budgets, body: { metadata: { name: "b" }, spec } });
      await eventually(async () => {
        const held = await scene.ok({ path: `${budgets}/b` });
        const [condition = {}] = (at(held, "status", "conditions") ?? []) as unknown as readonly JsonObject[];
        assertContains(condition, {
          status: "False",
          reason: "SyncFailed",
          message: "daemonsets.apps does not implement the scale subresource",
        });
      });
    },
  },
  {
    row: 298,
    name: "a budget over pods without a controller",
    run: async (scene) => {
      const { pods, budgets } = pathsOf(scene);
      await scene.ok({ method: "POST", path: pods, body: pod("p") });
      const spec = { maxUnavailable: 1, selector: { matchLabels: { app: "p" } } };
      await scene.ok({ method: "POST", path: budgets, body: { metadata: { name: "b" }, spec } });
      await counted(scene, `${budgets}/b`, { currentHealthy: 1, expectedPods: 0, disruptionsAllowed: 0 });
      await eventually(async () =>
        assert.ok(
          (await said(scene, "PodDisruptionBudget")).some((event) =>
            event.startsWith(
              "Warning UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: p,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged.",
            ),
          ),
        ),
      );
    },
  },
  {
    row: 298,
    name: "an eviction that is allowed, and one that a budget refuses",
    run: async (scene) => {
      const { pods } = pathsOf(scene);
      const budgets = `/apis/policy/v1/namespaces/${scene.ns}/poddisruptionbudgets`;
      await scene.ok({
        method: "POST",
        path: budgets,
        body: { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "kept" } } } },
      });
      for (const name of ["kept", "free"]) await scene.ok({ method: "POST", path: pods, body: pod(name) });
      await eventually(async () =>
        assertContains(await scene.ok({ path: `${budgets}/b` }), {
          status: { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 },
        }),
      );
      const evict = (name: string): ReturnType<Scene["ask"]> =>
        scene.ask({
          method: "POST",
          path: `${pods}/${name}/eviction`,
          body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } },
        });
      assertAnswer(await evict("free"), { code: 201, contains: { kind: "Status", status: "Success" } });
      const refused = await evict("kept");
      assertAnswer(refused, {
        code: 429,
        reason: "TooManyRequests",
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
      });
      const [cause] = at(refused.object, "details", "causes") as unknown as readonly JsonObject[];
      assertContains(cause, {
        reason: "DisruptionBudget",
        message: "The disruption budget b needs 1 healthy pods and has 1 currently",
      });
    },
  },
];
