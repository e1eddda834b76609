import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { smallManifests } from "../catalog/testing/small-manifests.ts";
import { catalogConfigMap } from "./catalog-config-map.ts";
import { Changes } from "./changes.ts";
import type { ChangedConfigMap, ConfigMaps } from "./config-maps.ts";
import { sourceContract } from "./testing/source-contract.ts";
import { StillClock } from "./testing/still-clock.ts";

const never = new AbortController().signal;

/** One ConfigMap `olm/mine` in memory. */
class OneConfigMap implements ConfigMaps {
  readonly #changes = new Changes<ChangedConfigMap>();
  data: Readonly<Record<string, string>> | undefined;
  refusal: Error | undefined;
  reads = 0;

  get(): Promise<Readonly<Record<string, string>> | undefined> {
    this.reads++;
    return this.refusal === undefined ? Promise.resolve(this.data) : Promise.reject(this.refusal);
  }

  changes(signal: AbortSignal): AsyncIterable<ChangedConfigMap> {
    return this.#changes.listen(signal);
  }

  async announce(name: string): Promise<void> {
    this.#changes.announce({ namespace: "olm", name });
    // The listener takes it in a turn of its own.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function open(context: TestContext) {
  const indexes = await mkdtemp(join(tmpdir(), "purser-configmap-"));
  const configMaps = new OneConfigMap();
  const clock = new StillClock();
  const reader = catalogConfigMap({ namespace: "olm", name: "mine", configMaps, indexes, clock });
  context.after(async () => {
    reader.close?.();
    await rm(indexes, { recursive: true });
  });
  return { reader, configMaps, clock, indexes };
}

sourceContract("ConfigMap", async (context) => {
  const { reader, configMaps, clock } = await open(context);
  const become = async (data: Readonly<Record<string, string>> | undefined): Promise<void> => {
    configMaps.data = data;
    await configMaps.announce("mine");
  };
  return {
    reader,
    clock,
    hold: (versions) => become(smallManifests("a", versions)),
    spoil: () => become({ ...smallManifests("a", ["1.0.0"]), clusterServiceVersions: "- [" }),
    remove: () => become(undefined),
  };
});

test("a ConfigMap is read when it changed and every five minutes, not for changes of others", async (context) => {
  const { reader, configMaps, clock } = await open(context);
  configMaps.data = smallManifests("a", ["1.0.0"]);
  const first = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.ok(first?.found?.ok === true);
  const reads = async (): Promise<number> => {
    await reader.look({ mark: first.mark, hasContent: true }, never);
    return configMaps.reads;
  };
  assert.equal(await reads(), 1);
  await configMaps.announce("other");
  assert.equal(await reads(), 1);
  await configMaps.announce("mine");
  assert.equal(await reads(), 2);
  clock.pass(299_999);
  assert.equal(await reads(), 2);
  clock.pass(1);
  assert.equal(await reads(), 3);
  first.found.value.close();
});

test("a missing or refused ConfigMap is looked for again after 2, 4 and at most 30 seconds", async (context) => {
  const { reader, configMaps, clock } = await open(context);
  const problem = async (): Promise<string | undefined> => {
    const look = await reader.look({ mark: "", hasContent: false }, never);
    return look?.found?.ok === false ? look.found.problem.cause : undefined;
  };
  const missing = 'failed to get catalog config map mine: configmaps "mine" not found';
  assert.equal(await problem(), missing);
  for (const seconds of [2, 4, 8, 16, 30, 30]) {
    clock.pass(seconds * 1000 - 1);
    assert.equal(await problem(), undefined);
    clock.pass(1);
    assert.equal(await problem(), missing);
  }
  configMaps.refusal = new Error('configmaps "mine" is forbidden');
  clock.pass(30_000);
  assert.equal(await problem(), 'failed to get catalog config map mine: configmaps "mine" is forbidden');
});

test("problems of the manifests are named with key and bundle, and no file stays behind", async (context) => {
  const { reader, configMaps, indexes } = await open(context);
  const good = smallManifests("a", ["1.0.0", "1.1.0"]);
  configMaps.data = { ...good, customResourceDefinitions: "[]" };
  const look = await reader.look({ mark: undefined, hasContent: false }, never);
  assert.ok(look?.found?.ok === false);
  assert.equal(
    look.found.problem.cause,
    "the catalog in ConfigMap olm/mine cannot be used: clusterServiceVersions: bundle a.v1.0.0: " +
      "couldn't find owned CRD in crd list a.example.com/v1/Thing (things) (and 1 more)",
  );
  assert.deepEqual(await readdir(indexes), []);
});

test("an index that cannot be kept is a problem of this machine, and built again after 30 seconds", async (context) => {
  const { configMaps, clock, indexes } = await open(context);
  const full = join(indexes, "full.ts");
  await writeFile(full, `console.log('{"ok":false,"problem":[{"rule":"unwritable","message":"no room"}]}');`);
  const reader = catalogConfigMap({ namespace: "olm", name: "mine", configMaps, indexes, clock, builder: full });
  context.after(() => reader.close?.());
  configMaps.data = smallManifests("a", ["1.0.0"]);
  const expected = {
    mark: "",
    found: {
      ok: false,
      problem: {
        cause: "the catalog in ConfigMap olm/mine cannot be used: no room",
        remedy: "Free space in the cache directory, or make it writable; the write is retried automatically.",
      },
    },
  };
  assert.deepEqual(await reader.look({ mark: undefined, hasContent: false }, never), expected);
  clock.pass(29_999);
  assert.equal(await reader.look({ mark: "", hasContent: false }, never), undefined);
  clock.pass(1);
  assert.deepEqual(await reader.look({ mark: "", hasContent: false }, never), expected);
});
