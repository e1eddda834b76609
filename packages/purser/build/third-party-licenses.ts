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

/** Name, version and licence text of every package that one of the modules belongs to. */
export function thirdPartyLicenses(root: string, modules: readonly string[]): string {
  const names = new Set(modules.map(packageOf).filter((name) => name !== undefined));
  const notices = [...names].sort().map((name) => {
    const folder = join(root, "../../node_modules", name);
    if (!existsSync(folder)) throw new Error(`${name} is bundled but lies not in node_modules: its licence is unknown`);
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly version: string;
      readonly license?: string;
    };
    const texts = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|notice)/i.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), "utf8").trim());
    if (texts.length === 0) texts.push(...headersOf(modules.filter((module) => packageOf(module) === name)));
    return [`${name} ${manifest.version} (${manifest.license ?? "see its text"})`, ...texts].join("\n\n");
  });
  return `${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
