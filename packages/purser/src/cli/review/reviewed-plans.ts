import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isDigest } from "@purser/kubernetes/digest";
import { writeFileAtomically } from "@purser/kubernetes/system/atomic-file";
import { defaultCacheDirectory } from "../../engine/directories.ts";
import type { ChangePlan } from "../../review/change-plan/change-plan.ts";
import { namesDigest, type PlanSet } from "../../review/change-plan/plan-set.ts";
import type { Terminal } from "../output/terminal.ts";

/** More than these are not kept. */
const mostPlans = 100;

const directoryOf = (env: Terminal["env"]): string => join(defaultCacheDirectory(env), "plans");

/** Keeps the inputs of a shown plan in the cache, so that a later approval can say what changed since; the oldest are deleted. */
export async function keepReviewed(env: Terminal["env"], { digest, inputs }: PlanSet): Promise<void> {
  const directory = directoryOf(env);
  await writeFileAtomically(join(directory, `${digest.slice("sha256:".length)}.json`), JSON.stringify(inputs));
  const files = await Promise.all(
    (await readdir(directory)).map(async (name) => ({ name, at: (await stat(join(directory, name))).mtimeMs })),
  );
  const old = files.toSorted((left, right) => right.at - left.at).slice(mostPlans);
  for (const { name } of old) await rm(join(directory, name), { force: true });
}

/** The inputs of a plan that this machine showed; undefined when the digest, or the start of it, names none. */
export async function reviewedInputs(env: Terminal["env"], named: string): Promise<ChangePlan["inputs"] | undefined> {
  const directory = directoryOf(env);
  try {
    const file = (await readdir(directory)).find((name) => {
      const digest = `sha256:${name.replace(/\.json$/, "")}`;
      return isDigest(digest) && namesDigest(named, digest);
    });
    if (file === undefined) return undefined;
    return JSON.parse(await readFile(join(directory, file), "utf8")) as ChangePlan["inputs"];
  } catch {
    // Without a directory, or with a damaged file, nothing is known of the plan.
    return undefined;
  }
}
