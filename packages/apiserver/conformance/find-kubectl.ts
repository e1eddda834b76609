import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** kubectl of `KUBEBUILDER_ASSETS`, else of the PATH. */
export function findKubectl(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const folders = [env["KUBEBUILDER_ASSETS"] ?? "", ...(env["PATH"] ?? "").split(delimiter)];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "kubectl"))
    .find((file) => existsSync(file));
}
