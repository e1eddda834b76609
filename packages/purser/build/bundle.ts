// `npm run build [-- DIRECTORY]`: one JavaScript file per entrance in dist/, or in DIRECTORY (parts that few runs need lie beside
// as chunks), so that the published package starts fast and has no dependencies.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { type ChunkingContext, rolldown } from "rolldown";
import { readManifestFile } from "../src/engine/own-manifests.ts";
import { oneBytePerCharacter } from "../../../build/one-byte-per-character.ts";
import { thirdParties, thirdPartyLicenses } from "./third-party-licenses.ts";

const root = resolve(import.meta.dirname, "..");
const startedAt = Date.now();
/** The checkout: bundled modules are also in other packages and in node_modules. */
const repository = resolve(root, "../..");
/** Built in a temporary directory and then moved, so that dist/ is never incomplete while it is used. */
const made = join(repository, "node_modules", `.purser-dist-${process.pid}`);
const dist = resolve(process.argv[2] ?? join(root, "dist"));

/** Smaller chunks are merged with the chunk whose entrances are most similar. */
const mergedBelow = 32_000;
const ofKubernetes = (path: string): string => `../../kubernetes/src/${path}`;
/**
 * Files of modules that are loaded together, for Node takes half a millisecond to find and link a file. A file holds all that
 * loading its modules evaluates and no file before it in this list has: so it imports those before it alone, never in a circle.
 */
const layers: readonly (readonly [file: string, modules: readonly string[]])[] = [
  // At each start, whatever is asked for; then what every command but `opm` loads.
  ["main", ["cli/main.ts", "cli/run-own-answer.ts", ofKubernetes("clock.ts")]],
  ["start", ["cli/run-program.ts", "cli/commands.ts"]],
  ["parse", ["cli/parse-command.ts"]],
  [
    "base",
    [
      ...["text/documents.ts", "text/yaml/go-yaml.ts", "system/atomic-file.ts", "place.ts", "digest.ts"].map(
        ofKubernetes,
      ),
      // Whatever reads a catalog or a bundle, which is most of the commands.
      "catalog/schemas/editor-schemas.ts",
      "catalog/loading/load.ts",
      "catalog-store/read/read-catalog.ts",
      "cli/bundle-directory.ts",
      "image/layers/wanted-directories.ts",
      "image/layout/local-reference.ts",
    ],
  ],
  ["run", ["cli/run-parsed.ts"]],
  [
    "things",
    [
      "installation/installation.ts",
      "apis/olm-resources.ts",
      "explanation/summary.ts",
      "engine/directories.ts",
      "cli/output/listing.ts",
      "cli/output/duration.ts",
      ...["kube/refusal.ts", "system/make-directory.ts", "apis/resource-type.ts"].map(ofKubernetes),
    ],
  ],
  ["cluster", ["cli/cluster/connect.ts", "cli/cluster/installations.ts"]],
  // Scripts start `opm` often: a file for each set of entrances that share its modules.
  ["opm", ["cli/opm/answer-opm.ts"]],
  ["decision", ["cli/find/with-sources.ts"]],
];
const closures = new Map<string, ReadonlySet<string>>();

/** The name of the file for a module; null: the bundler chooses. */
function fileOf(id: string, context: ChunkingContext): string | null {
  if (isEntrance(id, context)) return null;
  return layers.find(([file, modules]) => closureOf(file, modules, context).has(id))?.[0] ?? null;
}

const only = (file: string | null, wanted: string): string | null => (file === wanted ? file : null);
const without = (file: string | null, left: string): string | null => (file === left ? null : file);

/** All modules that loading the given ones evaluates. */
function closureOf(file: string, modules: readonly string[], context: ChunkingContext): ReadonlySet<string> {
  const known = closures.get(file);
  if (known !== undefined) return known;
  const found = new Set<string>();
  const open = modules.map((path) => join(root, "src", path));
  for (const id of open) {
    if (found.has(id)) continue;
    found.add(id);
    const info = context.getModuleInfo(id);
    if (info === null) throw new Error(`${file}.js should hold ${id}, which is not part of the package`);
    open.push(...info.importedIds);
  }
  closures.set(file, found);
  return found;
}

/** An entrance does something when it is loaded, so it stays in a file of its own. */
function isEntrance(id: string, context: ChunkingContext): boolean {
  return context.getModuleInfo(id)?.isEntry === true;
}

/** Objects of the package's own manifests as JSON, which a start reads twenty times faster than YAML. */
async function prepareManifests(): Promise<string> {
  const files = ["crds", "demo"]
    .flatMap((directory) =>
      readdirSync(join(root, directory), { recursive: true, encoding: "utf8" }).map((name) => join(directory, name)),
    )
    .filter((name) => /^crds\/[^/]+\.yaml$|^demo\/[^/]+\/objects\.yaml$/.test(name.replaceAll("\\", "/")))
    .sort();
  const entries = files.map(
    async (name) => [name.replaceAll("\\", "/"), await readManifestFile(join(root, name))] as const,
  );
  return JSON.stringify(Object.fromEntries(await Promise.all(entries)));
}

rmSync(made, { recursive: true, force: true });
mkdirSync(made, { recursive: true });
const bundle = await rolldown({
  input: {
    cli: join(root, "src/cli/main.ts"),
    "index-builder": join(root, "src/catalog-store/index-builder.ts"),
    "unpack-child": join(root, "src/image/layers/unpack-child.ts"),
    "bundle-reader": join(root, "src/content/bundle/bundle-reader.ts"),
    "yaml-reader": join(root, "../apiserver/src/request/yaml-reader.ts"),
    "query-thread": join(root, "src/registry-api/graphql/query-thread.ts"),
    "entry-reader": join(root, "src/catalog-store/read/entry-reader.ts"),
  },
  platform: "node",
  plugins: [oneBytePerCharacter],
  onLog(level, log, report) {
    if (level === "warn" && log.code === "EVAL") return;
    report(level, log);
  },
});
const { output } = await bundle.write({
  dir: made,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: ({ name }) => `${name.replace(/~.*/, "")}.js`,
  minify: "dce-only",
  // Sources stay in memory; licences lie beside them.
  comments: { legal: true, annotation: false, jsdoc: false },
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      {
        name: (id, context) => only(fileOf(id, context), "opm"),
        debugName: "opm",
        entriesAware: true,
        entriesAwareMergeThreshold: mergedBelow,
      },
      { name: (id, context) => without(fileOf(id, context), "opm"), debugName: "layers" },
    ],
  },
});
copyFileSync(join(root, "build/launcher.js"), join(made, "purser.js"));
chmodSync(join(made, "purser.js"), 0o755);
writeFileSync(join(made, "manifests.json"), await prepareManifests());
const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? Object.keys(chunk.modules) : []));
writeFileSync(join(made, "THIRD-PARTY-LICENSES.txt"), thirdPartyLicenses(root, modules));
writeFileSync(join(made, "third-parties.json"), JSON.stringify(thirdParties(root, modules)));
writeSources(modules);
rmSync(dist, { recursive: true, force: true });
renameSync(made, dist);

/** What `build/run.js` compares; nothing when a file changed while it was read. */
function writeSources(bundled: readonly string[]): void {
  const own = ["build", "crds", "demo"].flatMap((directory) =>
    readdirSync(join(root, directory), { recursive: true, encoding: "utf8" }).map((name) => join(directory, name)),
  );
  const manifests = ["package.json", "../kubernetes/package.json", "../apiserver/package.json"].concat(
    ["package-lock.json", "node_modules/.package-lock.json"].map((name) => join("../..", name)),
  );
  const sources: Record<string, string> = {};
  for (const path of [...bundled.filter(isFile).map((id) => relative(root, id)), ...own, ...manifests]) {
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    if (found === undefined || !found.isFile()) continue;
    if (found.ctimeMs >= startedAt) return;
    sources[path] = `${found.size} ${found.ctimeMs}`;
  }
  writeFileSync(join(made, "sources.json"), JSON.stringify(sources));
}

/** Some modules are the bundler's own. */
function isFile(id: string): boolean {
  return !id.startsWith("\0") && id.startsWith(repository);
}

for (const file of readdirSync(dist))
  console.log(`${relative(root, join(dist, file))}  ${Math.round(readFileSync(join(dist, file)).length / 1024)} kB`);
