import { createHash } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@purser/kubernetes/clock";
import { done, failed } from "@purser/kubernetes/result";
import { packageManifestKeys } from "../catalog/served/package-manifests.ts";
import type { StoredIndex } from "../catalog-store/open.ts";
import type { ConfigMaps } from "./config-maps.ts";
import { KeptIndex } from "./kept-index.ts";
import { buildServedIndex, type ServedIndexProblem } from "./address/served-index.ts";
import type { Look, SourceProblem, SourceReader } from "./source-reader.ts";

export interface CatalogConfigMapOptions {
  readonly namespace: string;
  readonly name: string;
  readonly configMaps: ConfigMaps;
  /** Directory of the indexes. */
  readonly indexes: string;
  readonly clock: Clock;
  readonly builder?: string;
}

/** Without a notice of a change the ConfigMap is still read now and then, as notices may be lost. */
const rereadMs = 5 * 60_000;
const firstRetryMs = 2000;
const longestRetryMs = 30_000;

let writes = 0;

/** A catalog in the package manifest format in a ConfigMap. Its mark is a digest of the data that the format uses. */
export function catalogConfigMap(options: CatalogConfigMapOptions): SourceReader<StoredIndex> {
  const { namespace, name, configMaps, indexes, clock } = options;
  const memory = new KeptIndex(indexes, `configMap ${namespace}/${name}`);
  const closing = new AbortController();
  let isFollowed = false;
  let isChanged = true;
  let dueAt = 0;
  let misses = 0;

  async function follow(): Promise<void> {
    for await (const changed of configMaps.changes(closing.signal))
      if (changed.namespace === namespace && changed.name === name) isChanged = true;
  }

  async function dataNow(signal: AbortSignal): Promise<Readonly<Record<string, string>> | string> {
    try {
      return (await configMaps.get(namespace, name, signal)) ?? `configmaps "${name}" not found`;
    } catch (error) {
      signal.throwIfAborted();
      return error instanceof Error ? error.message : String(error);
    }
  }

  async function build(data: Readonly<Record<string, string>>, signal: AbortSignal) {
    await mkdir(indexes, { recursive: true });
    // The name makes the collector of indexes remove what a process that died has left.
    const source = join(indexes, `.building-${process.pid}-configmap-${writes++}`);
    try {
      await writeFile(source, JSON.stringify(data));
      return await buildServedIndex({ ...options, source, form: "configMap" }, signal);
    } finally {
      await rm(source, { force: true });
    }
  }

  async function read(mark: string | undefined, signal: AbortSignal): Promise<Look<StoredIndex> | undefined> {
    isChanged = false;
    const found = await dataNow(signal);
    if (typeof found === "string") {
      dueAt = clock.now() + Math.min(firstRetryMs * 2 ** Math.min(misses++, 20), longestRetryMs);
      return { mark: "", found: failed(unreadable(namespace, name, found)) };
    }
    misses = 0;
    dueAt = clock.now() + rereadMs;
    const data = Object.fromEntries(
      packageManifestKeys.flatMap((key) => (found[key] === undefined ? [] : [[key, found[key]]])),
    );
    const seen = createHash("sha256").update(JSON.stringify(data)).digest("hex");
    if (seen === mark) return undefined;
    const kept = memory.recall(seen);
    if (kept !== undefined) return { mark: seen, found: done(kept) };
    const built = await build(data, signal);
    if (!built.ok) {
      const isOfMachine = built.problem.machineRemedy !== undefined;
      if (isOfMachine) dueAt = clock.now() + longestRetryMs;
      return { mark: isOfMachine ? "" : seen, found: failed(unusable(namespace, name, built.problem)) };
    }
    memory.remember(seen, built.value.digest);
    return { mark: seen, found: done(built.value) };
  }

  return {
    async look({ mark }, signal): Promise<Look<StoredIndex> | undefined> {
      signal.throwIfAborted();
      if (!isFollowed) {
        isFollowed = true;
        // It ends by `close`; what it misses is read by time.
        follow().catch(() => {});
      }
      return isChanged || clock.now() >= dueAt ? read(mark, signal) : undefined;
    },
    pauseMs: () => 0,
    close: () => closing.abort(new Error("the source is closed")),
  };
}

function unreadable(namespace: string, name: string, why: string): SourceProblem {
  return {
    cause: `failed to get catalog config map ${name}: ${why}`,
    remedy: `Create the ConfigMap ${name} in namespace ${namespace}, or correct spec.configMap.`,
  };
}

function unusable(namespace: string, name: string, { cause, machineRemedy }: ServedIndexProblem): SourceProblem {
  return {
    cause: `the catalog in ConfigMap ${namespace}/${name} cannot be used: ${cause}`,
    remedy: machineRemedy ?? "Correct the ConfigMap; it is read again within 5 seconds of a change.",
  };
}
