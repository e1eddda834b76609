import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import {
  catalogSources,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  operators,
  subscriptions,
} from "../apis/olm-resources.ts";
import type { InstallPlanStatus } from "../apis/v0/install-plan.ts";
import { globalNamespace } from "../apis/own-namespaces.ts";
import type { ClusterState } from "./testing/cluster-state.ts";
import { KillSweep, roundsOf } from "./testing/kill-sweep.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
  await world.namespace(namespace);
  await world.reaches(
    catalogSources,
    { namespace: globalNamespace, name: "demo" },
    "READY",
    ({ status }) => status?.connectionState?.lastObservedState === "READY",
  );
});
after(() => world.stop());

const namespace = "kills";
const subscription = { namespace, name: "logbook-db" };

async function installed(csv: string): Promise<void> {
  await world.approve(namespace, csv);
  const key = { namespace, name: csv };
  await world.reaches(clusterServiceVersions, key, "Succeeded", ({ status }) => status?.phase === "Succeeded");
  await world.reaches(subscriptions, subscription, `at ${csv}`, ({ status }) => status?.installedCSV === csv);
}

async function install(): Promise<void> {
  const spec = { startingCSV: "logbook-db.v1.1.0", installPlanApproval: "Manual" } as const;
  await world.group(namespace, "group", { targetNamespaces: [namespace] });
  await world.subscribe(namespace, "logbook-db", spec);
  await installed("logbook-db.v1.1.0");
  // The bundle of the upgrade is read by another thread, for which the engine does not wait to be idle.
  const isOffered = "an InstallPlan of logbook-db.v1.2.0";
  await world.reaches(
    subscriptions,
    subscription,
    isOffered,
    ({ status }) => status?.currentCSV === "logbook-db.v1.2.0",
  );
}

async function remove(): Promise<void> {
  const csv = { namespace, name: "logbook-db.v1.2.0" };
  await world.remove(subscriptions, subscription);
  await world.remove(clusterServiceVersions, csv);
  await world.vanishes(clusterServiceVersions, csv);
  await world.remove(operatorGroups, { namespace, name: "group" });
}

/** CSVs and InstallPlans with their phases. */
function phasesIn(state: ClusterState): readonly string[] {
  const kinds: readonly string[] = [clusterServiceVersions.kind, installPlans.kind];
  return Object.entries(state)
    .filter(([key]) => kinds.includes(key.split(" ")[0] ?? ""))
    .map(
      ([key, object]) => `${key} ${String((object as { readonly status?: InstallPlanStatus } | null)?.status?.phase)}`,
    )
    .sort();
}

test("a Subscription's installation, approved upgrade and deletion end the same when the process ends at any write", async () => {
  const sweep = await KillSweep.open(
    world,
    [
      { name: "installation", act: install },
      { name: "upgrade", act: () => installed("logbook-db.v1.2.0") },
      { name: "deletion", act: remove },
    ],
    async () => {
      await world.remove(customResourceDefinitions, { name: "ledgers.logbook.demo.purser.dev" });
      await world.remove(operators, { name: "logbook-db.kills" });
    },
  );
  assert.deepEqual(
    sweep.stages.map(({ end }) => phasesIn(end)),
    [
      [
        "ClusterServiceVersion kills/logbook-db.v1.1.0 Succeeded",
        "InstallPlan kills/install-1 Complete",
        "InstallPlan kills/install-2 RequiresApproval",
      ],
      [
        "ClusterServiceVersion kills/logbook-db.v1.2.0 Succeeded",
        "InstallPlan kills/install-1 Complete",
        "InstallPlan kills/install-2 Complete",
      ],
      [],
    ],
  );
  await sweep.run(roundsOf(sweep, 7));
});
