import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { configMaps, customResourceDefinitions, secrets } from "@purser/kubernetes/apis/resources";
import { clusterExtensions } from "../apis/olm-resources.ts";
import { World } from "./testing/world.ts";

const name = "ballast-cache";
/** 20 of them, 20 MB in all, take 9 seconds of processor time. */
const maps = 2;

/** Text that does not compress well, and is the same each time. */
function noise(length: number, seed: number): string {
  const words: string[] = [];
  let state = seed;
  for (let size = 0; size < length; size += 7) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words.push(state.toString(36).padStart(7, "0"));
  }
  return words.join("").slice(0, length);
}

test("a bundle with a CustomResourceDefinition of 1.4 MB and objects that fill a Secret each is installed", async () => {
  const world = await World.open();
  try {
    const directory = join(world.bundlesDirectory, name, "0.3.0", "manifests");
    const file = join(directory, "caches.crd.yaml");
    const crd = await readFile(file, "utf8");
    const words = "Sizes of caches in memory and on disk. ".repeat(37_000);
    await writeFile(file, crd.replace("Memory of the cache in MiB", words));
    await mkdir(directory, { recursive: true });
    for (let index = 0; index < maps; index++) {
      const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `data-${index}` } };
      await writeFile(
        join(directory, `data-${index}.json`),
        JSON.stringify({ ...map, data: { text: noise(930_000, index) } }),
      );
    }
    await world.extend(name, "0.3.0");
    await world.reaches(clusterExtensions, { name }, "installed", ({ status }) =>
      (status?.conditions ?? []).some(({ type, reason }) => type === "Progressing" && reason === "Succeeded"),
    );
    const definition = await world.client.get(customResourceDefinitions, { name: "caches.ballast.demo.purser.dev" });
    assert.ok(JSON.stringify(definition?.spec).length > 1_400_000, "the definition has all of its schema");
    const made = await world.client.list(configMaps, { namespace: name });
    assert.equal(made.filter(({ metadata }) => metadata.name?.startsWith("data-")).length, maps);
    const held = await world.client.list(secrets, { labelSelector: "olm.operatorframework.io/revision-name" });
    const largest = Math.max(
      ...held.map(({ data = {} }) =>
        Object.values(data).reduce((sum, text) => sum + Buffer.from(text, "base64").length, 0),
      ),
    );
    assert.ok(largest <= 900 * 1024, `${largest} bytes in one Secret`);
  } finally {
    await world.stop();
  }
});
