import { namespaces } from "@purser/kubernetes/apis/resources";
import { installPlans } from "../../apis/olm-resources.ts";
import { globalNamespace } from "../../apis/own-namespaces.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import { defaultCacheDirectory } from "../../engine/directories.ts";
import { KeptCatalogs } from "../../engine/kept-catalogs.ts";
import { worldOfCluster } from "../../engine/snapshot/snapshot-live.ts";
import type { PackageName } from "../../catalog/names.ts";
import { connect } from "../cluster/connect.ts";
import { readInstallations } from "../cluster/installations.ts";
import type { Terminal } from "../output/terminal.ts";
import { sourcesOf } from "./package-sources.ts";

/** Names that only a cluster knows. */
export type LiveKind = "installation" | "installplan" | "package" | "namespace" | "channel" | "source";

/** The shell waits no longer than this for names, in milliseconds. */
const patienceMs = 300;

/**
 * The names of a kind that begin with `typed`, from the cluster that the flags among `words` name and from the catalogs that this
 * machine keeps; none when that takes too long or fails.
 */
export async function liveNames(
  kinds: readonly LiveKind[],
  words: readonly string[],
  typed: string,
  terminal: Terminal,
  limitMs = patienceMs,
): Promise<readonly string[]> {
  const quiet: Terminal = { ...terminal, err: () => undefined };
  const options = Object.fromEntries(
    ["kubeconfig", "context"].flatMap((name) => {
      const at = words.indexOf(`--${name}`);
      const value = at < 0 ? undefined : words[at + 1];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const signal = AbortSignal.timeout(limitMs);
  try {
    const connection = connect({ arguments: [], options, terminal: quiet, signal });
    try {
      const found = await Promise.all(
        kinds.map(async (kind): Promise<readonly string[]> => {
          if (kind === "namespace")
            return (await connection.client.list(namespaces)).map(({ metadata }) => metadata.name ?? "");
          if (kind === "installation") return installationNames(await readInstallations(connection.client, undefined));
          if (kind === "installplan") return pendingPlanNames(await connection.client.list(installPlans));
          const kept = new KeptCatalogs(defaultCacheDirectory(terminal.env));
          const world = await worldOfCluster(connection.client, kept, globalNamespace, undefined);
          return catalogNames(kind, sourcesOf(world).sources, words, typed);
        }),
      );
      return [...new Set(found.flat())].filter((name) => name.startsWith(typed)).toSorted();
    } finally {
      connection.close();
    }
  } catch {
    return [];
  }
}

/** The references, and the names that only one installation has. */
function installationNames(all: Awaited<ReturnType<typeof readInstallations>>): readonly string[] {
  return all.flatMap(({ reference, name }) =>
    all.filter((other) => other.name === name).length === 1 ? [name, reference] : [reference],
  );
}

function pendingPlanNames(plans: readonly InstallPlan[]): readonly string[] {
  return plans
    .filter(({ status }) => status?.phase === "RequiresApproval")
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

function catalogNames(
  kind: "package" | "channel" | "source",
  sources: ReturnType<typeof sourcesOf>["sources"],
  words: readonly string[],
  typed: string,
): readonly string[] {
  if (kind === "source") return sources.flatMap(({ references }) => references);
  const packages = sources.flatMap(({ index }) => index.packages());
  if (kind === "package") {
    const [name = "", version] = typed.split("@");
    if (version === undefined) return packages;
    return sources
      .flatMap(({ index }) => index.package(name as PackageName)?.channels ?? [])
      .flatMap(({ bundles }) => bundles.map((bundle) => `${name}@${bundle.version}`));
  }
  const named = words.map((word) => word.split("@")[0] ?? "").find((word) => packages.some((one) => one === word));
  return sources
    .flatMap(({ index }) => (named === undefined ? [] : (index.package(named as PackageName)?.channels ?? [])))
    .map(({ name }) => name);
}
