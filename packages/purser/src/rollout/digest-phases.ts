import { createHash } from "node:crypto";
import type { JsonObject } from "@purser/kubernetes/json";
import { turns } from "@purser/kubernetes/system/turns";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import type { ObservedPhase } from "./plan/phase-digests.ts";

export interface ResolvedPhase {
  readonly name: string;
  readonly objects: readonly JsonObject[];
}

/** What pins the content of a revision: `sha256:` and 64 hex digits per phase, over its name and its objects in order. */
export async function digestPhases(phases: readonly ResolvedPhase[]): Promise<readonly ObservedPhase[]> {
  const digests: ObservedPhase[] = [];
  for (const phase of phases) digests.push({ name: phase.name, digest: await digestOnce(phase) });
  return digests;
}

/** By the first object of a phase: pass after pass resolves to the same objects, of megabytes. */
const known = new WeakMap<JsonObject, ResolvedPhase & { readonly digest: string }>();

async function digestOnce({ name, objects }: ResolvedPhase): Promise<string> {
  const [first] = objects;
  const last = first === undefined ? undefined : known.get(first);
  if (last?.name === name && last.objects.length === objects.length) {
    if (objects.every((object, index) => object === last.objects[index])) return last.digest;
  }
  const digest = await digestOf(name, objects);
  if (first !== undefined) known.set(first, { name, objects, digest });
  return digest;
}

/** Of the canonical JSON of `{name, objects}`, which is made object by object: others have their turns in between. */
async function digestOf(name: string, objects: readonly JsonObject[]): Promise<string> {
  const hash = createHash("sha256").update(`{"name":${canonicalJson(name)},"objects":[`);
  for (const [index, object] of objects.entries()) {
    await turns.before(0);
    const text = canonicalJson(object);
    turns.add(text.length);
    hash.update(index === 0 ? text : `,${text}`);
  }
  return `sha256:${hash.update("]}").digest("hex")}`;
}
