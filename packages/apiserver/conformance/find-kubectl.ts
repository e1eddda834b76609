import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where a control plane that was built for tests lies, the newest first. */
function builtDirectories(home: string): readonly string[] {
  const caches = join(home, ".cache/purser");
  if (home === "" || !existsSync(caches)) return [];
  const found = readdirSync(caches).filter((name) => name.startsWith("kube-"));
  return found.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true })).map((name) => join(caches, name));
}

/** kubectl of `KUBEBUILDER_ASSETS`, else of `~/.cache/purser/kube-VERSION`, else of the PATH. */
export function findKubectl(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const named = env["KUBEBUILDER_ASSETS"] ?? "";
  const directories = [named, ...builtDirectories(env["HOME"] ?? ""), ...(env["PATH"] ?? "").split(delimiter)];
  return directories
    .filter((directory) => directory !== "")
    .map((directory) => join(directory, "kubectl"))
    .find((file) => existsSync(file));
}
