import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { ConfigurationProblem } from "./configuration-problem.ts";
import type { ImagePaths } from "./image-paths.ts";
import { credentialHelpersIn, parseRegistriesFile, type RegistryRule } from "./registries-file.ts";

type RegistriesPaths = Pick<ImagePaths, "registriesFile" | "registriesDirectories">;

/**
 * The rules of registries.conf and its drop-in files as they are now, read at once because they are read for each pull; a later file replaces whole rules by their prefix.
 * @param parse may be a {@link parserOfChanges}
 */
export function readRegistries(
  paths: RegistriesPaths & Pick<ImagePaths, "isRegistriesFileRequired">,
  parse = parseRegistriesFile,
): Result<readonly RegistryRule[], ConfigurationProblem> {
  const files = filesOf(paths);
  if (!files.ok) return files;
  const rules = new Map<string, RegistryRule>();
  for (const file of files.value) {
    const text = readIfThere(file, () => readFileSync(file, "utf8"));
    if (!text.ok) return text;
    if (text.value === undefined) {
      if (paths.isRegistriesFileRequired && file === paths.registriesFile)
        return failed({ file, text: "does not exist, and CONTAINERS_REGISTRIES_CONF names it" });
      continue;
    }
    const parsed = parse(text.value, file);
    if (!parsed.ok) return parsed;
    for (const rule of parsed.value) rules.set(rule.prefix, rule);
  }
  return done([...rules.values()]);
}

/** Parses a file only when its text is not the one of the last time. */
export function parserOfChanges(): typeof parseRegistriesFile {
  const last = new Map<string, { readonly text: string; readonly result: ReturnType<typeof parseRegistriesFile> }>();
  return (text, file) => {
    const known = last.get(file);
    if (known?.text === text) return known.result;
    const result = parseRegistriesFile(text, file);
    last.set(file, { text, result });
    return result;
  };
}

/** The credential helpers of the last file that names some; files that cannot be read are a matter of `readRegistries`. */
export function readCredentialHelpers(paths: RegistriesPaths): readonly string[] {
  const files = filesOf(paths);
  return (files.ok ? files.value : []).reduce<readonly string[]>((before, file) => {
    const text = readIfThere(file, () => readFileSync(file, "utf8"));
    return (text.ok && text.value !== undefined ? credentialHelpersIn(text.value) : undefined) ?? before;
  }, []);
}

/** The file, then the drop-in files in their order. */
function filesOf({
  registriesFile,
  registriesDirectories,
}: RegistriesPaths): Result<readonly string[], ConfigurationProblem> {
  const files = [registriesFile];
  for (const directory of registriesDirectories) {
    const names = readIfThere(directory, () => readdirSync(directory));
    if (!names.ok) return names;
    files.push(
      ...(names.value ?? [])
        .filter((name) => name.endsWith(".conf"))
        .sort()
        .map((name) => join(directory, name)),
    );
  }
  return done(files);
}

/** Undefined when there is no such file or directory. */
export function readIfThere<Value>(file: string, read: () => Value): Result<Value | undefined, ConfigurationProblem> {
  try {
    return done(read());
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return code === "ENOENT" || code === "ENOTDIR"
      ? done(undefined)
      : failed({ file, text: `cannot be read (${code})` });
  }
}
