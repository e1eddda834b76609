import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The package a bundled module came from; undefined for our own. */
function packageOf(module: string): string | undefined {
  const inside = module.split("/node_modules/").at(-1);
  if (inside === undefined || inside === module) return undefined;
  const [scope = "", name = ""] = inside.split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
}

/** Characters from the start of a module in which its header begins and ends. */
const headerWithin = 4000;

/** Copyright headers of modules, each once: what a package without a licence file says of itself. */
function headersOf(modules: readonly string[]): readonly string[] {
  const headers = modules.flatMap((module) => {
    // A compiler may have put its own lines before the header.
    const start = readFileSync(module, "utf8").slice(0, headerWithin);
    const header = start.match(/^(?:\s*\/\/.*\n)+|\/\*[^]*?\*\//gm)?.find((comment) => /copyright/i.test(comment));
    return header === undefined ? [] : [header.replaceAll(/^\s*(\/\/|\/?\*+\/?) ?/gm, "").trim()];
  });
  return [...new Set(headers)];
}

/** A package whose modules are bundled. */
export interface ThirdParty {
  readonly name: string;
  readonly version: string;
  /** As the package states it, an SPDX expression; absent when it states none. */
  readonly license?: string;
}

/** Every package that one of the modules belongs to, by name. */
export function thirdParties(root: string, modules: readonly string[]): readonly ThirdParty[] {
  const names = new Set(modules.map(packageOf).filter((name) => name !== undefined));
  return [...names].sort().map((name) => {
    const directory = join(root, "../../node_modules", name);
    if (!existsSync(directory))
      throw new Error(`${name} is bundled but lies not in node_modules: its licence is unknown`);
    const { version, license } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as ThirdParty;
    return { name, version, ...(license !== undefined && { license }) };
  });
}

/** Name, version and licence text of every package that one of the modules belongs to. */
export function thirdPartyLicenses(root: string, modules: readonly string[]): string {
  const notices = thirdParties(root, modules).map(({ name, version, license }) => {
    const directory = join(root, "../../node_modules", name);
    const texts = readdirSync(directory)
      .filter((file) => /^(licen[cs]e|notice)/i.test(file))
      .sort()
      .map((file) => readFileSync(join(directory, file), "utf8").trim());
    if (texts.length === 0) texts.push(...headersOf(modules.filter((module) => packageOf(module) === name)));
    return [`${name} ${version} (${license ?? "see its text"})`, ...texts].join("\n\n");
  });
  return `${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
