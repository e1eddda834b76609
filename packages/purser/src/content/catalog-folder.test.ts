import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@purser/kubernetes/clock";
import { smallCatalog } from "../catalog/testing/small-catalog.ts";
import { catalogFolder } from "./catalog-folder.ts";
import { sourceContract } from "./testing/source-contract.ts";

/** A clock whose sleep returns at once: the files do not change while the directory settles. */
const instant: Clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };

sourceContract("folder", async (context) => {
  const root = await mkdtemp(join(tmpdir(), "purser-catalog-"));
  context.after(() => rm(root, { recursive: true }));
  const path = join(root, "catalog");
  const hold = async (text: string): Promise<void> => {
    await rm(path, { recursive: true, force: true });
    await mkdir(path);
    await writeFile(join(path, "a.yaml"), text);
  };
  return {
    reader: catalogFolder({ name: "mine", path, indexes: join(root, "indexes"), clock: instant }),
    clock: instant,
    hold: (versions) => hold(smallCatalog("a", versions)),
    spoil: () => hold("---\nschema: olm.channel\n  oops: ["),
    remove: () => rm(path, { recursive: true, force: true }),
  };
});
