import { existsSync } from "node:fs";
import type { ClusterAccess } from "@purser/kubernetes/kube/access/kubeconfig";

const extensionName = "purser.dev/bundles";

/**
 * The kubeconfig of an embedded cluster with the folders that its bundles are read from, as an extension of the cluster:
 * commands on this machine then read the same bundles.
 */
export function withNotedBundles(kubeconfig: string, folders: readonly string[]): string {
  if (folders.length === 0) return kubeconfig;
  const extensions = JSON.stringify([{ name: extensionName, extension: { folders } }]);
  return kubeconfig.replace(
    /^( +)server: .*$/m,
    (line, indent: string) => `${line}\n${indent}extensions: ${extensions}`,
  );
}

/** The folders that the kubeconfig notes, without those that do not exist on this machine. */
export function notedBundles({ extensions }: ClusterAccess): readonly string[] {
  const folders = extensions?.[extensionName]?.["folders"];
  if (!Array.isArray(folders)) return [];
  return folders.filter((folder): folder is string => typeof folder === "string" && existsSync(folder));
}
