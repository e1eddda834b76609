import { createHash } from "node:crypto";
import type { JsonObject } from "@purser/kubernetes/json";
import { turns } from "@purser/kubernetes/system/turns";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import type { ObservedPhase } from "./plan/phase-digests.ts";

export interface ResolvedPhase {
  readonly name: string;
  readonly objects: readonly JsonObject[];
}

/** The digests that pin the content of a revision: per phase `sha256:` and 64 hex digits over its name and its objects in order. */
export async function digestPhases(phases: readonly ResolvedPhase[]): Promise<readonly ObservedPhase[]> {
  const digests: ObservedPhase[] = [];
  for (const phase of phases) digests.push({ name: phase.name, digest: await digestOnce(phase) });
  return digests;
}

/** Digests by the first object of a phase: every pass resolves to the same objects, which can be megabytes. */
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

/** Digest of the canonical JSON of `{name, objects}`, which is written object by object and yields to the event loop in between. */
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
