import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { pathsOf, unscheduled, nameOf, names, said, counted, conditions, assertCondition } from "../../rollouts.ts";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains } from "../../row.ts";
import { at, itemsOf, text } from "../../scene.ts";
import { job } from "../../workloads.ts";

export const jobRows: readonly Row[] = [
  {
    row: 296,
    name: "a Job that succeeds",
    run: async (scene) => {
      const { jobs, pods } = pathsOf(scene);
      const watch = await scene.watch(`${pods}?watch=true`);
      await scene.ok({ method: "POST", path: jobs, body: job("j") });
      await eventually(async () => {
        const now = await scene.ok({ path: `${jobs}/j` });
        assertCondition(now, "SuccessCriteriaMet", {
          status: "True",
          reason: "CompletionsReached",
          message: "Reached expected number of succeeded pods",
        });
        assertCondition(now, "Complete", {
          status: "True",
          reason: "CompletionsReached",
          message: "Reached expected number of succeeded pods",
        });
        assertContains(now, { status: { succeeded: 1, uncountedTerminatedPods: {}, active: undefined } } as never);
        assert.notEqual(text(now, "status", "completionTime"), "");
        assert.deepEqual(
          conditions(now).map(({ type }) => type),
          ["SuccessCriteriaMet", "Complete"],
        );
      });
      const first = await watch.next();
      assertContains(first?.object as never, {
        metadata: {
          finalizers: ["batch.kubernetes.io/job-tracking"],
          labels: { "batch.kubernetes.io/job-name": "j", "job-name": "j" },
        },
      });
      assert.match(first?.object.metadata.name ?? "", /^j-[a-z0-9]{5}$/);
      await eventually(async () => {
        const [made] = itemsOf(await scene.ok({ path: pods }));
        assertContains(made, { metadata: { finalizers: undefined } } as never);
        assert.deepEqual(await said(scene, "Job"), [
          "Normal Completed: Job completed",
          `Normal SuccessfulCreate: Created pod: ${text(made ?? {}, "metadata", "name")}`,
        ]);
      });
    },
  },
  {
    row: 296,
    name: "a Job that fails",
    run: async (scene) => {
      const { jobs, pods } = pathsOf(scene);
      await scene.ok({ method: "POST", path: jobs, body: job("j", { backoffLimit: 0 }, unscheduled) });
      let name = "";
      await eventually(async () => {
        name = text(itemsOf(await scene.ok({ path: pods }))[0] ?? {}, "metadata", "name");
        assert.notEqual(name, "");
      });
      const answer = await scene.merge(`${pods}/${name}/status`, { status: { phase: "Failed" } });
      assert.equal(answer.code, 200, answer.text);
      const limit = {
        status: "True",
        reason: "BackoffLimitExceeded",
        message: "Job has reached the specified backoff limit",
      };
      await eventually(async () => {
        const now = await scene.ok({ path: `${jobs}/j` });
        assertCondition(now, "FailureTarget", limit);
        assertCondition(now, "Failed", limit);
        assertContains(now, { status: { failed: 1 } });
        assert.deepEqual(
          conditions(now).map(({ type }) => type),
          ["FailureTarget", "Failed"],
        );
      });
      await eventually(async () =>
        assert.ok(
          (await said(scene, "Job")).includes(
            "Warning BackoffLimitExceeded: Job has reached the specified backoff limit",
          ),
        ),
      );
    },
  },
  {
    row: 296,
    name: "a Job that is suspended and resumed",
    run: async (scene) => {
      const { jobs, pods } = pathsOf(scene);
      const path = `${jobs}/j`;
      await scene.ok({ method: "POST", path: jobs, body: job("j", { suspend: true }, { schedulerName: "nobody" }) });
      const conditionIs = (expected: JsonObject): Promise<void> =>
        eventually(async () => {
          const [condition = {}] = (at(await scene.ok({ path }), "status", "conditions") ??
            []) as unknown as readonly JsonObject[];
          assertContains(condition, expected);
        });
      await conditionIs({ type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" });
      assertContains(await scene.ok({ path }), {
        status: { ready: 0, terminating: 0, uncountedTerminatedPods: {}, startTime: undefined, active: undefined },
      } as never);
      await scene.merge(path, { spec: { suspend: false } });
      await conditionIs({ type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" });
      await counted(scene, path, { active: 1 });
      await scene.merge(path, { spec: { suspend: true } });
      await conditionIs({ status: "True", reason: "JobSuspended" });
      await eventually(async () => {
        assert.deepEqual(await names(scene, pods), []);
        assertContains(await scene.ok({ path }), {
          status: { active: undefined, failed: undefined, terminating: 0, startTime: undefined },
        } as never);
      });
      const events = (await said(scene, "Job")).map((event) => event.split(":")[0]);
      assert.deepEqual(events, [
        "Normal Resumed",
        "Normal SuccessfulCreate",
        "Normal SuccessfulDelete",
        "Normal Suspended",
      ]);
    },
  },
  {
    row: 296,
    name: "a Job with an index for each pod",
    run: async (scene) => {
      const { jobs, pods } = pathsOf(scene);
      const spec = { completionMode: "Indexed", completions: 4, parallelism: 2 };
      await scene.ok({ method: "POST", path: jobs, body: job("j", spec) });
      const done = await counted(scene, `${jobs}/j`, { succeeded: 4, completedIndexes: "0-3" });
      assertContains(done, { status: { uncountedTerminatedPods: {}, ready: 0 } });
      const first = itemsOf(await scene.ok({ path: pods })).find((one) => nameOf(one).startsWith("j-0-"));
      const index = "batch.kubernetes.io/job-completion-index";
      assertContains(first, {
        metadata: { generateName: "j-0-", labels: { [index]: "0" }, annotations: { [index]: "0" } },
        spec: { hostname: "j-0" },
      });
      const [container = {}] = at(first, "spec", "containers") as unknown as readonly JsonObject[];
      assert.deepEqual(container["env"], [
        {
          name: "JOB_COMPLETION_INDEX",
          valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: `metadata.labels['${index}']` } },
        },
      ]);
    },
  },
  {
    row: 296,
    name: "a Job whose parallelism shrinks",
    run: async (scene) => {
      const { jobs } = pathsOf(scene);
      const spec = { parallelism: 3, completions: 5 };
      await scene.ok({ method: "POST", path: jobs, body: job("j", spec, { schedulerName: "nobody" }) });
      await counted(scene, `${jobs}/j`, { active: 3, terminating: 0 });
      await scene.merge(`${jobs}/j`, { spec: { parallelism: 1 } });
      const less = await counted(scene, `${jobs}/j`, { active: 1, terminating: 0 });
      assertContains(less, { status: { failed: undefined } } as never);
    },
  },
  {
    row: 296,
    name: "a Job past its deadline",
    run: async (scene) => {
      const { jobs, pods } = pathsOf(scene);
      const body = job("j", { activeDeadlineSeconds: 1 }, { schedulerName: "nobody" });
      await scene.ok({ method: "POST", path: jobs, body });
      const failed = await counted(scene, `${jobs}/j`, { failed: 1, terminating: 0, uncountedTerminatedPods: {} });
      assert.equal(text(failed, "status", "completionTime"), "");
      await eventually(async () => {
        const held = at(await scene.ok({ path: `${jobs}/j` }), "status", "conditions");
        const why = { reason: "DeadlineExceeded", message: "Job was active longer than specified deadline" };
        assert.deepEqual(
          (held as unknown as readonly JsonObject[]).map(({ type, reason, message }) => ({ type, reason, message })),
          ["FailureTarget", "Failed"].map((type) => ({ type, ...why })),
        );
        assert.deepEqual(await names(scene, pods), []);
      });
    },
  },
];
