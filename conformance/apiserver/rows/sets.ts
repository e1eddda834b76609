import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/json.ts";
import { kubectlIn } from "../kubectl.ts";
import type { Row } from "../row.ts";
import { assertContains, assertTold, eventually } from "../row.ts";
import type { Scene } from "../scene.ts";
import { at, gone, itemsOf, text } from "../scene.ts";
import { cronJob, daemonSet, job, pod, statefulSet } from "../workloads.ts";

const rolledOutMs = 30_000;

interface Paths {
  readonly stateful: string;
  readonly daemons: string;
  readonly revisions: string;
  readonly pods: string;
  readonly claims: string;
  readonly budgets: string;
  readonly cronJobs: string;
  readonly jobs: string;
}

function pathsOf({ ns }: Scene): Paths {
  const apps = `/apis/apps/v1/namespaces/${ns}`;
  return {
    stateful: `${apps}/statefulsets`,
    daemons: `${apps}/daemonsets`,
    revisions: `${apps}/controllerrevisions`,
    pods: `/api/v1/namespaces/${ns}/pods`,
    claims: `/api/v1/namespaces/${ns}/persistentvolumeclaims`,
    budgets: `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`,
    cronJobs: `/apis/batch/v1/namespaces/${ns}/cronjobs`,
    jobs: `/apis/batch/v1/namespaces/${ns}/jobs`,
  };
}

function name(object: JsonObject): string {
  return text(object, "metadata", "name");
}

async function names(scene: Scene, path: string): Promise<readonly string[]> {
  return itemsOf(await scene.ok({ path }))
    .map(name)
    .toSorted();
}

async function said(scene: Scene, kind: string): Promise<readonly string[]> {
  const events = itemsOf(await scene.ok({ path: `/api/v1/namespaces/${scene.ns}/events` }));
  return events
    .filter((event) => text(event, "involvedObject", "kind") === kind)
    .map((event) => `${text(event, "type")} ${text(event, "reason")}: ${text(event, "message")}`)
    .toSorted();
}

function image(tag: string): JsonObject {
  return { spec: { template: { spec: { containers: [{ name: "c", image: `example.com/app:${tag}` }] } } } };
}

async function changed(scene: Scene, path: string, patch: JsonObject): Promise<void> {
  const told = await scene.patch("strategic-merge-patch", path, patch);
  assert.equal(told.code, 200, told.text);
}

/** Waits until the object's status holds the counters; gives the object back. */
async function counted(scene: Scene, path: string, status: JsonObject): Promise<JsonObject> {
  await eventually(async () => assertContains(await scene.ok({ path }), { status }), rolledOutMs);
  return scene.ok({ path });
}

async function imagesOf(scene: Scene): Promise<readonly string[]> {
  const pods = itemsOf(await scene.ok({ path: pathsOf(scene).pods }));
  return pods
    .map((one) => {
      const [container] = at(one, "spec", "containers") as unknown as readonly JsonObject[];
      return `${name(one)} ${text(container ?? {}, "image").split(":")[1] ?? ""}`;
    })
    .toSorted();
}

const statefulRows: readonly Row[] = [
  {
    row: 290,
    name: "a StatefulSet brings up its pods in order",
    run: async (scene) => {
      const { stateful, pods, revisions } = pathsOf(scene);
      const watch = await scene.watch(`${stateful}?watch=true`);
      await scene.ok({
        method: "POST",
        path: stateful,
        body: statefulSet("s", { replicas: 2, serviceName: "svc" }),
      });
      const done = await counted(scene, `${stateful}/s`, { replicas: 2, readyReplicas: 2, availableReplicas: 2 });
      // The name follows from the template: the same everywhere.
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
      assert.deepEqual(made.map(name).toSorted(), ["s-0", "s-1"]);
      assertContains(
        made.find((one) => name(one) === "s-1"),
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
      // Every pod is ready before the next is there; how many states fall together is up to the server.
      assert.equal(seen[0], "0 0");
      const second = seen.findIndex((state) => state.startsWith("2"));
      assert.ok(seen.slice(0, second).includes("1 1") && !seen.includes("2 0"), seen.join());
    },
  },
  {
    row: 291,
    name: "a StatefulSet gets a new template, from its last pod to its first, and its old one back",
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
    name: "a StatefulSet keeps the pods below its partition",
    run: async (scene) => {
      const { stateful, pods } = pathsOf(scene);
      const path = `${stateful}/s`;
      const spec = { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } };
      await scene.ok({ method: "POST", path: stateful, body: statefulSet("s", spec) });
      await counted(scene, path, { readyReplicas: 2 });
      await changed(scene, path, image("2"));
      await counted(scene, path, { observedGeneration: 2, readyReplicas: 2, currentReplicas: 1, updatedReplicas: 1 });
      await scene.ok({ method: "DELETE", path: `${pods}/s-0?gracePeriodSeconds=0` });
      await eventually(async () => assert.deepEqual(await imagesOf(scene), ["s-0 1", "s-1 2"]), rolledOutMs);
    },
  },
  {
    row: 292,
    name: "a StatefulSet shrinks from its end",
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
    name: "a StatefulSet makes the claims of its pods and keeps them after it",
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
      await eventually(async () => assert.deepEqual(await names(scene, pathsOf(scene).pods), []), rolledOutMs);
      assert.deepEqual(await names(scene, claims), ["data-s-0"]);
      await scene.ok({ method: "DELETE", path: `${claims}/data-s-0` });
      await gone(scene, `${claims}/data-s-0`);
    },
  },
  {
    row: 295,
    name: "a deleted StatefulSet takes its pods and revisions along",
    run: async (scene) => {
      const { stateful, pods, revisions } = pathsOf(scene);
      await scene.ok({ method: "POST", path: stateful, body: statefulSet("s") });
      await counted(scene, `${stateful}/s`, { readyReplicas: 1 });
      await scene.ok({ method: "DELETE", path: `${stateful}/s` });
      await eventually(async () => {
        assert.deepEqual(await names(scene, pods), []);
        assert.deepEqual(await names(scene, revisions), []);
      }, rolledOutMs);
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
    name: "what may change of a StatefulSet",
    run: async (scene) => {
      const { stateful } = pathsOf(scene);
      await scene.ok({ method: "POST", path: stateful, body: statefulSet("s", { replicas: 0 }) });
      assertTold(await scene.merge(`${stateful}/s`, { spec: { serviceName: "other" } }), {
        code: 422,
        reason: "Invalid",
        message:
          "StatefulSet.apps \"s\" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      });
    },
  },
];

const daemonRows: readonly Row[] = [
  {
    row: 290,
    name: "a DaemonSet runs on every node and follows its template",
    run: async (scene) => {
      const { daemons, pods, revisions } = pathsOf(scene);
      const path = `${daemons}/d`;
      await scene.ok({ method: "POST", path: daemons, body: daemonSet("d") });
      await eventually(async () => {
        const held = await scene.ok({ path });
        const nodes = at(held, "status", "desiredNumberScheduled");
        assert.ok(typeof nodes === "number" && nodes > 0);
        assert.deepEqual(at(held, "status"), {
          currentNumberScheduled: nodes,
          desiredNumberScheduled: nodes,
          numberAvailable: nodes,
          numberMisscheduled: 0,
          numberReady: nodes,
          observedGeneration: 1,
          updatedNumberScheduled: nodes,
        });
      }, rolledOutMs);
      const [made = {}] = itemsOf(await scene.ok({ path: pods }));
      const hash = text(made, "metadata", "labels", "controller-revision-hash");
      assertContains(made, {
        metadata: { generateName: "d-", labels: { app: "d", "pod-template-generation": "1" } },
      });
      assert.deepEqual(
        at(made, "spec", "tolerations"),
        [
          ["not-ready", "NoExecute"],
          ["unreachable", "NoExecute"],
          ["disk-pressure", "NoSchedule"],
          ["memory-pressure", "NoSchedule"],
          ["pid-pressure", "NoSchedule"],
          ["unschedulable", "NoSchedule"],
        ].map(([key = "", effect = ""]) => ({ effect, key: `node.kubernetes.io/${key}`, operator: "Exists" })),
      );
      assertContains(await scene.ok({ path: `${revisions}/d-${hash}` }), {
        revision: 1,
        metadata: {
          labels: { app: "d", "controller-revision-hash": hash },
          annotations: { "deprecated.daemonset.template.generation": "1" },
        },
      });
      await changed(scene, path, image("2"));
      const nodes = at(await scene.ok({ path }), "status", "desiredNumberScheduled") ?? 0;
      await counted(scene, path, { observedGeneration: 2, updatedNumberScheduled: nodes, numberAvailable: nodes });
      const events = await said(scene, "DaemonSet");
      assert.ok(events.includes(`Normal SuccessfulCreate: Created pod: ${name(made)}`), events.join("\n"));
      assert.ok(events.includes(`Normal SuccessfulDelete: Deleted pod: ${name(made)}`), events.join("\n"));
    },
  },
  {
    row: 290,
    name: "a DaemonSet that no node fits",
    run: async (scene) => {
      const { daemons, pods } = pathsOf(scene);
      await scene.ok({
        method: "POST",
        path: daemons,
        body: daemonSet("d", {}, { nodeSelector: { "example.com/none": "1" } }),
      });
      await counted(scene, `${daemons}/d`, { observedGeneration: 1, desiredNumberScheduled: 0 });
      assert.deepEqual(await names(scene, pods), []);
    },
  },
  {
    row: 88,
    name: "the strategy of a DaemonSet",
    run: async (scene) => {
      const { daemons } = pathsOf(scene);
      for (const [strategy, message] of [
        [
          { type: "Foo" },
          'spec.updateStrategy: Unsupported value: {"Type":"Foo","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
        ],
        [
          { rollingUpdate: { maxUnavailable: 0 } },
          "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
        ],
        [
          { rollingUpdate: { maxUnavailable: "101%" } },
          'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
        ],
      ] as const)
        assertTold(
          await scene.ask({ method: "POST", path: daemons, body: daemonSet("d", { updateStrategy: strategy }) }),
          { code: 422, message: `DaemonSet.apps "d" is invalid: ${message}` },
        );
    },
  },
];

const budgetRows: readonly Row[] = [
  {
    row: 298,
    name: "a budget is spent by an eviction and earned back by a new pod",
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
      assertTold(await scene.ask({ method: "POST", path: `${pods}/s-0/eviction`, body }), { code: 201 });
      for (let spent = false; !spent;) {
        const status = at((await watch.next())?.object as unknown as JsonObject, "status") as JsonObject;
        spent = status["disruptionsAllowed"] === 0 && at(status, "disruptedPods", "s-0") !== undefined;
      }
      await counted(scene, `${budgets}/b`, full);
    },
  },
  {
    row: 298,
    name: "a budget over pods that nobody scales",
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
    name: "a budget over pods that nobody controls",
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
];

const cronRows: readonly Row[] = [
  {
    row: 88,
    name: "the schedule of a CronJob",
    run: async (scene) => {
      const { cronJobs } = pathsOf(scene);
      for (const [spec, message] of [
        [{ schedule: "* * *" }, 'spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]'],
        [
          { schedule: "60 * * * *" },
          'spec.schedule: Invalid value: "60 * * * *": end of range (60) above maximum (59): 60',
        ],
        [{ schedule: "@often" }, 'spec.schedule: Invalid value: "@often": unrecognized descriptor: @often'],
        [
          { schedule: "* * * foo *" },
          'spec.schedule: Invalid value: "* * * foo *": failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax',
        ],
        [
          { schedule: "TZ=UTC * * * * *" },
          'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
        ],
        [{ timeZone: "Mars/X" }, 'spec.timeZone: Invalid value: "Mars/X": unknown time zone Mars/X'],
        [{ timeZone: "" }, 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
        [
          { concurrencyPolicy: "X" },
          'spec.concurrencyPolicy: Unsupported value: "X": supported values: "Allow", "Forbid", "Replace"',
        ],
      ] as const)
        assertTold(await scene.ask({ method: "POST", path: cronJobs, body: cronJob("c", spec) }), {
          code: 422,
          message: `CronJob.batch "c" is invalid: ${message}`,
        });
      for (const [index, schedule] of ["@hourly", "*/5 1-3,7 * jan-MAR mon", "@every 1h30m", "0 0 31 2 ?"].entries())
        await scene.ok({ method: "POST", path: cronJobs, body: cronJob(`ok-${index}`, { schedule, suspend: true }) });
    },
  },
  {
    row: 296,
    name: "a CronJob makes up for the time it missed last, and notes it",
    run: async (scene) => {
      const { cronJobs } = pathsOf(scene);
      const path = `${cronJobs}/c`;
      await scene.ok({ method: "POST", path: cronJobs, body: cronJob("c", { schedule: "@every 1s", suspend: true }) });
      await new Promise((resolve) => setTimeout(resolve, 1500));
      assert.equal((await scene.merge(path, { spec: { suspend: false } })).code, 200);
      const jobs = `/apis/batch/v1/namespaces/${scene.ns}/jobs`;
      await eventually(async () => assert.ok((await names(scene, jobs)).length > 0));
      assert.equal((await scene.merge(path, { spec: { suspend: true } })).code, 200);
      // The job comes before the status that tells of it.
      await eventually(async () => {
        const held = await scene.ok({ path });
        const minute = Math.floor(Date.parse(text(held, "status", "lastScheduleTime")) / 60_000);
        assert.ok((await names(scene, jobs)).includes(`c-${minute}`));
      });
      const [job = {}] = itemsOf(await scene.ok({ path: jobs }));
      assert.match(
        text(job, "metadata", "annotations", "batch.kubernetes.io/cronjob-scheduled-timestamp"),
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
      );
      const [owner = {}] = at(job, "metadata", "ownerReferences") as unknown as readonly JsonObject[];
      assertContains(owner, { kind: "CronJob", name: "c", controller: true, blockOwnerDeletion: true });
      assert.ok((await said(scene, "CronJob")).includes(`Normal SuccessfulCreate: Created job ${name(job)}`));
      await eventually(async () => {
        const now = await scene.ok({ path });
        assert.notEqual(text(now, "status", "lastSuccessfulTime"), "");
        assert.equal(at(now, "status", "active"), undefined);
      }, rolledOutMs);
    },
  },
];

const jobRows: readonly Row[] = [
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
      }, rolledOutMs);
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
      const first = itemsOf(await scene.ok({ path: pods })).find((one) => name(one).startsWith("j-0-"));
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
      }, rolledOutMs);
    },
  },
];

const kubectlRows: readonly Row[] = [
  {
    row: 291,
    name: "kubectl follows a rollout of both kinds and takes it back",
    run: async (scene) => {
      const kubectl = await kubectlIn(scene);
      const { stateful, daemons } = pathsOf(scene);
      await scene.ok({ method: "POST", path: stateful, body: statefulSet("s", { replicas: 2 }) });
      await scene.ok({ method: "POST", path: daemons, body: daemonSet("d") });
      for (const [target, done] of [
        ["statefulset/s", /partitioned roll out complete|statefulset rolling update complete 2 pods/],
        ["daemonset/d", /daemon set "d" successfully rolled out/],
      ] as const) {
        const rolledOut = async (): Promise<void> => {
          const followed = await kubectl(["rollout", "status", target, "--timeout=30s"]);
          assert.equal(followed.code, 0, followed.text);
          assert.match(followed.text, done);
        };
        await rolledOut();
        assert.equal((await kubectl(["set", "image", target, "c=example.com/app:2"])).code, 0);
        await rolledOut();
        const history = await kubectl(["rollout", "history", target]);
        assert.match(history.text, /^1 +<none>\n2 +<none>$/m, history.text);
        const undone = await kubectl(["rollout", "undo", target]);
        assert.equal(undone.code, 0, undone.text);
        await rolledOut();
        const image = await kubectl(["get", target, "-o", "jsonpath={.spec.template.spec.containers[0].image}"]);
        assert.equal(image.text, "example.com/app:1");
      }
      const table = await kubectl(["get", "controllerrevisions", "--no-headers"]);
      assert.match(table.text, /^d-\S+ +daemonset\.apps\/d +\d+ +\d+s$/m);
      assert.match(table.text, /^s-\S+ +statefulset\.apps\/s +\d+ +\d+s$/m);
    },
  },
];

/** StatefulSets, DaemonSets, disruption budgets, cron jobs, and the finer rules of jobs. */
export const setRows: readonly Row[] = [
  ...statefulRows,
  ...daemonRows,
  ...budgetRows,
  ...cronRows,
  ...jobRows,
  ...kubectlRows,
];
