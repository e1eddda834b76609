import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { clusterExtensions, clusterServiceVersions, subscriptions } from "../apis/olm-resources.ts";
import { type ClusterOperator, clusterOperators } from "../apis/openshift.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import { installOpenShift, reportVersion } from "./testing/openshift-definitions.ts";
import { World } from "./testing/world.ts";

const names = { extensions: "olm", operators: "operator-lifecycle-manager", catalogs: "catalogs" };
const property = { type: "olm.maxOpenShiftVersion", value: "4.18" };

let world: World;
before(async () => {
  world = await World.open({ clusterOperators: { version: "1.2.3", names } });
  // As bundles bring it. The next version of the package supports every release.
  await writeFile(
    join(world.bundlesDirectory, "logbook-db", "1.1.0", "metadata", "properties.yaml"),
    JSON.stringify({ properties: [property] }),
  );
});
after(() => world.stop());

const upgradeable = ({ status }: ClusterOperator): string => {
  const held = status?.conditions?.find(({ type }) => type === "Upgradeable");
  return `${held?.status} ${held?.reason ?? ""} ${held?.message ?? ""}`.trimEnd();
};
const shows = (name: string, text: string): Promise<ClusterOperator> =>
  world.reaches(clusterOperators, { name }, text, (operator) => upgradeable(operator) === text);

const blocked = (kind: string, name: string, version = "4.19.0"): string =>
  [
    `False IncompatibleOperatorsInstalled ${kind} blocking minor version upgrades to ${version} or higher:`,
    `- maximum supported OCP version for ${name} is 4.18`,
  ].join("\n");

const arrives = (version: string): Promise<unknown> =>
  world.reaches(
    clusterExtensions,
    { name: "logbook-db" },
    `at ${version}`,
    ({ status }) => status?.install?.bundle.version === version,
  );

/** An operator without pods whose author allows OpenShift up to 4.18. */
const operator: ClusterServiceVersion = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: {
    namespace: "old",
    name: "old.v1",
    annotations: { "olm.properties": JSON.stringify([property]) },
  },
  spec: {
    displayName: "old",
    install: { strategy: "deployment", spec: { deployments: [] } },
    installModes: [{ type: "OwnNamespace", supported: true }],
  },
};

/** Passes of the controllers of ClusterOperators. */
const passes = (): number =>
  Object.entries(world.passes())
    .filter(([name]) => name.startsWith("cluster-operator-"))
    .reduce((sum, [, count]) => sum + count, 0);

/** Requests of the engine to the configuration API while `work` runs, reads first. */
async function touched(work: () => Promise<unknown>): Promise<readonly string[]> {
  const [reads, writes] = [world.engineReads.length, world.engineWrites.length];
  await work();
  await world.settled();
  return [
    ...world.engineReads.slice(reads),
    ...world.engineWrites.slice(writes).map(({ method, path }) => `${method} ${path}`),
  ].filter((request) => request.includes("config.openshift.io"));
}

test("without OpenShift's configuration API nothing is asked, written or looked at again", async () => {
  const requests = await touched(async () => {
    await world.tenant("plain");
    await world.subscribe("plain", "ballast-cache");
    await world.reaches(
      subscriptions,
      { namespace: "plain", name: "ballast-cache" },
      "installed",
      ({ status }) => status?.state === "AtLatestKnown",
    );
  });
  assert.deepEqual(requests, []);
  assert.equal(passes(), 0);
});

test("ClusterOperators appear with OpenShift's configuration API, and rest", async () => {
  await installOpenShift(world, "4.18.3");
  for (const name of Object.values(names)) {
    const { status } = await shows(name, "True");
    assert.deepEqual(
      status?.conditions?.map(({ type, status: held }) => `${type}=${held}`),
      ["Progressing=False", "Available=True", "Degraded=False", "Upgradeable=True"],
    );
  }
  await world.settled();
  const requests = await touched(() =>
    world.merge(clusterOperators, { name: "olm" }, { metadata: { annotations: { touched: "true" } } }),
  );
  assert.deepEqual(requests, ["GET /apis/config.openshift.io/v1/clusteroperators/olm"]);
});

test("an installed extension blocks the next minor version until it is updated", async () => {
  await world.extend("logbook-db", "1.1.0");
  await arrives("1.1.0");
  await shows("olm", blocked("ClusterExtensions", "logbook-db"));
  await reportVersion(world, "4.17.9");
  await shows("olm", "True");
  await reportVersion(world, "4.18.0-rc.1");
  await shows("olm", blocked("ClusterExtensions", "logbook-db"));
  await world.merge(clusterExtensions, { name: "logbook-db" }, { spec: { source: { catalog: { version: "1.2.0" } } } });
  await arrives("1.2.0");
  await shows("olm", "True");
});

test("an installed operator blocks the next minor version until it is uninstalled", async () => {
  await world.tenant("old");
  await world.create(clusterServiceVersions, operator);
  await shows("operator-lifecycle-manager", blocked("ClusterServiceVersions", "old/old.v1"));
  assert.equal(upgradeable(await shows("catalogs", "True")), "True");
  await world.remove(clusterServiceVersions, { namespace: "old", name: "old.v1" });
  await shows("operator-lifecycle-manager", "True");
});

test("a ClusterOperator that is deleted or edited is repaired", async () => {
  await world.remove(clusterOperators, { name: "olm" });
  await shows("olm", "True");
  const { metadata } = await shows("catalogs", "True");
  const conditions = [{ type: "Upgradeable", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z" }];
  await world.client.write(
    {
      verb: "replace",
      type: clusterOperators,
      object: {
        apiVersion: "config.openshift.io/v1",
        kind: "ClusterOperator",
        metadata,
        status: { conditions },
      } as never,
      subresource: "status",
    },
    new AbortController().signal,
  );
  await shows("catalogs", "True");
});

test("without OpenShift's configuration API no request is sent to it", async () => {
  await world.remove(customResourceDefinitions, { name: "clusteroperators.config.openshift.io" });
  await world.vanishes(customResourceDefinitions, { name: "clusteroperators.config.openshift.io" });
  await world.settled();
  assert.deepEqual(await touched(() => world.create(clusterServiceVersions, operator)), []);
});
