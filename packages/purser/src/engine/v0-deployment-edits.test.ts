import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { deployments } from "@purser/kubernetes/apis/resources";
import type { JsonValue } from "@purser/kubernetes/json";
import { written } from "@purser/kubernetes/kube/refusal";
import { clusterServiceVersions } from "../apis/olm-resources.ts";
import type { ClusterServiceVersion, ClusterServiceVersionCondition } from "../apis/v0/cluster-service-version.ts";
import { World } from "./testing/world.ts";

let world: World;
after(() => world.stop());

const namespace = "edited";
const csv = { namespace, name: "edits.v1" };
const [first, second] = [
  { namespace, name: "first" },
  { namespace, name: "second" },
];

const entry = (name: string) => {
  const env = [{ name: "MODE", value: "fast" }];
  const container = { name: "c", image: "c.example/image:1", args: ["--serve"], env, ports: [{ containerPort: 80 }] };
  const template = { metadata: { labels: { app: name } }, spec: { containers: [container] } };
  return { name, spec: { replicas: 2, selector: { matchLabels: { app: name } }, template } };
};

const operator = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: csv,
  spec: {
    displayName: "edits",
    install: { strategy: "deployment", spec: { deployments: [entry("first"), entry("second")] } },
    installModes: [{ type: "OwnNamespace", supported: true }],
  },
} as unknown as ClusterServiceVersion;

/** A write by others: a strategic merge patch, as kubectl sends it. */
async function edits(fieldManager: string, patch: JsonValue, change: Partial<ObjectWrite> = {}): Promise<Deployment> {
  const write = {
    verb: "patch",
    type: deployments,
    key: first,
    patchType: "strategic",
    patch,
    fieldManager,
    ...change,
  };
  return written(await world.client.write(write as ObjectWrite, new AbortController().signal)).object as Deployment;
}

const generation = async (key: typeof first): Promise<number> =>
  (await world.client.get(deployments, key))?.metadata.generation ?? 0;

const succeeds = (): Promise<unknown> =>
  world.reaches(clusterServiceVersions, csv, "Succeeded", ({ status }) => status?.phase === "Succeeded");

before(async () => {
  world = await World.open();
  await world.tenant(namespace);
  await world.create(clusterServiceVersions, operator);
  await succeeds();
  await world.settled();
});

const container = (change: object): JsonValue =>
  ({ spec: { template: { spec: { containers: [{ name: "c", ...change }] } } } }) as JsonValue;

interface Edit {
  readonly what: string;
  readonly patch: JsonValue;
  readonly subresource?: "scale";
  readonly field: string;
  readonly repaired: (live: Deployment) => boolean;
}

const only = (live: Deployment) => live.spec?.template.spec?.containers?.[0];
const table: readonly Edit[] = [
  {
    what: "whose image was changed",
    patch: container({ image: "mistaken.example/image:2" }),
    field: "spec.template.spec.containers[name=c].image",
    repaired: (live) => only(live)?.image === "c.example/image:1",
  },
  {
    what: "whose variable was changed",
    patch: container({ env: [{ name: "MODE", value: "slow" }] }),
    field: "spec.template.spec.containers[name=c].env[name=MODE].value",
    repaired: (live) => only(live)?.env?.[0]?.value === "fast",
  },
  {
    what: "whose variable was removed",
    patch: container({ env: [{ name: "MODE", $patch: "delete" }] }),
    field: "spec.template.spec.containers[name=c].env[name=MODE]",
    repaired: (live) => only(live)?.env?.[0]?.value === "fast",
  },
  {
    what: "whose arguments were removed",
    patch: container({ args: null }),
    field: "spec.template.spec.containers[name=c].args",
    repaired: (live) => only(live)?.args?.[0] === "--serve",
  },
  {
    what: "whose container was renamed",
    patch: {
      spec: {
        template: {
          spec: {
            containers: [
              { name: "c", $patch: "delete" },
              { name: "other", image: "i" },
            ],
          },
        },
      },
    },
    field: "spec.template.spec.containers[name=c]",
    repaired: (live) => only(live)?.name === "c",
  },
  {
    what: "that was scaled to 0",
    patch: { spec: { replicas: 0 } },
    subresource: "scale",
    field: "spec.replicas",
    repaired: (live) => live.spec?.replicas === 2,
  },
  {
    what: "whose replicas were edited",
    patch: { spec: { replicas: 5 } },
    field: "spec.replicas",
    repaired: (live) => live.spec?.replicas === 2,
  },
];

for (const { what, patch, subresource, field, repaired } of table) {
  test(`a Deployment ${what} is written anew, and no other`, async () => {
    const other = await generation(second);
    await edits("kubectl-edit", patch, subresource === undefined ? {} : { subresource, patchType: "merge" });
    await world.reaches(deployments, first, "repaired", repaired);
    const message = `installing: deployment first was edited: ${field} differs from the CSV`;
    const isInstall = (held: ClusterServiceVersionCondition): boolean =>
      held.phase === "InstallReady" && held.reason === "ComponentUnhealthy" && held.message === message;
    await world.reaches(
      clusterServiceVersions,
      csv,
      `Succeeded after: ${message}`,
      ({ status }) => status?.phase === "Succeeded" && status.conditions?.some(isInstall) === true,
    );
    await world.settled();
    assert.equal(await generation(second), other);
  });
}

test("a Deployment that a HorizontalPodAutoscaler scales, and what others add, are left alone", async () => {
  const annotations = { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z" };
  const additions: readonly (readonly [string, JsonValue, object])[] = [
    ["kubectl-rollout", { spec: { template: { metadata: { annotations } } } }, {}],
    ["kube-controller-manager", { spec: { replicas: 5 } }, { subresource: "scale", patchType: "merge" }],
    ["others", container({ env: [{ name: "MORE", value: "1" }] }), {}],
  ];
  const before = await generation(first);
  for (const [manager, patch, change] of additions) {
    await edits(manager, patch, change);
    await world.settled();
    await succeeds();
    await world.settled();
  }
  assert.equal(await generation(first), before + additions.length);
});

test("a Deployment that is right is not restarted when another one is written anew", async () => {
  const annotations = { "kubectl.kubernetes.io/restartedAt": "2026-02-02T00:00:00Z" };
  await edits("kubectl-rollout", { spec: { template: { metadata: { annotations } } } }, { key: second } as object);
  await world.settled();
  const right = await generation(second);
  await edits("kubectl-edit", container({ image: "mistaken.example/image:3" }));
  await world.reaches(deployments, first, "repaired", (live) => only(live)?.image === "c.example/image:1");
  await succeeds();
  await world.settled();
  assert.equal(await generation(second), right);
});
