import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { clusterExtensions, clusterObjectSets } from "../apis/olm-resources.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { parseCompat } from "../compat.ts";
import { bundleDigestAnnotation } from "../apis/v1/labels.ts";
import { World, type WorldOptions } from "./testing/world.ts";

const key = { name: "logbook-db" };

/** A world with the extension installed, and what changes the content of its bundle. */
async function installed(context: TestContext, options: WorldOptions): Promise<{ world: World; change: () => void }> {
  const world = await World.open(options);
  context.after(() => world.stop());
  await world.extend(key.name, "1.0.0");
  await world.reaches(clusterExtensions, key, "installed", ({ status }) => status?.install !== undefined);
  const manifests = join(world.bundlesDirectory, key.name, "1.0.0", "manifests");
  const file = join(manifests, "logbook-db.clusterserviceversion.yaml");
  const text = readFileSync(file, "utf8");
  return { world, change: () => writeFileSync(file, text.replace(/replicas: 1/, "replicas: 2")) };
}

const rolledOut = ({ status }: ClusterExtension): boolean =>
  findCondition(status?.conditions, "BundleChanged") === undefined &&
  status?.activeRevisions?.map(({ name }) => name).join() === "logbook-db-2";

test("with --compat=bundle-pins a bundle directory that changes under its version is rolled out", async (context) => {
  const compat = parseCompat("bundle-pins");
  assert.ok(compat.ok);
  const { world, change } = await installed(context, { compat: compat.value });
  change();
  await world.reaches(clusterExtensions, key, "rolled out", rolledOut);
});

test("without --compat=bundle-pins a bundle directory that changes under its version is rolled out only when the extension asks for its digest", async (context) => {
  const { world, change } = await installed(context, {});
  const revisions = async (): Promise<readonly string[]> =>
    (await world.client.list(clusterObjectSets)).map(({ metadata }) => metadata.name ?? "");
  change();
  const told = await world.reaches(
    clusterExtensions,
    key,
    "told",
    ({ status }) => findCondition(status?.conditions, "BundleChanged") !== undefined,
  );
  assert.deepEqual(await revisions(), ["logbook-db-1"]);
  const [, digest] =
    /purser\.dev\/bundle-digest=(sha256:[0-9a-f]{64})$/.exec(
      findCondition(told.status?.conditions, "BundleChanged")?.message ?? "",
    ) ?? [];
  assert.ok(digest);
  await world.merge(clusterExtensions, key, { metadata: { annotations: { [bundleDigestAnnotation]: digest } } });
  await world.reaches(clusterExtensions, key, "rolled out", rolledOut);
});
