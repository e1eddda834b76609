import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/json.ts";
import type { Row } from "../row.ts";
import { assertContains, assertTold, eventually } from "../row.ts";
import type { Scene } from "../scene.ts";
import { at, gone, itemsOf, text } from "../scene.ts";
import { deployment, job, pod } from "../workloads.ts";

const rolledOutMs = 20_000;

interface Paths {
  readonly deployments: string;
  readonly sets: string;
  readonly pods: string;
  readonly jobs: string;
  readonly events: string;
  readonly services: string;
}

function pathsOf({ ns }: Scene): Paths {
  return {
    deployments: `/apis/apps/v1/namespaces/${ns}/deployments`,
    sets: `/apis/apps/v1/namespaces/${ns}/replicasets`,
    pods: `/api/v1/namespaces/${ns}/pods`,
    jobs: `/apis/batch/v1/namespaces/${ns}/jobs`,
    events: `/api/v1/namespaces/${ns}/events`,
    services: `/api/v1/namespaces/${ns}/services`,
  };
}

function conditions(object: JsonObject): readonly JsonObject[] {
  return (at(object, "status", "conditions") ?? []) as unknown as readonly JsonObject[];
}

function assertCondition(object: JsonObject, type: string, expected: JsonObject): void {
  assertContains(
    conditions(object).find((condition) => condition["type"] === type),
    expected,
  );
}

async function eventsOf(scene: Scene, kind: string): Promise<readonly (readonly string[])[]> {
  const events = itemsOf(await scene.ok({ path: pathsOf(scene).events }));
  return events
    .filter((event) => text(event, "involvedObject", "kind") === kind)
    .map((event) => [text(event, "type"), text(event, "reason"), text(event, "message")]);
}

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
  }, rolledOutMs);
  return scene.ok({ path });
}

const unscheduled: JsonObject = { schedulerName: "nobody" };

/** What is seen of a deployment while it is deleted in one way: the order in which its parts go. */
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

export const workloadRows: readonly Row[] = [
  {
    row: 289,
    name: "a namespace has its account and its authority, and has them again when they go",
    run: async (scene) => {
      const account = `/api/v1/namespaces/${scene.ns}/serviceaccounts/default`;
      const authority = `/api/v1/namespaces/${scene.ns}/configmaps/kube-root-ca.crt`;
      for (const path of [account, authority]) {
        let first = "";
        await eventually(async () => {
          first = text(await scene.ok({ path }), "metadata", "uid");
        });
        await scene.ok({ method: "DELETE", path });
        await eventually(async () => assert.notEqual(text(await scene.ok({ path }), "metadata", "uid"), first));
      }
      const held = await scene.ok({ path: authority });
      assert.notEqual(text(held, "metadata", "annotations", "kubernetes.io/description"), "");
      assert.match(text(held, "data", "ca.crt"), /BEGIN CERTIFICATE/);
      await scene.merge(authority, { data: { "ca.crt": "edited" } });
      await eventually(async () =>
        assert.equal(text(await scene.ok({ path: authority }), "data", "ca.crt"), text(held, "data", "ca.crt")),
      );
    },
  },
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
        assert.deepEqual(await eventsOf(scene, "Deployment"), [
          ["Normal", "ScalingReplicaSet", `Scaled up replica set ${name} from 0 to 2`],
        ]);
        const created = (await eventsOf(scene, "ReplicaSet")).filter(([, reason]) => reason === "SuccessfulCreate");
        assert.deepEqual(
          created.map(([, , message = ""]) => message).toSorted(),
          made.map((one) => `Created pod: ${text(one, "metadata", "name")}`).toSorted(),
        );
      });
      // Steps of the object itself, in their order; those that fall together are left out.
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
    name: "a Deployment whose pods are not ready",
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
    name: "a new template brings a second ReplicaSet, an old one its own again",
    run: async (scene) => {
      const { deployments } = pathsOf(scene);
      await scene.ok({ method: "POST", path: deployments, body: deployment("d", { replicas: 2 }) });
      await complete(scene, "d", 2);
      const image = (name: string): JsonObject => ({
        spec: { template: { spec: { containers: [{ name: "c", image: name }] } } },
      });
      assert.equal(
        (await scene.patch("strategic-merge-patch", `${deployments}/d`, image("example.com/app:2"))).code,
        200,
      );
      const done = await complete(scene, "d", 2, 2);
      assertContains(done, { metadata: { annotations: { "deployment.kubernetes.io/revision": "2" } } });
      const [first, second] = await setsOf(scene);
      const [old, fresh] = [first, second].map((set) => text(set ?? {}, "metadata", "name"));
      assertContains(first, { spec: { replicas: 0 }, status: { replicas: 0 } });
      assertContains(second, { spec: { replicas: 2 } });
      await eventually(async () => {
        const said = (await eventsOf(scene, "Deployment")).map(([, , message]) => message);
        for (const message of [
          `Scaled up replica set ${fresh ?? ""} from 0 to 1`,
          `Scaled down replica set ${old ?? ""} from 2 to 1`,
          `Scaled up replica set ${fresh ?? ""} from 1 to 2`,
          `Scaled down replica set ${old ?? ""} from 1 to 0`,
        ])
          assert.ok(said.includes(message), `${message}\n  is not in\n  ${said.join("\n  ")}`);
      });
      await scene.patch("strategic-merge-patch", `${deployments}/d`, image("example.com/app:1"));
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
      await scene.patch("strategic-merge-patch", path, {
        spec: { template: { spec: { containers: [{ name: "c", image: "example.com/app:2" }] } } },
      });
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
    row: 293,
    name: "no progress in time",
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
      }, 15_000);
    },
  },
  {
    row: 294,
    name: "pods whose account is missing",
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
        const events = await eventsOf(scene, "ReplicaSet");
        assert.ok(
          events.some(
            ([type, reason, message]) =>
              [type, reason, message].join() === `Warning,FailedCreate,Error creating: ${why}`,
          ),
          JSON.stringify(events),
        );
      });
    },
  },
  {
    row: 294,
    name: "pods that no quota has room for",
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
    }, rolledOutMs);
  }),
  cascade("Foreground", async (scene) => {
    const { deployments, sets, pods } = pathsOf(scene);
    await gone(scene, `${deployments}/d`, rolledOutMs);
    assert.equal(itemsOf(await scene.ok({ path: sets })).length, 0);
    assert.equal(itemsOf(await scene.ok({ path: pods })).length, 0);
  }),
  cascade("Orphan", async (scene) => {
    const { deployments } = pathsOf(scene);
    await gone(scene, `${deployments}/d`, rolledOutMs);
    const [set] = await setsOf(scene);
    assertContains(set, { metadata: { ownerReferences: undefined }, status: { readyReplicas: 1 } } as never);
  }),
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
      }, rolledOutMs);
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
        const said = (await eventsOf(scene, "Job")).map((event) => event.join());
        assert.deepEqual(said.toSorted(), [
          "Normal,Completed,Job completed",
          `Normal,SuccessfulCreate,Created pod: ${text(made ?? {}, "metadata", "name")}`,
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
      const told = await scene.merge(`${pods}/${name}/status`, { status: { phase: "Failed" } });
      assert.equal(told.code, 200, told.text);
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
      }, rolledOutMs);
      await eventually(async () =>
        assert.ok(
          (await eventsOf(scene, "Job")).some(
            (event) => event.join() === "Warning,BackoffLimitExceeded,Job has reached the specified backoff limit",
          ),
        ),
      );
    },
  },
  {
    row: 297,
    name: "endpoints follow the pods of a Service",
    run: async (scene) => {
      const { services, pods } = pathsOf(scene);
      const slices = `/apis/discovery.k8s.io/v1/namespaces/${scene.ns}/endpointslices?labelSelector=kubernetes.io/service-name%3Ds`;
      await scene.ok({ method: "POST", path: pods, body: pod("p") });
      const spec = { selector: { app: "p" }, ports: [{ port: 80, targetPort: 8080 }] };
      await scene.ok({ method: "POST", path: services, body: { metadata: { name: "s" }, spec } });
      const endpoints = `/api/v1/namespaces/${scene.ns}/endpoints/s`;
      const subset = async (): Promise<JsonObject> => {
        const [first] = (at(await scene.ok({ path: endpoints }), "subsets") ?? []) as unknown as readonly JsonObject[];
        return first ?? {};
      };
      const listed = (part: JsonObject, key: string): readonly JsonObject[] =>
        (part[key] ?? []) as unknown as readonly JsonObject[];
      await eventually(async () => {
        const ready = await subset();
        assert.equal(text(listed(ready, "addresses")[0] ?? {}, "targetRef", "name"), "p");
        assertContains(listed(ready, "ports")[0], { port: 8080, protocol: "TCP" });
        const [slice] = itemsOf(await scene.ok({ path: slices }));
        assert.match(text(slice ?? {}, "metadata", "name"), /^s-[a-z0-9]{5}$/);
        assertContains(slice, {
          addressType: "IPv4",
          metadata: {
            labels: { "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io" },
          },
        });
        const [endpoint] = listed(slice ?? {}, "endpoints");
        assertContains(endpoint, { conditions: { ready: true, serving: true, terminating: false } });
      }, rolledOutMs);
      assertContains(await scene.ok({ path: endpoints }), {
        metadata: { labels: { "endpoints.kubernetes.io/managed-by": "endpoint-controller" } },
      });
      await scene.ok({
        method: "PATCH",
        path: `${pods}/p/status`,
        body: {
          status: {
            conditions: [
              { type: "Ready", status: "False" },
              { type: "ContainersReady", status: "False" },
            ],
          },
        },
        headers: { "content-type": "application/strategic-merge-patch+json" },
      });
      await eventually(async () => {
        const now = await subset();
        assert.equal(text(listed(now, "notReadyAddresses")[0] ?? {}, "targetRef", "name"), "p");
        assert.equal(listed(now, "addresses").length, 0);
      }, rolledOutMs);
      await scene.ok({ method: "DELETE", path: `${services}/s` });
      await gone(scene, endpoints);
      await eventually(async () => assert.equal(itemsOf(await scene.ok({ path: slices })).length, 0));
    },
  },
  {
    row: 298,
    name: "a pod is bound once",
    run: async (scene) => {
      const { pods } = pathsOf(scene);
      await scene.ok({ method: "POST", path: pods, body: pod("p", unscheduled) });
      const body = {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: "p" },
        target: { apiVersion: "v1", kind: "Node", name: "nowhere" },
      };
      assertTold(await scene.ask({ method: "POST", path: `${pods}/p/binding`, body }), {
        code: 201,
        contains: { kind: "Status", status: "Success" },
      });
      assertContains(await scene.ok({ path: `${pods}/p` }), { spec: { nodeName: "nowhere" } });
      assertTold(await scene.ask({ method: "POST", path: `${pods}/p/binding`, body }), {
        code: 409,
        reason: "Conflict",
        message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "nowhere"',
      });
      await scene.ask({ method: "DELETE", path: `${pods}/p?gracePeriodSeconds=0` });
    },
  },
  {
    row: 298,
    name: "a binding is read as other bodies are: fields that do not fit and fields that nobody knows",
    run: async (scene) => {
      const { pods } = pathsOf(scene);
      await scene.ok({ method: "POST", path: pods, body: pod("p", unscheduled) });
      const bind = (target: JsonObject, query = ""): ReturnType<typeof scene.ask> =>
        scene.ask({
          method: "POST",
          path: `${pods}/p/binding${query}`,
          body: { metadata: { name: "p" }, target, zz: 1 },
        });
      const misread = 'Binding in version "v1" cannot be handled as a Binding: ';
      assertTold(await bind({ name: 5 }), {
        code: 400,
        message: `${misread}json: cannot unmarshal number into Go struct field ObjectReference.target.name of type string`,
      });
      assertTold(await bind({ kind: "Node", name: "n", aa: 1 }, "?fieldValidation=Strict"), {
        code: 400,
        message: `${misread}strict decoding error: unknown field "target.aa", unknown field "zz"`,
      });
      assertTold(await bind({ kind: "Pod", name: "n" }), { code: 500, warnings: ['unknown field "zz"'] });
    },
  },
  {
    row: 298,
    name: "an eviction, and one that a budget refuses",
    run: async (scene) => {
      const { pods } = pathsOf(scene);
      const budgets = `/apis/policy/v1/namespaces/${scene.ns}/poddisruptionbudgets`;
      await scene.ok({
        method: "POST",
        path: budgets,
        body: { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "kept" } } } },
      });
      for (const name of ["kept", "free"]) await scene.ok({ method: "POST", path: pods, body: pod(name) });
      await eventually(
        async () =>
          assertContains(await scene.ok({ path: `${budgets}/b` }), {
            status: { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 },
          }),
        rolledOutMs,
      );
      const evict = (name: string): ReturnType<Scene["ask"]> =>
        scene.ask({
          method: "POST",
          path: `${pods}/${name}/eviction`,
          body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } },
        });
      assertTold(await evict("free"), { code: 201, contains: { kind: "Status", status: "Success" } });
      const refused = await evict("kept");
      assertTold(refused, {
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
