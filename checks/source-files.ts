// What the checks read from the sources: the imports of each file, by name and source, and its exports.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseSync } from "oxc-parser";

export interface Import {
  /** As it is written. */
  readonly request: string;
  /** The imported file of this repository, from the root; undefined for other packages and for what is not exported. */
  readonly target: string | undefined;
  /** The imported names; undefined: all of them, or not known. */
  readonly names: readonly string[] | undefined;
}

export interface Export {
  readonly name: string;
  readonly isType: boolean;
  /** Its own file names it besides its declaration. */
  readonly isUsedInside: boolean;
  /** Its docstring has the tag `@testOnly`. */
  readonly isForTests: boolean;
  /** A function or a class without a docstring. */
  readonly lacksDocstring: boolean;
}

export interface SourceFile {
  /** From the root. */
  readonly path: string;
  /** True for tests, suites, benches and their helpers, false for the product and its build. */
  readonly isTest: boolean;
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
}

/** Path below the package ("./json") to file below its directory ("./src/json.ts"), as its `exports` list it. */
export type PackageExports = Readonly<Record<string, string>>;

export interface Package {
  readonly name: string;
  readonly directory: string;
  readonly exports: PackageExports;
}

const isTestFile = (path: string): boolean =>
  /\.test\.ts$|\/testing\/|^checks\/|^packages\/[^/]+\/(conformance|bench|e2e)\/|^bench\//.test(path);

export function readPackage(root: string, directory: string): Package {
  const manifest = JSON.parse(readFileSync(join(root, "packages", directory, "package.json"), "utf8")) as {
    readonly name: string;
    readonly exports?: PackageExports;
  };
  return { name: manifest.name, directory, exports: manifest.exports ?? {} };
}

/** The file behind an import of another package, from the root; or why there is none; undefined for a foreign package. */
export function throughExports(
  packages: readonly Package[],
  request: string,
): { readonly file: string; readonly directory: string; readonly entry: string } | string | undefined {
  const [, name = "", path = ""] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(request) ?? [];
  const found = packages.find((one) => one.name === name);
  if (found === undefined) return undefined;
  const entry = `.${path}`;
  const file = found.exports[entry];
  return file === undefined
    ? `${name} does not export "${entry}"`
    : { file: join("packages", found.directory, file), directory: found.directory, entry };
}

export function readSourceFiles(root: string, packages: readonly Package[]): readonly SourceFile[] {
  return ["packages", "checks", "bench", "build"].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: "utf8" })
      .map((name) => `${top}/${name}`)
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts") && !path.includes("node_modules/"))
      .map((path) => readSource(root, path, readFileSync(join(root, path), "utf8"), packages)),
  );
}

export function readSource(root: string, path: string, text: string, packages: readonly Package[]): SourceFile {
  const { module, comments } = parseSync(path, text);
  const targetOf = (request: string): string | undefined => {
    if (request.startsWith(".")) return relative(root, resolve(root, dirname(path), request));
    const through = throughExports(packages, request);
    return typeof through === "object" ? through.file : undefined;
  };
  const imported = (request: string, names: readonly string[] | undefined): Import => ({
    request,
    target: targetOf(request),
    names,
  });
  let code = text;
  for (const { start, end } of comments) code = code.slice(0, start) + " ".repeat(end - start) + code.slice(end);
  return {
    path,
    isTest: isTestFile(path),
    imports: [
      ...module.staticImports.map(({ moduleRequest, entries }) => {
        const names = entries.map(({ importName: { kind, name } }) =>
          kind === "Name" ? (name ?? undefined) : kind === "Default" ? "default" : undefined,
        );
        const known = names.filter((name) => name !== undefined);
        return imported(moduleRequest.value, known.length === names.length ? known : undefined);
      }),
      ...module.staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest, importName }) =>
          moduleRequest === null
            ? []
            : [imported(moduleRequest.value, importName.name === null ? undefined : [importName.name])],
        ),
      ),
      ...module.dynamicImports.map(({ start, moduleRequest }) =>
        imported(text.slice(moduleRequest.start + 1, moduleRequest.end - 1), namesTaken(text.slice(0, start))),
      ),
    ],
    exports: module.staticExports.flatMap(({ start, entries }) =>
      entries.flatMap(({ exportName, localName, isType }) => {
        const name = exportName.kind === "Default" ? "default" : exportName.name;
        if (name === null) return [];
        const local = localName.name ?? name;
        const uses =
          code.match(new RegExp(`(?<![\\w$#]|(?<!\\.\\.)\\.)${local.replaceAll("$", "\\$")}(?![\\w$])`, "g")) ?? [];
        const before = comments.filter(({ end }) => end <= start).at(-1);
        const doc = before !== undefined && text.slice(before.end, start).trim() === "" ? before.value : "";
        const isFunction = /^export (default )?(async |abstract )?(function|class)\b/.test(
          text.slice(start, start + 40),
        );
        return [
          {
            name,
            isType,
            isUsedInside: uses.length > 1,
            isForTests: /@testOnly\b/.test(doc),
            lacksDocstring: isFunction && !doc.startsWith("*"),
          },
        ];
      }),
    ),
  };
}

/** `const { a, b: c } = await import(...)`; undefined for any other way to take names. */
function namesTaken(before: string): readonly string[] | undefined {
  const taken = /\{([^{}]*)\}\s*=\s*await\s*$/.exec(before)?.[1];
  return taken?.split(",").flatMap((part) => part.trim().split(/[:\s]/)[0] || []);
}
