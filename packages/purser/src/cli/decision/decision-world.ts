import { type CatalogArgument, parseCatalogArgument } from "../../engine/catalog-argument.ts";
import { defaultCacheDirectory } from "../../engine/directories.ts";
import { KeptCatalogs } from "../../engine/kept-catalogs.ts";
import { globalNamespace as ownGlobalNamespace } from "../../apis/own-namespaces.ts";
import { notedBundles } from "../../engine/noted-bundles.ts";
import { type LocatedCatalog, openCatalogs } from "../../engine/snapshot/snapshot-catalogs.ts";
import type { ReadSnapshot } from "../../engine/snapshot/snapshot-file.ts";
import { decisionChoices } from "../../engine/snapshot/decision-choices.ts";
import { emptySnapshot, readSnapshotFile } from "../../engine/snapshot/snapshot-file.ts";
import { worldOfCluster } from "../../engine/snapshot/snapshot-live.ts";
import type { SnapshotBundles } from "../../engine/snapshot/snapshot-bundles.ts";
import type { DecisionWorld } from "../../engine/snapshot/snapshot-world.ts";
import { worldOnFiles } from "../../engine/snapshot/snapshot-world.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { JsonObject } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { ReviewInput } from "../../review/change-plan/change-plan.ts";
import type { Version } from "@purser/kubernetes/version";
import { parseTolerantVersion } from "@purser/kubernetes/version";
import { done, type Result } from "@purser/kubernetes/result";
import type { Invocation, OptionSpec, Outcome } from "../command.ts";
import { listOption, textOption, UsageError } from "../command.ts";
import type { Connection } from "../cluster/connect.ts";
import { withServedCatalogs } from "../cluster/remote-catalogs.ts";
import { contentAt, type ReadContent, withContentReader } from "../image/local-content.ts";
import { namedContent } from "../image/named-content.ts";
import {
  bundleDirectories,
  bundlesOption,
  compatOf,
  compatOption,
  gatesOf,
  gatesOption,
} from "../settings/shared-flags.ts";
import { counted } from "../../explanation/summary.ts";

/** Flags of `plan` and `explain`; with a catalog or a snapshot these commands need no cluster. */
export const decisionOptions: readonly OptionSpec[] = [
  {
    flags: "--catalog [NAMESPACE/]NAME=PATH",
    summary: "decide without a cluster: the content of a catalog, a directory, file or image",
    repeatable: true,
  },
  { flags: "--snapshot FILE", summary: "decide without a cluster: its objects as YAML or JSON, - for standard input" },
  { ...bundlesOption, summary: "read the bundles of a namespace's plan from directories <package>/<version>" },
  { flags: "--pull", summary: "read the bundles that no --bundles directory has from their images" },
  compatOption,
  gatesOption,
  { flags: "--global-namespace NAMESPACE", summary: "whose catalogs every namespace sees (default olm)" },
  { flags: "--kube-version VERSION", summary: "of the cluster, for warnings (default 1.36.3)" },
  { flags: "--channel CHANNEL", summary: "for a package that is not installed: its channel" },
  { flags: "--from-source CATALOG", summary: "for a package that is not installed: its catalog" },
  { flags: "--as-extension", summary: "for a package that is not installed: through v1" },
];

export interface OpenedWorld {
  readonly world: DecisionWorld;
  /** False when the world is a live cluster. */
  readonly onFiles: boolean;
  /** The live cluster that the world was read from. */
  readonly client?: KubeClient;
  /** What the cluster, or the snapshot file, has of the objects of a former and a next version; undefined without either. */
  readonly present: PresentObjects | undefined;
  readonly kubeVersion: Version;
  readonly indexMs: number;
  readonly openMs: number;
  /** Whether bundles may bring APIs of the lifecycle manager. */
  readonly reservedGroups: "accepted" | "refused";
  /** Whether CSVs that a subscribed one is about to replace count in a decision. */
  readonly replacedOperators: "passedOver" | "orphans";
  readonly plansPer: "set" | "namespace";
  /** Undefined without `--bundles` and `--pull`, unless the cluster runs on this machine and its bundles lie in directories. */
  readonly bundles: SnapshotBundles | undefined;
  close(): Promise<void>;
}

export type PresentObjects = (
  before: readonly JsonObject[],
  after: readonly JsonObject[],
) => Promise<Pick<ReviewInput, "live" | "stored">>;

type OpenedObjects = Omit<
  OpenedWorld,
  "kubeVersion" | "reservedGroups" | "replacedOperators" | "plansPer" | "bundles" | "close"
> & {
  readonly close: () => void;
  /** Directories that a cluster on this machine reads its bundles from. */
  readonly noted: readonly string[];
  /** Objects of a snapshot file that no decision reads, by kind. */
  readonly ignored: ReadSnapshot["ignored"];
};

export interface OpenWorldOptions {
  /** `asked`: those of `--bundles` and `--pull`, and of a cluster on this machine; `always`: from images too; default `asked`. */
  readonly bundles?: "none" | "asked" | "always";
  /** Used instead of a new one, and left open. */
  readonly connection?: Connection;
}

const defaultKubeVersion = "1.36.3";

/**
 * Opens the world that the flags name; the problem is the outcome for an image that cannot be had.
 * @throws UsageError for invalid flags and unreadable input
 */
export async function openWorld(
  invocation: Invocation,
  { bundles: reading = "asked", connection }: OpenWorldOptions = {},
): Promise<Result<OpenedWorld, Outcome>> {
  const given = textOption(invocation, "kube-version") ?? defaultKubeVersion;
  const kubeVersion = parseTolerantVersion(given);
  if (!kubeVersion.ok) throw new UsageError(`--kube-version "${given}" is not a version`, "write it as 1.36.3");
  const compat = compatOf(invocation);
  const gates = gatesOf(invocation);
  const choices = decisionChoices(compat, gates);
  const directories = bundleDirectories(invocation);
  const opened = await openObjects(invocation, connection);
  if (!opened.ok) return opened;
  const { close, noted, ignored, ...objects } = opened.value;
  const pulls = reading === "always" || noted.length > 0;
  const bundles =
    reading === "none" ? undefined : await openBundles(invocation, [...directories, ...noted], objects.client, pulls);
  // With bundles they are compared.
  if (bundles === undefined) reportIgnored(invocation, ignored);
  return done({
    ...objects,
    world: {
      ...objects.world,
      ...choices.world,
      now: systemClock.now(),
    },
    kubeVersion: kubeVersion.value,
    ...choices.options,
    bundles,
    async close() {
      close();
      await bundles?.close();
    },
  });
}

function reportIgnored({ terminal }: Invocation, ignored: ReadSnapshot["ignored"]): void {
  if (ignored.size === 0) return;
  const kinds = [...ignored].sort(([left], [right]) => (left < right ? -1 : 1));
  const count = kinds.reduce((sum, [, of]) => sum + of, 0);
  terminal.err(
    `ignored ${counted(count, "object")} of other kinds: ${kinds.map(([kind, of]) => `${of} ${kind}`).join(", ")}`,
  );
}

async function openBundles(
  invocation: Invocation,
  directories: readonly string[],
  client: KubeClient | undefined,
  pulls: boolean,
): Promise<SnapshotBundles | undefined> {
  const { openDecisionBundles, openPulledBundles } = await import("./decision-bundles.ts");
  return (pulls ? openPulledBundles : openDecisionBundles)(invocation, directories, client);
}

async function openObjects(
  invocation: Invocation,
  given: Connection | undefined,
): Promise<Result<OpenedObjects, Outcome>> {
  const globalNamespace = textOption(invocation, "global-namespace") ?? ownGlobalNamespace;
  const catalogs = listOption(invocation, "catalog");
  const snapshot = textOption(invocation, "snapshot");
  if (catalogs.length > 0 || snapshot !== undefined) return openFiles(invocation, catalogs, snapshot, globalNamespace);
  const { connect } = await import("../cluster/connect.ts");
  const connection = given ?? connect(invocation);
  const close = given === undefined ? () => connection.close() : () => undefined;
  const started = systemClock.monotonic();
  try {
    const kept = new KeptCatalogs(defaultCacheDirectory(invocation.terminal.env));
    const world = await worldOfCluster(connection.client, kept, globalNamespace, textOption(invocation, "namespace"));
    return done({
      world: await withServedCatalogs(invocation, connection, world, kept),
      onFiles: false,
      client: connection.client,
      async present(before, after) {
        const { liveObjects } = await import("../../rollout/review/live-objects.ts");
        return liveObjects(connection.client, [...before, ...after]);
      },
      ignored: new Map(),
      indexMs: 0,
      openMs: systemClock.monotonic() - started,
      noted: notedBundles(connection.access),
      close,
    });
  } catch (error) {
    close();
    throw error;
  }
}

async function openFiles(
  invocation: Invocation,
  texts: readonly string[],
  snapshotFile: string | undefined,
  globalNamespace: string,
): Promise<Result<OpenedObjects, Outcome>> {
  const { terminal, signal } = invocation;
  const given = texts.map((text) => {
    const parsed = parseCatalogArgument(text, { existing: true });
    if (!parsed.ok) throw new UsageError(parsed.problem);
    return parsed.value;
  });
  const keys = given.map(({ namespace, name }) => `${namespace}/${name}`);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new UsageError(`--catalog ${twice} is given twice`);
  const read: ReadSnapshot =
    snapshotFile === undefined
      ? { snapshot: emptySnapshot, objects: [], ignored: new Map() }
      : await snapshotIn(snapshotFile);
  const opened = await withContentReader(invocation, async (readContent) => {
    const located = await locate(given, readContent);
    if (!located.ok) return located;
    const cacheDirectory = defaultCacheDirectory(terminal.env);
    return done(await openCatalogs(located.value, { cacheDirectory, clock: systemClock, signal }));
  });
  if (!opened.ok) return opened;
  if (!opened.value.ok) throw new UsageError(opened.value.problem.sentence, ...opened.value.problem.lines);
  const openedCatalogs = opened.value.value;
  const { catalogs, indexMs, openMs } = openedCatalogs;
  return done({
    world: worldOnFiles(read.snapshot, catalogs, globalNamespace),
    onFiles: true,
    present: snapshotFile === undefined ? undefined : (before, after) => heldIn(read.objects, before, after),
    ignored: read.ignored,
    indexMs,
    openMs,
    noted: [],
    close: () => openedCatalogs.close(),
  });
}

/** Where the catalogs lie; those that are images are pulled. */
async function locate(
  given: readonly CatalogArgument[],
  readContent: ReadContent,
): Promise<Result<readonly LocatedCatalog[], Outcome>> {
  const located: LocatedCatalog[] = [];
  for (const argument of given) {
    const { path: reference } = argument;
    const { kind } = namedContent(reference);
    // What exists, or does not, as a path is up to the reader of directories.
    const content =
      kind === "path" || kind === "missing" ? done(contentAt(reference)) : await readContent(reference, "catalog");
    if (!content.ok) return content;
    located.push({ ...argument, ...content.value });
  }
  return done(located);
}

async function heldIn(objects: ReadSnapshot["objects"], ...versions: Parameters<PresentObjects>) {
  const { heldObjects } = await import("../../engine/review/held-objects.ts");
  return heldObjects(objects, ...versions);
}

async function snapshotIn(file: string): Promise<ReadSnapshot> {
  const read = await readSnapshotFile(file);
  if (!read.ok) throw new UsageError(read.problem);
  return read.value;
}
