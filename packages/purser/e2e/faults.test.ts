import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { configMaps, secrets } from "@purser/kubernetes/apis/resources";
import { catalogSources, clusterCatalogs, clusterExtensions, subscriptions } from "../src/apis/olm-resources.ts";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { written } from "@purser/kubernetes/kube/refusal";
import type { Driver } from "./driver.ts";
import { clientDriver } from "./driver.ts";
import { eventually } from "./eventually.ts";
import { csvSucceeded, namespace } from "./flow-steps.ts";
import type { PurserProcess } from "./purser-process.ts";
import { productDirectory } from "./built-product.ts";
import { purser, startPurser } from "./purser-process.ts";
import type { ClusterConnection } from "./surroundings.ts";
import { connectWith, freshSurroundings, patient, touchedHome } from "./surroundings.ts";

const surroundings = freshSurroundings();
const { env, path } = surroundings;

suite("a data directory", () => {
  const kubeconfig = join(surroundings.dataDirectory, "kubeconfig");
  const database = join(surroundings.dataDirectory, "cluster.db");

  /** Identity of every object of these kinds. */
  async function identities({ client }: ClusterConnection): Promise<readonly string[]> {
    const kinds: readonly ResourceType[] = [configMaps, secrets, subscriptions, clusterExtensions, catalogSources];
    const lists = await Promise.all(kinds.map((type) => client.list<KubeObject>(type)));
    return lists
      .flat()
      .map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name} ${metadata.uid}`)
      .sort();
  }

  async function whileUp<Value>(
    args: readonly string[],
    signal: "SIGINT" | "SIGTERM",
    act: (cluster: ClusterConnection, up: PurserProcess) => Promise<Value>,
  ): Promise<Value> {
    const up = await startPurser(["up", ...args], env);
    const cluster = connectWith(kubeconfig);
    try {
      return await act(cluster, up);
    } catch (error) {
      throw new Error(`${String(error)}\n${up.output()}`, { cause: error });
    } finally {
      cluster.close();
      assert.equal(await up.stop(signal), 0, up.output());
    }
  }

  const note: KubeObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "note", namespace: "default" },
  };
  const create = async ({ client }: ClusterConnection): Promise<void> => {
    written(await client.write({ verb: "create", type: configMaps, object: note }, patient));
  };

  test("keeps every object over SIGTERM and SIGINT, is the XDG one by default and never ~/.kube", async () => {
    const before = await whileUp([], "SIGTERM", async (cluster) => {
      await create(cluster);
      return identities(cluster);
    });
    assert.ok(before.some((line) => line.startsWith("ConfigMap default/note ")));
    assert.ok(before.some((line) => line.startsWith("Subscription demo-logbook/logbook-db ")));
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const later = new Set(await whileUp([], signal, identities));
      assert.deepEqual(
        before.filter((line) => !later.has(line)),
        [],
      );
    }
    assert.equal(touchedHome(surroundings), false);
  });

  test("belongs to one process: a second one refuses, with --fresh too, and the first keeps its state", () =>
    whileUp([], "SIGTERM", async (cluster) => {
      const before = await identities(cluster);
      for (const flags of [[], ["--fresh"]]) {
        const second = await purser(["up", ...flags], env);
        assert.equal(second.code, 1, second.stderr);
        assert.match(second.stderr, /Another process uses the data directory .*\n +do +purser status/);
      }
      const now = new Set(await identities(cluster));
      assert.deepEqual(
        before.filter((line) => !now.has(line)),
        [],
      );
    }));

  test("is started over with --fresh", () =>
    whileUp(["--fresh", "--demo", "none"], "SIGTERM", async (cluster) => {
      const names = (await identities(cluster)).join("\n");
      assert.doesNotMatch(names, /ConfigMap default\/note|logbook-db|ballast-cache/);
    }));

  const damages: readonly (readonly [what: string, damage: (whole: Buffer) => Buffer])[] = [
    ["is something else", () => Buffer.from("this is no database\n".repeat(100))],
    ["was cut off", (whole) => whole.subarray(0, Math.floor(whole.length / 2) + 17)],
    [
      "has zeroes in its middle",
      (whole) => Buffer.from(whole).fill(0, Math.floor(whole.length / 3), Math.floor(whole.length / 3) + 9000),
    ],
  ];
  for (const [what, damage] of damages) {
    test(`whose file ${what} is refused with the ways out, and the file is kept byte for byte`, async () => {
      const directory = path(`damaged-${what.replaceAll(" ", "-")}`);
      const file = join(directory, "cluster.db");
      mkdirSync(directory);
      writeFileSync(file, damage(readFileSync(database)));
      const bytes = readFileSync(file);
      const refused = await purser(["up", "--data", directory], env);
      assert.equal(refused.code, 1, refused.stderr);
      assert.match(
        refused.stderr,
        /data file ".*cluster\.db" is damaged: .*\n +do +purser up --data DIR.*\n +or +purser up --fresh/,
      );
      assert.ok(readFileSync(file).equals(bytes), "the file was changed");
    });
  }

  test("whose file has 0 bytes is refused with the ways out, and the file is kept", async () => {
    const directory = path("emptied");
    mkdirSync(directory);
    writeFileSync(join(directory, "cluster.db"), "");
    const refused = await purser(["up", "--data", directory], env);
    assert.equal(refused.code, 1, refused.stderr);
    assert.match(
      refused.stderr,
      /"[^"]*cluster\.db": the file has 0 bytes.*\n +do +.*\n +or +purser up --data DIR.*\n +or +purser up --fresh/,
    );
    assert.equal(readFileSync(join(directory, "cluster.db")).length, 0);
  });

  test("that is removed while the server runs is reported at once, takes no write, and ends it with exit code 1", async () => {
    const directory = path("removed");
    const config = path("removed-kubeconfig");
    const args = ["--data", directory, "--write-kubeconfig", config, "--demo", "none"];
    const up = await startPurser(["up", ...args], env);
    const cluster = connectWith(config);
    try {
      rmSync(directory, { recursive: true });
      await eventually("the loss is logged", async () =>
        /"level":"error","message":"every write is refused: .*cluster\.db.* was removed".*"do":"/.test(up.output())
          ? undefined
          : up.output(),
      );
      const refused = await cluster.client.write({ verb: "create", type: configMaps, object: note }, patient);
      assert.match(refused.ok ? "acknowledged" : refused.problem.status.message, /cluster\.db" was removed/);
      assert.ok((await cluster.client.list(configMaps)).length > 0, "reads are still served");
    } finally {
      cluster.close();
      assert.equal(await up.stop("SIGTERM"), 1, up.output());
    }
    assert.match(up.output(), /Writes were refused up to the end: .*cluster\.db" was removed/);
    assert.ok(!existsSync(directory), "nothing was made in its place");
  });

  test("that is damaged can be started over with --fresh", async () => {
    const up = await startPurser(["up", "--fresh", "--demo", "none", "--data", path("damaged-was-cut-off")], env);
    assert.equal(await up.stop("SIGTERM"), 0, up.output());
  });

  test("or a kubeconfig that cannot be written is refused with the way out", async () => {
    writeFileSync(path("file"), "");
    const data = await purser(["up", "--data", path("file/data")], env);
    assert.equal(data.code, 1);
    assert.match(data.stderr, /Cannot use the data file .*\n +do +purser up --data DIR/);
    const config = await purser(
      ["up", "--ephemeral", "--demo", "none", "--write-kubeconfig", path("file/config")],
      env,
    );
    assert.equal(config.code, 1);
    assert.match(config.stderr, /Cannot write the kubeconfig .*\n +do +purser up --write-kubeconfig FILE/);
    assert.doesNotMatch(config.stdout, /^Ready/m);
  });
});

suite("catalogs and bundles", () => {
  const kubeconfig = path("catalogs-kubeconfig");
  const steady = path("steady");
  const broken = path("broken");
  const bundles = path("bundles");
  const brokenFile = join(broken, "ballast-cache/catalog.yaml");
  let up: PurserProcess | undefined;
  let cluster: ClusterConnection | undefined;
  let driver: Driver;

  before(async () => {
    for (const directory of [steady, broken])
      cpSync(join(productDirectory, "demo/default/catalog"), directory, { recursive: true });
    cpSync(join(productDirectory, "demo/default/bundles"), bundles, { recursive: true });
    renameSync(join(bundles, "logbook-db/1.0.0"), path("logbook-1.0.0"));
    const catalogs = ["--catalog", `steady=${steady}`, "--catalog", `team/broken=${broken}`, "--bundles", bundles];
    writeFileSync(brokenFile, readFileSync(brokenFile, "utf8").replace(/^name: stable$/m, "name: [stable"));
    up = await startPurser(["up", "--ephemeral", "--write-kubeconfig", kubeconfig, ...catalogs], env);
    cluster = connectWith(kubeconfig);
    driver = clientDriver(cluster.client);
  });
  after(async () => {
    cluster?.close();
    await up?.stop("SIGTERM");
  });

  /** `ready condition's reason`, then what is wrong. */
  async function sourceSays(where: string, name: string, words: RegExp): Promise<string> {
    let address = "";
    await eventually(`CatalogSource ${where}/${name} says ${words}`, async () => {
      const status = (await driver.get(catalogSources, { namespace: where, name }))?.status;
      address = status?.connectionState?.address ?? "";
      const said = `${findCondition(status?.conditions, "Ready")?.reason} ${status?.message ?? ""}`;
      return words.test(said) ? undefined : said;
    });
    return address;
  }
  async function catalogSays(name: string, words: RegExp): Promise<void> {
    await eventually(`ClusterCatalog ${name} says ${words}`, async () => {
      const conditions = (await driver.get(clusterCatalogs, { name }))?.status?.conditions;
      const [serving, progressing] = [findCondition(conditions, "Serving"), findCondition(conditions, "Progressing")];
      const said = `Serving=${serving?.status} ${progressing?.reason} ${progressing?.message}`;
      return words.test(said) ? undefined : said;
    });
  }

  test("a catalog with a broken file names file and line, and its other packages and the other catalogs serve", async () => {
    await sourceSays("team", "broken", /^Serving $/);
    await catalogSays("broken", /^Serving=True Succeeded/);
    const source = await driver.get(catalogSources, { namespace: "team", name: "broken" });
    const catalog = await driver.get(clusterCatalogs, { name: "broken" });
    for (const object of [source, catalog])
      assert.match(
        findCondition(object?.status?.conditions, "FaultyPackages")?.message ?? "",
        /^1 package cannot be used: ballast-cache: ballast-cache\/catalog\.yaml:\d+/,
      );
    assert.match(
      await sourceSays("olm", "steady", /^Serving $/),
      /^local\.purser\.dev\/catalogs\/steady:latest@sha256:[0-9a-f]{64}$/,
    );
    await catalogSays("steady", /^Serving=True Succeeded/);
  });

  test("a directory that is repaired heals by itself", async () => {
    cpSync(join(steady, "ballast-cache/catalog.yaml"), brokenFile);
    await sourceSays("team", "broken", /^Serving $/);
    await catalogSays("broken", /^Serving=True Succeeded/);
  });

  test("while a change is partly written the last good content is served and both objects show the fault", async () => {
    const file = join(steady, "logbook-db/catalog.yaml");
    const whole = readFileSync(file, "utf8");
    const before = await sourceSays("olm", "steady", /^Serving $/);
    writeFileSync(file, whole.slice(0, whole.indexOf("relatedImages") + 20));
    assert.equal(await sourceSays("olm", "steady", /^ServingLastGood .*logbook-db/), before);
    await catalogSays("steady", /^Serving=True (?!Succeeded).*logbook-db/);
    const known = await purser(
      ["install", "logbook-db", "-n", "default", "--dry-run", "--from-source", "steady", "--kubeconfig", kubeconfig],
      env,
    );
    assert.equal(known.code, 0, known.stderr);
    writeFileSync(file, whole);
    assert.equal(await sourceSays("olm", "steady", /^Serving $/), before);
  });

  test("a catalog directory that vanishes keeps its last good content serving", async () => {
    renameSync(broken, path("elsewhere"));
    await sourceSays("team", "broken", /^ServingLastGood /);
    renameSync(path("elsewhere"), broken);
    await sourceSays("team", "broken", /^Serving $/);
  });

  const subscribe = (where: string, name: string, startingCSV: string): Promise<void> =>
    driver.apply(
      `${namespace(where)}---\n${JSON.stringify({
        apiVersion: "operators.coreos.com/v1",
        kind: "OperatorGroup",
        metadata: { name: "group", namespace: where },
        spec: { targetNamespaces: [where] },
      })}\n---\n${JSON.stringify({
        apiVersion: "operators.coreos.com/v1alpha1",
        kind: "Subscription",
        metadata: { name, namespace: where },
        spec: {
          name,
          source: "steady",
          sourceNamespace: "olm",
          channel: "stable",
          startingCSV,
          installPlanApproval: "Automatic",
        },
      })}\n`,
    );
  async function subscriptionSays(where: string, name: string, words: RegExp): Promise<void> {
    await eventually(`Subscription ${where}/${name} says ${words}`, async () => {
      const conditions = (await driver.get(subscriptions, { namespace: where, name }))?.status?.conditions ?? [];
      const said = conditions.map(({ type, status, message }) => `${type}=${status} ${message}`).join("\n");
      return words.test(said) ? undefined : said;
    });
  }

  test("a bundle directory that is missing is named with what to do, and found when it comes", async () => {
    await subscribe("logbook", "logbook-db", "logbook-db.v1.0.0");
    await subscriptionSays(
      "logbook",
      "logbook-db",
      /BundleUnpackFailed=True .*BundleUnavailable: logbook-db\.v1\.0\.0: .*logbook-db\/1\.0\.0/,
    );
    renameSync(path("logbook-1.0.0"), join(bundles, "logbook-db/1.0.0"));
    await csvSucceeded(driver, "logbook", "logbook-db.v1.2.0");
  });

  test("a bundle directory that is invalid is named with its file, and used when it is repaired", async () => {
    const manifests = join(bundles, "ballast-cache/0.4.1/manifests");
    const file = join(manifests, "ballast-cache.clusterserviceversion.yaml");
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, whole.replace("kind: ClusterServiceVersion", "kind: [ClusterServiceVersion"));
    await subscribe("cache", "ballast-cache", "ballast-cache.v0.4.1");
    await subscriptionSays(
      "cache",
      "ballast-cache",
      /BundleUnpackFailed=True .*BundleInvalid: ballast-cache\.v0\.4\.1: .*clusterserviceversion\.yaml:\d+/,
    );
    writeFileSync(file, whole);
    await csvSucceeded(driver, "cache", "ballast-cache.v0.4.1");
  });
});
