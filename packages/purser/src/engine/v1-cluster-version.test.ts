import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { clusterExtensions, clusterObjectSets } from "../apis/olm-resources.ts";
import type { ClusterExtension } from "../apis/v1/cluster-extension.ts";
import { parseCompat } from "../compat.ts";
import { World } from "./testing/world.ts";

const name = "logbook-db";

/** A cluster where logbook-db `version` asks for a Kubernetes that does not exist yet. */
async function worldWithFuture(version: string, wanted: string, switches = ""): Promise<World> {
  const compat = parseCompat(switches);
  assert.ok(compat.ok);
  const world = await World.open({ compat: compat.value });
  const file = join(world.bundlesDirectory, name, version, "manifests", "logbook-db.clusterserviceversion.yaml");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/^ {2}minKubeVersion: .*$/m, `  minKubeVersion: "${wanted}"`));
  return world;
}

const progressOf = ({ status }: ClusterExtension) => status?.conditions?.find(({ type }) => type === "Progressing");
const arrives = (world: World, version: string): Promise<ClusterExtension> =>
  world.reaches(
    clusterExtensions,
    { name },
    `at ${version}`,
    (one) => one.status?.install?.bundle.version === version && progressOf(one)?.reason === "Succeeded",
  );
const isBlocked = (world: World): Promise<ClusterExtension> =>
  world.reaches(clusterExtensions, { name }, "blocked", (one) => progressOf(one)?.reason === "Blocked");

test("without --compat=kube-versions a bundle that needs a newer Kubernetes is not rolled out, and the former one stays", async () => {
  const world = await worldWithFuture("1.1.0", "v1.99.0");
  try {
    await world.extend(name, "1.0.0");
    await arrives(world, "1.0.0");
    await world.merge(clusterExtensions, { name }, { spec: { source: { catalog: { version: "1.1.0" } } } });
    const { status } = await isBlocked(world);
    const [cause = "", upstream = ""] = progressOf({ status } as ClusterExtension)?.message.split("\n") ?? [];
    assert.match(
      cause,
      /^ClusterIncompatible: logbook-db\.v1\.1\.0 needs Kubernetes v1\.99\.0 or newer, and the cluster runs 1\.\d+\.\d+\. Name a version that runs on it in spec\.source\.catalog\.version, or upgrade the cluster; to list the versions of the catalogs: purser show logbook-db --versions$/,
    );
    assert.match(
      upstream,
      /^error for resolved bundle "logbook-db\.v1\.1\.0" with version "1\.1\.0": CSV version requirement not met: minKubeVersion \(v1\.99\.0\) > server version/,
    );
    assert.equal(status?.install?.bundle.version, "1.0.0");
    await world.settled();
    assert.equal((await world.client.list(clusterObjectSets)).length, 1, "no revision is made");
  } finally {
    await world.stop();
  }
});

test("a minKubeVersion that is no version of three parts blocks", async () => {
  const world = await worldWithFuture("1.0.0", "1.25");
  try {
    await world.extend(name, "1.0.0");
    assert.match(progressOf(await isBlocked(world))?.message ?? "", /: CSV version parsing error$/);
  } finally {
    await world.stop();
  }
});

test("with --compat=kube-versions a bundle is rolled out whatever Kubernetes it needs", async () => {
  const world = await worldWithFuture("1.0.0", "1.99.0", "kube-versions");
  try {
    await world.extend(name, "1.0.0");
    await arrives(world, "1.0.0");
  } finally {
    await world.stop();
  }
});

test("Installed is Unknown while the revision does not record its bundle, and known again when it does", async () => {
  const world = await World.open();
  try {
    await world.extend(name, "1.0.0");
    await arrives(world, "1.0.0");
    const annotation = "olm.operatorframework.io/bundle-name";
    const mark = (value: string | null): Promise<void> =>
      world.merge(clusterObjectSets, { name: `${name}-1` }, { metadata: { annotations: { [annotation]: value } } });
    await mark(null);
    const unknown = await world.reaches(
      clusterExtensions,
      { name },
      "unknown",
      ({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === "Installed" && is === "Unknown") === true,
    );
    const fault =
      "the installed bundle is not known: annotation olm.operatorframework.io/bundle-name of ClusterObjectSet logbook-db-1 is missing; correct it, or delete the ClusterObjectSet";
    const shown = (type: string) => unknown.status?.conditions?.find((one) => one.type === type);
    assert.deepEqual([shown("Installed")?.reason, shown("Installed")?.message], ["Failed", fault]);
    assert.equal(shown("Progressing")?.message, `${fault}\nretrying to get installed bundle`);
    assert.equal(unknown.status?.install, undefined);
    await mark(`${name}.v1.0.0`);
    await arrives(world, "1.0.0");
  } finally {
    await world.stop();
  }
});

test("a downgrade needs SelfCertified, and without it nothing changes on the cluster", async () => {
  const world = await World.open();
  try {
    await world.extend(name, "1.1.0");
    await arrives(world, "1.1.0");
    const narrow = (catalog: { readonly version: string; readonly upgradeConstraintPolicy?: string }): Promise<void> =>
      world.merge(clusterExtensions, { name }, { spec: { source: { catalog } } });
    await narrow({ version: "<1.1.0" });
    const refused = await world.reaches(
      clusterExtensions,
      { name },
      "refused",
      (one) => progressOf(one)?.reason === "Retrying",
    );
    assert.match(
      progressOf(refused)?.message ?? "",
      /^NoUpgradePath: .*\nerror upgrading from currently installed version "1\.1\.0": no bundles found for package "logbook-db" matching version "<1\.1\.0"$/s,
    );
    assert.equal(refused.status?.install?.bundle.version, "1.1.0");
    await world.settled();
    assert.equal((await world.client.list(clusterObjectSets)).length, 1);
    await world.merge(
      clusterExtensions,
      { name },
      { spec: { install: { preflight: { crdUpgradeSafety: { enforcement: "None" } } } } },
    );
    await narrow({ version: "<1.1.0", upgradeConstraintPolicy: "SelfCertified" });
    await arrives(world, "1.0.0");
  } finally {
    await world.stop();
  }
});
