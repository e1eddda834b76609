// What is done about APIs that the bundle of a ClusterExtension requires: semaphore-gateway needs an API of ballast-cache.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterExtensions, clusterObjectSets, clusterUpdatePolicies } from "../apis/olm-resources.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { parseCompat } from "../compat.ts";
import { installationsOf } from "../installation/installation.ts";
import { World, type WorldOptions } from "./testing/world.ts";

const name = "semaphore-gateway";
const watchNamespace = { config: { configType: "Inline", inline: { watchNamespace: name } } } as const;

async function inWorld(work: (world: World) => Promise<void>, options: WorldOptions = {}): Promise<void> {
  const world = await World.open(options);
  try {
    await work(world);
  } finally {
    await world.stop();
  }
}

const says = (world: World, text: RegExp): Promise<ClusterExtension> =>
  world.reaches(
    clusterExtensions,
    { name },
    `says ${text.source}`,
    ({ status }) =>
      status?.conditions?.some(({ type, message }) => type === "Progressing" && text.test(message)) === true,
  );
const isInstalled = ({ status }: ClusterExtension): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Installed" && is === "True") === true;
const arrives = (world: World, extension = name): Promise<ClusterExtension> =>
  world.reaches(clusterExtensions, { name: extension }, "installed", isInstalled);

test("without --compat=extension-dependencies a ClusterExtension waits for what it requires, and goes on at once when it is there", () =>
  inWorld(async (world) => {
    await world.extend(name, undefined, watchNamespace);
    const refused = await says(
      world,
      /^DependencyMissing: ClusterExtension semaphore-gateway would get semaphore-gateway\.v\S+, which requires API Cache \(ballast\.demo\.purser\.dev\/v1\), and the cluster has none\. Install ballast-cache, which provides .*: purser install ballast-cache -n semaphore-gateway --as-extension\nvalidating bundle .* has a dependency declared via property "olm\.gvk\.required" which is currently not supported$/,
    );
    assert.equal(refused.status?.install, undefined);
    assert.equal((await world.client.list(clusterObjectSets)).length, 0);
    await world.extend("ballast-cache");
    await arrives(world);
  }));

test("with --compat=extension-dependencies a ClusterExtension whose bundle requires others is refused for good", async () => {
  const compat = parseCompat("extension-dependencies");
  assert.ok(compat.ok);
  await inWorld(
    async (world) => {
      await world.extend("ballast-cache");
      await arrives(world, "ballast-cache");
      await world.extend(name, undefined, watchNamespace);
      await says(world, /^DependencyNotAllowed: /);
    },
    { compat: compat.value },
  );
});

test("with the annotation install, what is required is installed first and says who wants it", () =>
  inWorld(async (world) => {
    await world.namespace(name);
    await world.create(clusterExtensions, {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: { name, annotations: { "purser.dev/dependencies": "install" } },
      spec: {
        namespace: name,
        source: { sourceType: "Catalog", catalog: { packageName: name } },
        ...watchNamespace,
      },
    });
    await arrives(world);
    const wanted = await arrives(world, "ballast-cache");
    assert.equal(wanted.metadata.annotations?.["purser.dev/wanted-by"], name);
    assert.equal(wanted.spec?.namespace, name);
    await world.remove(clusterExtensions, { name });
    await world.vanishes(clusterExtensions, { name });
    assert.ok(await world.client.get(clusterExtensions, { name: "ballast-cache" }), "what was wanted stays");
  }));

test("an extension whose dependency takes long to install is Installing, and Blocked once that is stuck", () =>
  inWorld(async (world) => {
    const held = Promise.withResolvers<void>();
    world.disturb = ({ path }, moment) =>
      moment === "before" && path.includes("/customresourcedefinitions") ? held.promise : undefined;
    await world.namespace(name);
    const spec = {
      namespace: name,
      source: { sourceType: "Catalog", catalog: { packageName: name } },
      ...watchNamespace,
    };
    const metadata = { name, annotations: { "purser.dev/dependencies": "install" } };
    await world.create(clusterExtensions, {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata,
      spec,
    } as ClusterExtension);
    const shown = (extension: ClusterExtension): string => {
      const [one] = installationsOf({ extensions: [extension], subscriptions: [], csvs: [], installPlans: [] });
      return `${one?.state} ${one?.why.replace(/^.*; /, "")}`;
    };
    const coming = await says(world, /is being installed for it/);
    assert.match(shown(coming), /^Installing ClusterExtension ballast-cache is being installed for it\. Wait for it: /);
    const paused = { metadata: { annotations: { "purser.dev/paused": "true" } } };
    await world.merge(clusterExtensions, { name: "ballast-cache" }, paused);
    const stuck = await says(world, /is stuck/);
    assert.match(
      shown(stuck),
      /^Blocked ClusterExtension ballast-cache, which is to provide it, is stuck: it is paused\./,
    );
    await world.merge(
      clusterExtensions,
      { name: "ballast-cache" },
      { metadata: { annotations: { "purser.dev/paused": null } } },
    );
    await says(world, /is being installed for it/);
    held.resolve();
    await arrives(world);
  }));

test("an update policy installs what is required, whatever the annotation of the extension says", () =>
  inWorld(async (world) => {
    await world.create(clusterUpdatePolicies, {
      apiVersion: "purser.dev/v1alpha1",
      kind: "ClusterUpdatePolicy",
      metadata: { name: "dependencies" },
      spec: { dependencies: "Install" },
    });
    await world.extend(name, undefined, watchNamespace);
    await world.merge(
      clusterExtensions,
      { name },
      { metadata: { annotations: { "purser.dev/dependencies": "verify" } } },
    );
    await arrives(world);
    await arrives(world, "ballast-cache");
  }));

test("an installed bundle stays when what it requires is removed", () =>
  inWorld(async (world) => {
    await world.extend("ballast-cache");
    await arrives(world, "ballast-cache");
    await world.extend(name, undefined, watchNamespace);
    await arrives(world);
    await world.remove(clusterExtensions, { name: "ballast-cache" });
    await world.vanishes(clusterExtensions, { name: "ballast-cache" });
    await world.settled();
    assert.ok(isInstalled((await world.client.get(clusterExtensions, { name })) as ClusterExtension));
  }));
