import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { CertificateProvider } from "../bundle/certificate-need.ts";
import type { Compat } from "../compat.ts";
import { parseCompat } from "../compat.ts";
import type { CatalogArgument } from "../engine/catalog-argument.ts";
import { parseCatalogArgument } from "../engine/catalog-argument.ts";
import type { Invocation, OptionSpec } from "./command.ts";
import { listOption, textOption, UsageError } from "./command.ts";

/** Flags of everything that runs the controllers. */
export const engineOptions: readonly OptionSpec[] = [
  {
    flags: "--catalog [NAMESPACE/]NAME=PATH",
    summary: "register a file-based catalog from a folder or file",
    repeatable: true,
  },
  {
    flags: "--bundles DIR",
    summary: "folder of bundle directories <package>/<version>, used instead of pulling images",
    repeatable: true,
  },
  {
    flags: "--webhook-certificates PROVIDER",
    summary:
      "who makes the webhook certificates of v1 extensions (default auto: cert-manager where it is served, else own)",
    choices: ["auto", "own", "cert-manager", "service-ca", "none"],
  },
  {
    flags: "--compat SWITCHES",
    summary: "keep upstream's behaviour: strict, or a comma-separated list (docs/differences.md)",
  },
];

export interface EngineFlags {
  readonly catalogs: readonly CatalogArgument[];
  readonly bundleFolders: readonly string[];
  readonly compat: Compat;
  readonly webhookCertificates: CertificateProvider | "auto";
}

/** @throws UsageError with the way out */
export function engineFlags(invocation: Invocation): EngineFlags {
  const compat = parseCompat(textOption(invocation, "compat") ?? invocation.terminal.env["PURSER_COMPAT"] ?? "");
  if (!compat.ok) throw new UsageError(compat.problem);
  return {
    catalogs: catalogArguments(invocation),
    bundleFolders: listOption(invocation, "bundles").map((path) => existing(path, "--bundles")),
    compat: compat.value,
    webhookCertificates: (textOption(invocation, "webhook-certificates") ??
      "auto") as EngineFlags["webhookCertificates"],
  };
}

/** The `--catalog` flags, their paths absolute. @throws UsageError */
export function catalogArguments(invocation: Invocation): readonly CatalogArgument[] {
  const parsed = listOption(invocation, "catalog").map((text) => {
    const argument = parseCatalogArgument(text);
    if (!argument.ok) throw new UsageError(argument.problem);
    const path = resolve(argument.value.path);
    if (!existsSync(path))
      throw new UsageError(`--catalog ${text}: there is no file or folder "${argument.value.path}"`);
    return { ...argument.value, path };
  });
  const names = parsed.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError(`--catalog: two catalogs are called "${twice}"; give one another name: NAME=PATH`);
  return parsed;
}

function existing(path: string, flag: string): string {
  const absolute = resolve(path);
  if (!existsSync(absolute)) throw new UsageError(`${flag}: there is no folder "${path}"`);
  if (!statSync(absolute).isDirectory()) throw new UsageError(`${flag}: "${path}" is not a folder`);
  return absolute;
}
