// Passes over installations that wait or failed, while what they depend on stays the same: none asks the API server for anything.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { serviceAccounts } from "@purser/kubernetes/apis/resources";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import {
  catalogSources,
  clusterCatalogs,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../apis/olm-resources.ts";
import type { ClusterServiceVersion, ClusterServiceVersionSpec } from "../apis/v0/cluster-service-version.ts";
import { globalNamespace } from "../apis/own-namespaces.ts";
import { timePasses } from "./testing/passing-time.ts";
import { World } from "./testing/world.ts";

const clock = new VirtualClock(Date.now());
let world: World;
before(async () => {
  world = await World.open({ clock });
  // The virtual clock does not pace their content, which may come during a pass that is counted.
  await world.reaches(
    clusterCatalogs,
    { name: "demo" },
    "served",
    ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Serving" && is === "True") === true,
  );
  await world.reaches(
    catalogSources,
    { namespace: globalNamespace, name: "demo" },
    "READY",
    ({ status }) => status?.connectionState?.lastObservedState === "READY",
  );
});
after(() => world?.stop());

const rule = { apiGroups: [""], resources: ["nodes"], verbs: ["get"] };
const csvIn = (namespace: string, spec: object): ClusterServiceVersion => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { namespace, name: "op.v1" },
  spec: {
    displayName: "op",
    version: "1.0.0",
    installModes: [{ type: "OwnNamespace", supported: true }],
    install: { strategy: "deployment", spec: { deployments: [] } },
    ...spec,
  } as unknown as ClusterServiceVersionSpec,
});
const api = { group: "absent.example.com", version: "v1", kind: "Absent", name: "absents" };

/** What a pass over it is started by, without a change of anything that it depends on. */
interface Stuck {
  readonly words: string;
  readonly namespace: string;
  readonly controller: string;
  readonly begin: (namespace: string) => Promise<void>;
  readonly isStuck: (namespace: string) => Promise<boolean>;
  readonly touched: readonly [ResourceType, (namespace: string) => Promise<string>];
}

const group = [operatorGroups, async () => "group"] as const;
const csvAt =
  (phase: string, reason: string) =>
  async (namespace: string): Promise<boolean> => {
    const status = (await world.client.get(clusterServiceVersions, { namespace, name: "op.v1" }))?.status;
    return status?.phase === phase && status.reason === reason;
  };
const csvWith =
  (spec: object) =>
  async (namespace: string): Promise<void> => {
    await world.tenant(namespace);
    await world.create(clusterServiceVersions, csvIn(namespace, spec));
  };
const permissions = { deployments: [], clusterPermissions: [{ serviceAccountName: "poor", rules: [rule] }] };
const firstPlan = async (namespace: string): Promise<string> =>
  (await world.client.list(installPlans, { namespace }))[0]?.metadata.name ?? "";

const worlds: readonly Stuck[] = [
  {
    words: "a Pending CSV without a CRD, an API and an account that it requires",
    namespace: "lacks-all",
    controller: "cluster-service-version",
    begin: csvWith({
      customresourcedefinitions: { required: [{ name: "nothings.example.com", version: "v1", kind: "Nothing" }] },
      apiservicedefinitions: { required: [api] },
      nativeAPIs: [{ group: "native.example.com", version: "v1", kind: "Native" }],
      install: { strategy: "deployment", spec: permissions },
    }),
    isStuck: csvAt("Pending", "RequirementsNotMet"),
    touched: group,
  },
  {
    words: "a Pending CSV whose account lacks a right",
    namespace: "lacks-rights",
    controller: "cluster-service-version",
    begin: async (namespace) => {
      await world.namespace(namespace);
      const metadata = { namespace, name: "poor" };
      await world.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata });
      await csvWith({ install: { strategy: "deployment", spec: permissions } })(namespace);
    },
    isStuck: csvAt("Pending", "RequirementsNotMet"),
    touched: group,
  },
  {
    words: "a Failed CSV whose install modes do not allow the targets of its group",
    namespace: "modes",
    controller: "cluster-service-version",
    begin: csvWith({ installModes: [{ type: "AllNamespaces", supported: true }] }),
    isStuck: csvAt("Failed", "UnsupportedOperatorGroup"),
    touched: group,
  },
  {
    words: "a Subscription that cannot be resolved",
    namespace: "unresolved",
    controller: "namespace-resolution",
    begin: async (namespace) => {
      await world.tenant(namespace);
      await world.subscribe(namespace, "logbook-db", { channel: "none" });
    },
    isStuck: async (namespace) =>
      (await world.client.get(subscriptions, { namespace, name: "logbook-db" }))?.status?.conditions?.some(
        ({ type, status }) => type === "ResolutionFailed" && status === "True",
      ) === true,
    touched: [subscriptions, async () => "logbook-db"],
  },
  {
    words: "an InstallPlan that waits for approval",
    namespace: "unapproved",
    controller: "install-plan",
    begin: async (namespace) => {
      await world.tenant(namespace);
      await world.subscribe(namespace, "ballast-cache", { installPlanApproval: "Manual" });
    },
    isStuck: async (namespace) =>
      (await world.client.list(installPlans, { namespace })).some(({ status }) => status?.phase === "RequiresApproval"),
    touched: [installPlans, firstPlan],
  },
];

for (const { words, namespace, controller, begin, isStuck, touched } of worlds)
  test(`a pass with unchanged input reads nothing: ${words}`, async () => {
    await begin(namespace);
    await world.until(words, async () => {
      if (await isStuck(namespace)) return true;
      await timePasses(world, clock, 1000);
      return false;
    });
    // What follows a change once: events, annotations, the first answers that are kept.
    await timePasses(world, clock, 60_000);
    const [type, nameOf] = touched;
    const key: ObjectKey = { namespace, name: await nameOf(namespace) };
    const touch = async (value: string): Promise<void> => {
      await world.merge(type, key, { metadata: { annotations: { touched: value } } });
      await world.settled();
    };
    await touch("first");
    const passes = world.passes()[controller] ?? 0;
    const [reads, writes] = [world.engineReads.length, world.engineWrites.length];
    await touch("again");
    assert.ok((world.passes()[controller] ?? 0) > passes, "a pass was started");
    assert.deepEqual(world.engineReads.slice(reads), []);
    assert.deepEqual(world.engineWrites.slice(writes), []);
  });
