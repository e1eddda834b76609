import { existsSync } from "node:fs";
import type { ClusterAccess } from "@purser/kubernetes/kube/access/kubeconfig";

const extensionName = "purser.dev/bundles";

/**
 * The kubeconfig of an embedded cluster with the directories that its bundles are read from, as an extension of the cluster:
 * commands on this machine then read the same bundles.
 */
export function withNotedBundles(kubeconfig: string, directories: readonly string[]): string {
  if (directories.length === 0) return kubeconfig;
  const extensions = JSON.stringify([{ name: extensionName, extension: { folders: directories } }]);
  return kubeconfig.replace(
    /^( +)server: .*$/m,
    (line, indent: string) => `${line}\n${indent}extensions: ${extensions}`,
  );
}

/** The directories that the kubeconfig notes, without those that do not exist on this machine. */
export function notedBundles({ extensions }: ClusterAccess): readonly string[] {
  const directories = extensions?.[extensionName]?.["folders"];
  if (!Array.isArray(directories)) return [];
  return directories.filter((directory): directory is string => typeof directory === "string" && existsSync(directory));
}
