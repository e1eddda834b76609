import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import type { Result } from "@purser/kubernetes/result";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { Step } from "../../../apis/v0/install-plan.ts";
import { type InstallerRights, installerRights } from "../../../bundle/installer-rights.ts";
import { heldRights } from "./held-rights.ts";
import { missingRulesText } from "../../../rollout/plan/missing-rules.ts";

/**
 * Which rules an account lacks for all steps of its InstallPlan, not only for the first that was refused; undefined when it
 * lacks none, or when that cannot be known.
 */
export async function missingRights(
  account: { readonly namespace: string; readonly name: string },
  steps: readonly Step[],
  {
    writer,
    manifestOf,
  }: { readonly writer: ObjectWriter; readonly manifestOf: (step: Step) => Promise<Result<string, string>> },
  signal: AbortSignal,
): Promise<string | undefined> {
  const needed: InstallerRights[] = [];
  for (const operator of new Set(steps.map(({ resolving }) => resolving))) {
    const objects: JsonObject[] = [];
    for (const step of steps.filter(({ resolving }) => resolving === operator)) {
      const manifest = await manifestOf(step);
      if (!manifest.ok) return undefined;
      objects.push(...objectOf(step, manifest.value));
    }
    const csv = objects.find(({ kind }) => kind === "ClusterServiceVersion");
    if (csv !== undefined)
      needed.push(installerRights({ csv: csv as unknown as ClusterServiceVersion, objects }, account.namespace));
  }
  const namespaces = new Map(needed.flatMap((rights) => [...rights.namespaces.keys()].map((name) => [name, true])));
  const held = await heldRights(writer, namespaces.keys(), signal);
  if (held === undefined) return undefined;
  const all: InstallerRights = {
    cluster: needed.flatMap(({ cluster }) => cluster),
    namespaces: new Map(
      [...namespaces.keys()].map((name) => [name, needed.flatMap((rights) => rights.namespaces.get(name) ?? [])]),
    ),
  };
  return missingRulesText(account, all, held);
}

/** Manifests of permissions have neither kind nor version. */
function objectOf({ resource }: Step, manifest: string): readonly JsonObject[] {
  const parsed = JSON.parse(manifest) as JsonValue;
  const { group, version } = resource;
  const kind = resource.kind === "BundleSecret" ? "Secret" : resource.kind;
  return isJsonObject(parsed) ? [{ ...parsed, apiVersion: group === "" ? version : `${group}/${version}`, kind }] : [];
}
