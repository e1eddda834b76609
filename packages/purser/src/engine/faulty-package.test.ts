import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { catalogSources, clusterCatalogs, clusterExtensions, subscriptions } from "../apis/olm-resources.ts";
import type { CatalogSource } from "../apis/v0/catalog-source.ts";
import type { ClusterCatalog } from "../apis/v1/cluster-catalog.ts";
import { globalNamespace } from "../apis/own-namespaces.ts";
import { World } from "./testing/world.ts";

// The tests share one world: one package of its catalog breaks and is repaired in the end.
let world: World;
let file: string;
let sound: string;
const source = { namespace: globalNamespace, name: "demo" };
const cause = "ballast-cache/catalog.yaml:1: channel must contain at least one bundle";

before(async () => {
  world = await World.open();
  file = join(world.catalogDirectory, "ballast-cache", "catalog.yaml");
  sound = readFileSync(file, "utf8");
  writeFileSync(file, sound.replace(/^defaultChannel: .*$/m, "defaultChannel: none"));
});
after(() => world?.stop());

test("a ClusterCatalog and a CatalogSource name the faulty package and keep serving", async () => {
  const text = `1 package cannot be used: ballast-cache: ${cause}`;
  const catalog = await world.reaches(
    clusterCatalogs,
    { name: "demo" },
    "told",
    ({ status }) => findCondition(status?.conditions, "FaultyPackages")?.message === text,
  );
  assert.equal(findCondition(catalog.status?.conditions, "Serving")?.status, "True");
  assert.equal(findCondition(catalog.status?.conditions, "Progressing")?.reason, "Succeeded");
  const shown = await world.reaches(
    catalogSources,
    source,
    "told as well",
    ({ status }) => findCondition(status?.conditions, "FaultyPackages")?.message === text,
  );
  assert.equal(findCondition(shown.status?.conditions, "Ready")?.reason, "Serving");
});

test("the other packages are installed, and whoever names the faulty one gets the fault", async () => {
  await world.tenant("late");
  await world.extend("logbook-db", "1.0.0");
  await world.extend("ballast-cache", "0.3.0");
  await world.subscribe("late", "ballast-cache");
  await world.reaches(
    clusterExtensions,
    { name: "logbook-db" },
    "installed",
    ({ status }) => status?.install?.bundle.version === "1.0.0",
  );
  const extension = await world.reaches(
    clusterExtensions,
    { name: "ballast-cache" },
    "refused",
    ({ status }) => findCondition(status?.conditions, "Progressing") !== undefined,
  );
  assert.equal(
    findCondition(extension.status?.conditions, "Progressing")?.message,
    `CatalogInvalid: ClusterExtension ballast-cache asks for package ballast-cache, which cannot be used in ClusterCatalog demo: ${cause}. Correct package ballast-cache in catalog demo; to see the source of its content: purser source show cc/demo\nno bundles found for package "ballast-cache" matching version "0.3.0"`,
  );
  const subscription = await world.reaches(
    subscriptions,
    { namespace: "late", name: "ballast-cache" },
    "refused",
    ({ status }) => findCondition(status?.conditions, "ResolutionFailed")?.status === "True",
  );
  assert.equal(
    findCondition(subscription.status?.conditions, "ResolutionFailed")?.message,
    `CatalogInvalid: Subscription ballast-cache asks for package ballast-cache, which cannot be used in catalog olm/demo: ${cause}. Correct package ballast-cache in catalog olm/demo; to see the source of its content: purser source show olm/demo\nconstraints not satisfiable: no operators found in package ballast-cache in the catalog referenced by subscription ballast-cache, subscription ballast-cache exists`,
  );
});

test("a repaired package is used, and nothing is said of it any more", async () => {
  // Both families own the same definition: whichever is first keeps it.
  await world.remove(subscriptions, { namespace: "late", name: "ballast-cache" });
  writeFileSync(file, sound);
  await world.reaches(
    clusterExtensions,
    { name: "ballast-cache" },
    "installed",
    ({ status }) => status?.install?.bundle.version === "0.3.0",
  );
  const isGone = ({ status }: CatalogSource | ClusterCatalog): boolean =>
    findCondition(status?.conditions, "FaultyPackages") === undefined;
  await world.reaches(clusterCatalogs, { name: "demo" }, "not told", isGone);
  await world.reaches(catalogSources, source, "not told", isGone);
});
