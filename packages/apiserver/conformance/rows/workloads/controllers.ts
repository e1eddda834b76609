import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains } from "../../row.ts";
import type { Scene } from "../../scene.ts";
import { at, configMap, gone, itemsOf, ownedBy, text } from "../../scene.ts";
import { deployment, job, pod } from "../../workloads.ts";

const longMs = 30_000;
/** An unknown scheduler: the row itself sets the pods' status. */
const unscheduled: JsonObject = { schedulerName: "nobody" };
const annotation = "deployment.kubernetes.io";

function paths({
  ns,
}: Scene): Readonly<Record<"deployments" | "sets" | "pods" | "jobs" | "slices" | "services" | "endpoints", string>> {
  return {
    deployments: `/apis/apps/v1/namespaces/${ns}/deployments`,
    sets: `/apis/apps/v1/namespaces/${ns}/replicasets`,
    pods: `/api/v1/namespaces/${ns}/pods`,
    jobs: `/apis/batch/v1/namespaces/${ns}/jobs`,
    slices: `/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices`,
    services: `/api/v1/namespaces/${ns}/services`,
    endpoints: `/api/v1/namespaces/${ns}/endpoints`,
  };
}

function conditionsOf(object: JsonObject): readonly JsonObject[] {
  return (at(object, "status", "conditions") ?? []) as unknown as readonly JsonObject[];
}

function condition(object: JsonObject, type: string): string {
  const held = conditionsOf(object).find((one) => one["type"] === type);
  return held === undefined ? "" : `${text(held, "status")} ${text(held, "reason")}: ${text(held, "message")}`;
}

/** Desired replicas of each ReplicaSet, by the image's tag. */
async function sizes(scene: Scene): Promise<Readonly<Record<string, number>>> {
  const sets = itemsOf(await scene.ok({ path: paths(scene).sets }));
  return Object.fromEntries(
    sets.map((set) => {
      const [container] = at(set, "spec", "template", "spec", "containers") as unknown as readonly JsonObject[];
      return [text(container ?? {}, "image").split(":")[1] ?? "", Number(at(set, "spec", "replicas"))];
    }),
  );
}

function template(tag: string, more: JsonObject = {}): JsonObject {
  return { spec: { template: { spec: { ...more, containers: [{ name: "c", image: `example.com/app:${tag}` }] } } } };
}

async function complete(scene: Scene, path: string, replicas: number): Promise<void> {
  await eventually(async () => {
    const held = await scene.ok({ path });
    assertContains(held, {
      status: {
        observedGeneration: Number(at(held, "metadata", "generation")),
        replicas,
        updatedReplicas: replicas,
        availableReplicas: replicas,
      },
    });
  }, longMs);
}

async function patch(scene: Scene, path: string, body: JsonObject): Promise<void> {
  assert.equal((await scene.patch("strategic-merge-patch", path, body)).code, 200, path);
}

/** Finishes an unscheduled pod. */
async function end(scene: Scene, name: string, phase: "Succeeded" | "Failed", exitCode: number): Promise<void> {
  const terminated = { exitCode, startedAt: new Date().toISOString(), finishedAt: new Date().toISOString() };
  const ended = { name: "c", image: "i", imageID: "", ready: false, restartCount: 0, state: { terminated } };
  await patch(scene, `${paths(scene).pods}/${name}/status`, { status: { phase, containerStatuses: [ended] } });
}

/** Pods of the job `j`, sorted by index. */
async function jobPods(scene: Scene, count: number): Promise<readonly string[]> {
  let found: readonly JsonObject[] = [];
  await eventually(async () => {
    found = itemsOf(await scene.ok({ path: `${paths(scene).pods}?labelSelector=job-name=j` }));
    assert.equal(found.length, count);
  }, longMs);
  const index = (held: JsonObject): string =>
    text(held, "metadata", "labels", "batch.kubernetes.io/job-completion-index");
  return found.toSorted((a, b) => (index(a) < index(b) ? -1 : 1)).map((held) => text(held, "metadata", "name"));
}

async function jobEnds(scene: Scene, expected: Readonly<Record<string, string>>): Promise<JsonObject> {
  const path = `${paths(scene).jobs}/j`;
  await eventually(async () => {
    const held = await scene.ok({ path });
    for (const [type, words] of Object.entries(expected)) assert.equal(condition(held, type), words);
  }, longMs);
  return scene.ok({ path });
}

const rollouts: readonly Row[] = [
  {
    row: 291,
    name: "a former template reuses its ReplicaSet, with its revision history",
    run: async (scene) => {
      const { deployments, sets } = paths(scene);
      await scene.ok({ method: "POST", path: deployments, body: deployment("d", { replicas: 1 }) });
      for (const tag of ["2", "1"]) {
        await complete(scene, `${deployments}/d`, 1);
        await patch(scene, `${deployments}/d`, template(tag));
      }
      await complete(scene, `${deployments}/d`, 1);
      const held = itemsOf(await scene.ok({ path: sets })).map((set) => ({
        revision: text(set, "metadata", "annotations", `${annotation}/revision`),
        history: text(set, "metadata", "annotations", `${annotation}/revision-history`),
        replicas: at(set, "spec", "replicas"),
      }));
      assert.deepEqual(
        held.toSorted((a, b) => (a.revision < b.revision ? -1 : 1)),
        [
          { revision: "2", history: "", replicas: 0 },
          { revision: "3", history: "1", replicas: 1 },
        ],
      );
      const done = await scene.ok({ path: `${deployments}/d` });
      assert.match(
        condition(done, "Progressing"),
        /^True NewReplicaSetAvailable: ReplicaSet "d-.*" has successfully progressed\.$/,
      );
    },
  },
  {
    row: 292,
    name: "scaling during a rollout is proportional",
    run: async (scene) => {
      const { deployments } = paths(scene);
      const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 };
      const body = deployment("d", { replicas: 10, strategy: { rollingUpdate } });
      await scene.ok({ method: "POST", path: deployments, body });
      await complete(scene, `${deployments}/d`, 10);
      await patch(scene, `${deployments}/d`, template("2", unscheduled));
      for (const [replicas, expected] of [
        [10, { "1": 8, "2": 5 }],
        [15, { "1": 11, "2": 7 }],
        [0, { "1": 0, "2": 0 }],
      ] as const) {
        await patch(scene, `${deployments}/d`, { spec: { replicas } });
        await eventually(async () => assert.deepEqual(await sizes(scene), expected), longMs);
      }
    },
  },
];

const jobs: readonly Row[] = [
  {
    row: 296,
    name: "a failure policy fails the Job for a listed exit code",
    run: async (scene) => {
      const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }];
      const body = job("j", { parallelism: 2, completions: 2, podFailurePolicy: { rules } }, unscheduled);
      await scene.ok({ method: "POST", path: paths(scene).jobs, body });
      const [first = ""] = await jobPods(scene, 2);
      await end(scene, first, "Failed", 42);
      const message = `Container c for pod ${scene.ns}/${first} failed with exit code 42 matching FailJob rule at index 0`;
      const answer = await jobEnds(scene, {
        FailureTarget: `True PodFailurePolicy: ${message}`,
        Failed: `True PodFailurePolicy: ${message}`,
      });
      assert.equal(at(answer, "spec", "podReplacementPolicy"), "Failed");
    },
  },
  {
    row: 296,
    name: "a success policy completes the Job with the listed indexes",
    run: async (scene) => {
      const rules = [{ succeededIndexes: "0,2", succeededCount: 2 }];
      const spec = { completionMode: "Indexed", parallelism: 3, completions: 3, successPolicy: { rules } };
      await scene.ok({ method: "POST", path: paths(scene).jobs, body: job("j", spec, unscheduled) });
      const names = await jobPods(scene, 3);
      for (const index of [0, 2]) await end(scene, names[index] ?? "", "Succeeded", 0);
      const words = "True SuccessPolicy: Matched rules at index 0";
      const answer = await jobEnds(scene, { SuccessCriteriaMet: words, Complete: words });
      assertContains(answer, { status: { succeeded: 2, completedIndexes: "0,2" } });
    },
  },
  {
    row: 296,
    name: "an index that exceeds its own backoff limit has failed, the others continue",
    run: async (scene) => {
      const spec = { completionMode: "Indexed", parallelism: 2, completions: 2, backoffLimitPerIndex: 0 };
      await scene.ok({ method: "POST", path: paths(scene).jobs, body: job("j", spec, unscheduled) });
      const [first = "", second = ""] = await jobPods(scene, 2);
      await end(scene, first, "Failed", 1);
      const path = `${paths(scene).jobs}/j`;
      await eventually(
        async () => assertContains(await scene.ok({ path }), { status: { failedIndexes: "0", failed: 1, active: 1 } }),
        longMs,
      );
      await end(scene, second, "Succeeded", 0);
      const words = "True FailedIndexes: Job has failed indexes";
      const answer = await jobEnds(scene, { FailureTarget: words, Failed: words });
      assertContains(answer, { status: { completedIndexes: "1", failedIndexes: "0" } });
    },
  },
  {
    row: 296,
    name: "policies of a Job are validated",
    run: async (scene) => {
      const rules = [{ action: "FailIndex", onExitCodes: { operator: "In", values: [3, 0] } }];
      const body = job("j", { podFailurePolicy: { rules } });
      const answer = await scene.ask({ method: "POST", path: paths(scene).jobs, body });
      const at0 = "spec.podFailurePolicy.rules[0]";
      assert.equal(
        answer.message,
        `Job.batch "j" is invalid: [${at0}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set, ${at0}.onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator, ${at0}.onExitCodes.values: Invalid value: [3,0]: must be ordered]`,
      );
    },
  },
];

const scheduling: readonly Row[] = [
  {
    row: 290,
    name: "an unschedulable pod reports the reason",
    run: async (scene) => {
      const path = paths(scene).pods;
      const resources = { requests: { cpu: "100k" } };
      await scene.ok({ method: "POST", path, body: pod("picky", { nodeSelector: { [scene.ns]: "none" } }) });
      await scene.ok({
        method: "POST",
        path,
        body: pod("greedy", { containers: [{ name: "c", image: "example.com/app:1", resources }] }),
      });
      for (const [name, reason] of [
        ["picky", "node\\(s\\) didn't match Pod's node affinity/selector"],
        ["greedy", "Insufficient cpu"],
      ] as const)
        await eventually(async () => {
          const held = await scene.ok({ path: `${path}/${name}` });
          assert.equal(text(held, "status", "phase"), "Pending");
          const words = new RegExp(
            `^False Unschedulable: 0/\\d+ nodes are available: \\d+ ${reason}.*\\. no new claims to deallocate, preemption: 0/\\d+ nodes are available: \\d+ Preemption is not helpful for scheduling\\.$`,
          );
          assert.match(condition(held, "PodScheduled"), words);
          const { items } = {
            items: itemsOf(
              await scene.ok({
                path: `/api/v1/namespaces/${scene.ns}/events?fieldSelector=involvedObject.name=${name}`,
              }),
            ),
          };
          assertContains(items[0], {
            type: "Warning",
            reason: "FailedScheduling",
            action: "Scheduling",
            reportingComponent: "default-scheduler",
          });
        }, longMs);
    },
  },
  {
    row: 290,
    name: "a scheduled pod has an event",
    run: async (scene) => {
      const path = paths(scene).pods;
      await scene.ok({ method: "POST", path, body: pod("p") });
      await eventually(async () => {
        const node = text(await scene.ok({ path: `${path}/p` }), "spec", "nodeName");
        assert.notEqual(node, "");
        const events = itemsOf(
          await scene.ok({ path: `/api/v1/namespaces/${scene.ns}/events?fieldSelector=reason=Scheduled` }),
        );
        assertContains(events[0], {
          type: "Normal",
          action: "Binding",
          message: `Successfully assigned ${scene.ns}/p to ${node}`,
        });
      }, longMs);
    },
  },
];

const endpoints: readonly Row[] = [
  {
    row: 297,
    name: "custom Endpoints of a Service without selector are mirrored to a slice",
    run: async (scene) => {
      const { services, endpoints: path, slices } = paths(scene);
      const ports = [{ name: "a", port: 80, protocol: "TCP" }];
      await scene.ok({ method: "POST", path: services, body: { metadata: { name: "m" }, spec: { ports } } });
      const subsets = [
        { addresses: [{ ip: "10.8.0.1", hostname: "h" }], notReadyAddresses: [{ ip: "10.8.0.2" }], ports },
      ];
      await scene.ok({ method: "POST", path, body: { metadata: { name: "m", labels: { l: "v" } }, subsets } });
      const mirrored = async (): Promise<readonly JsonObject[]> =>
        itemsOf(await scene.ok({ path: `${slices}?labelSelector=kubernetes.io/service-name=m` }));
      await eventually(async () => {
        const [slice] = await mirrored();
        assertContains(slice, {
          metadata: {
            labels: { l: "v", "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io" },
          },
          addressType: "IPv4",
        });
        const ready = (at(slice ?? {}, "endpoints") as unknown as readonly JsonObject[]).map((one) => [
          (one["addresses"] as readonly string[])[0],
          at(one, "conditions", "ready"),
        ]);
        assert.deepEqual(
          new Map(ready as never),
          new Map([
            ["10.8.0.1", true],
            ["10.8.0.2", false],
          ]),
        );
      }, longMs);
      await scene.merge(`${path}/m`, { metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } } });
      await eventually(async () => assert.deepEqual(await mirrored(), []), longMs);
    },
  },
];

const collection: readonly Row[] = [
  {
    row: 220,
    name: "a cycle of owners in foreground deletion is deleted",
    run: async (scene) => {
      const first = await scene.make("first");
      const blocking = { blockOwnerDeletion: true };
      const second = await scene.make("second", { metadata: { ownerReferences: [ownedBy(first, blocking)] } });
      await scene.merge(`${scene.cms}/first`, { metadata: { ownerReferences: [ownedBy(second, blocking)] } });
      await scene.ok({ method: "DELETE", path: `${scene.cms}/first?propagationPolicy=Foreground` });
      await gone(scene, `${scene.cms}/first`);
      await gone(scene, `${scene.cms}/second`);
    },
  },
  {
    row: 219,
    name: "a namespace's pods are deleted before everything else",
    run: async (scene) => {
      const ns = await scene.namespace("pods");
      const held = pod("held", unscheduled, { finalizers: ["x.io/held"] });
      await scene.ok({ method: "POST", path: `/api/v1/namespaces/${ns}/pods`, body: held });
      await scene.ok({ method: "POST", path: `/api/v1/namespaces/${ns}/configmaps`, body: configMap("kept") });
      const path = `/api/v1/namespaces/${ns}`;
      await scene.ok({ method: "DELETE", path });
      await eventually(async () => {
        const answer = await scene.ok({ path });
        assert.match(condition(answer, "NamespaceContentRemaining"), /^False ContentRemoved/);
      }, longMs);
      assert.equal((await scene.ask({ path: `${path}/configmaps/kept` })).code, 200);
      await scene.merge(`${path}/pods/held`, { metadata: { finalizers: null } });
      await gone(scene, path);
    },
  },
];

export const controllerRows: readonly Row[] = [...rollouts, ...jobs, ...scheduling, ...endpoints, ...collection];
