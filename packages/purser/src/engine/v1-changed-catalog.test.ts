import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { clusterExtensions } from "../apis/olm-resources.ts";
import type { OpenContent } from "../content/content.ts";
import { World } from "./testing/world.ts";

let world: World;
/** Bundles that were read, by their references. */
const read: string[] = [];
before(async () => {
  world = await World.open({ wrapContent: forgetful });
});
after(() => world?.stop());

/** Each read of a bundle gives another object, as after half a minute without use. */
function forgetful(content: OpenContent): OpenContent {
  return {
    catalog: (...asked) => content.catalog(...asked),
    release: (holder) => content.release(holder),
    notices: (signal) => content.notices(signal),
    stop: () => content.stop(),
    bundle(request) {
      const found = content.bundle(request);
      const { objects } = found;
      if (objects === undefined) return found;
      const registry = async (): ReturnType<typeof objects.registry> => {
        read.push(request.packageName);
        return structuredClone(await objects.registry());
      };
      return { ...found, objects: { ...objects, registry } };
    },
  };
}

const names = ["ballast-cache", "logbook-db", "semaphore-gateway"] as const;
const [changed] = names;

test("a changed catalog costs one status of the extensions that it affects, and no request for the others", async () => {
  for (const name of names) await world.extend(name);
  for (const name of names)
    await world.reaches(clusterExtensions, { name }, "installed", ({ status }) => status?.install !== undefined);
  await world.settled();
  const versions = async (): Promise<readonly unknown[]> =>
    (await world.client.list(clusterExtensions)).map(({ metadata }) => metadata.resourceVersion);
  const before = await versions();
  read.length = 0;
  world.engineReads.length = 0;
  world.engineWrites.length = 0;
  const message = "ballast-cache is no longer maintained";
  const file = join(world.catalogDirectory, changed, "catalog.yaml");
  const text = await readFile(file, "utf8");
  const deprecations = `schema: olm.deprecations\npackage: ${changed}\nentries:\n`;
  assert.ok(text.includes(deprecations));
  const entry = `  - reference: {schema: olm.package}\n    message: ${message}\n`;
  await writeFile(file, text.replace(deprecations, `${deprecations}${entry}`));
  await world.reaches(
    clusterExtensions,
    { name: changed },
    "deprecated",
    ({ status }) => findCondition(status?.conditions, "PackageDeprecated")?.message === message,
  );
  await world.settled();
  const extensions = "/apis/olm.operatorframework.io/v1/clusterextensions";
  const asked = (texts: readonly string[]): readonly string[] =>
    texts.filter((text) => names.some((name) => text.includes(name)));
  assert.deepEqual(asked(world.engineReads), []);
  assert.deepEqual(asked(world.engineWrites.map(({ method, path }) => `${method} ${path}`)), [
    `PUT ${extensions}/${changed}/status`,
  ]);
  assert.deepEqual(read, [], "no bundle either");
  const unchanged = (await versions()).filter((version) => before.includes(version));
  assert.equal(unchanged.length, names.length - 1);
});
