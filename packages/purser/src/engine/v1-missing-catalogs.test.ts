import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "@purser/kubernetes/apis/condition";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { clusterCatalogs, clusterExtensions } from "../apis/olm-resources.ts";
import type { ClusterExtension, ClusterExtensionSpec } from "../apis/v1/cluster-extension.ts";
import { sourceKey, sourceOfImage } from "../catalog/content.ts";
import { parseCompat } from "../compat.ts";
import { SetContent } from "../content/testing/set-content.ts";
import { World } from "./testing/world.ts";

const name = "logbook-db";
const brokenRef = "local.purser.dev/catalogs/absent:latest";

const createCatalog = (world: World, named: string, ref: string): Promise<void> =>
  world.create(clusterCatalogs, {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name: named },
    spec: { source: { type: "Image", image: { ref } } },
  });

const conditionOf = ({ status }: ClusterExtension, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** The spec of an extension that uses the demo catalog only. */
const fromDemo: Partial<ClusterExtensionSpec> = {
  source: {
    sourceType: "Catalog",
    catalog: {
      packageName: name,
      version: "1.0.0",
      selector: { matchLabels: { "olm.operatorframework.io/metadata.name": "demo" } },
    },
  },
};

const installed = (world: World, version: string): Promise<ClusterExtension> =>
  world.reaches(
    clusterExtensions,
    { name },
    `at ${version}`,
    ({ status }) => status?.install?.bundle.version === version,
  );

test("without --compat=missing-catalogs an extension is installed beside a broken catalog and shows what was left out", async () => {
  const world = await World.open();
  try {
    await createCatalog(world, "broken", brokenRef);
    await world.reaches(
      clusterCatalogs,
      { name: "broken" },
      "blocked",
      ({ status }) => status?.conditions?.some(({ reason }) => reason === "Blocked" || reason === "Retrying") === true,
    );
    await world.extend(name, "1.0.0", fromDemo);
    assert.equal(conditionOf(await installed(world, "1.0.0"), "CatalogsMissing"), undefined);
    await world.merge(
      clusterExtensions,
      { name },
      { spec: { source: { catalog: { version: null, selector: null } } } },
    );
    await installed(world, "1.2.0");
    const incomplete = await world.reaches(
      clusterExtensions,
      { name },
      "showing the catalog that was left out",
      (extension) => conditionOf(extension, "CatalogsMissing")?.status === "True",
    );
    assert.match(conditionOf(incomplete, "CatalogsMissing")?.message ?? "", /ClusterCatalog broken: .*absent/);
    await world.remove(clusterCatalogs, { name: "broken" });
    await world.reaches(
      clusterExtensions,
      { name },
      "complete again",
      (extension) => conditionOf(extension, "CatalogsMissing") === undefined,
    );
  } finally {
    await world.stop();
  }
});

test("with --compat=missing-catalogs a broken catalog blocks an extension without a selector", async () => {
  const compat = parseCompat("missing-catalogs");
  assert.ok(compat.ok);
  const world = await World.open({ compat: compat.value });
  try {
    await createCatalog(world, "broken", brokenRef);
    await world.extend(name, "1.0.0");
    const refused = await world.reaches(clusterExtensions, { name }, "refused", (extension) =>
      (conditionOf(extension, "Progressing")?.message ?? "").startsWith("CatalogUnavailable: "),
    );
    assert.equal(refused.status?.install, undefined);
  } finally {
    await world.stop();
  }
});

test("an extension does not wait for the first read of a catalog that its selector does not match", async () => {
  const content = new SetContent();
  const clock = new VirtualClock();
  const world = await World.open({ content, clock });
  const directories = world.openDirectories();
  try {
    const source = sourceOfImage("local.purser.dev/catalogs/demo:latest");
    const ready = await world.until("the demo catalog", async () => {
      const found = directories.catalog({ source, credentials: [], policy: [] });
      return found.state.kind === "ready" ? found : undefined;
    });
    content.setCatalog(sourceKey(source), ready);
    // The clock stands still, so the first read stays within the time that it may take.
    const pending = { state: { kind: "pending", since: clock.now() }, index: undefined } as const;
    content.setCatalog(sourceKey(sourceOfImage(brokenRef)), pending);
    await createCatalog(world, "slow", brokenRef);
    await world.extend(name, "1.0.0", fromDemo);
    await world.until("a request for the bundle", async () => content.asked.some((key) => key.startsWith(name)));
  } finally {
    await directories.stop();
    await world.stop();
  }
});
