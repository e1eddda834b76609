import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Programs of Helm: that of the PATH, and those of `~/.cache/purser/deploy-tools` (Helm 3) and its directory `v4`, each once.
 * CONTRIBUTING.md says how to build them.
 * @testOnly the product does not call Helm
 */
export function findHelms(env: NodeJS.ProcessEnv): readonly string[] {
  const tools = join(env["HOME"] ?? "", ".cache/purser/deploy-tools");
  const ofPath = (env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, "helm"));
  const first = ofPath.find((file) => existsSync(file));
  const built = [join(tools, "helm"), join(tools, "v4/helm")].filter((file) => existsSync(file));
  return [...new Set([...(first === undefined ? [] : [first]), ...built])];
}
