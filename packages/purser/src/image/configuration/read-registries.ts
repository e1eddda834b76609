import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ConfigurationProblem } from "./configuration-problem.ts";
import type { ImagePaths } from "./image-paths.ts";
import { parseRegistriesFile, type RegistryRule } from "./registries-file.ts";

/** The rules of registries.conf and its drop-in files as they are now; a later file replaces whole rules by their prefix. */
export async function readRegistries(
  paths: Pick<ImagePaths, "registriesFile" | "isRegistriesFileRequired" | "registriesFolders">,
): Promise<Result<readonly RegistryRule[], ConfigurationProblem>> {
  const files = [paths.registriesFile];
  for (const folder of paths.registriesFolders) {
    const names = await readIfThere(folder, () => readdir(folder));
    if (!names.ok) return names;
    files.push(
      ...(names.value ?? [])
        .filter((name) => name.endsWith(".conf"))
        .sort()
        .map((name) => join(folder, name)),
    );
  }
  const rules = new Map<string, RegistryRule>();
  for (const file of files) {
    const text = await readIfThere(file, () => readFile(file, "utf8"));
    if (!text.ok) return text;
    if (text.value === undefined) {
      if (paths.isRegistriesFileRequired && file === paths.registriesFile)
        return failed({ file, text: "does not exist, and CONTAINERS_REGISTRIES_CONF names it" });
      continue;
    }
    const parsed = parseRegistriesFile(text.value, file);
    if (!parsed.ok) return parsed;
    for (const rule of parsed.value) rules.set(rule.prefix, rule);
  }
  return done([...rules.values()]);
}

/** Undefined when there is no such file or folder. */
export async function readIfThere<Value>(
  file: string,
  read: () => Promise<Value>,
): Promise<Result<Value | undefined, ConfigurationProblem>> {
  try {
    return done(await read());
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return code === "ENOENT" || code === "ENOTDIR"
      ? done(undefined)
      : failed({ file, text: `cannot be read (${code})` });
  }
}
