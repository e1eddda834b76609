import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Path of kubectl in `KUBEBUILDER_ASSETS`, else on the PATH. */
export function findKubectl(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const folders = [env["KUBEBUILDER_ASSETS"] ?? "", ...(env["PATH"] ?? "").split(delimiter)];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, "kubectl"))
    .find((file) => existsSync(file));
}
