// Imports point one way. A package imports those below it through their `exports`; in a package each room names what it
// may import. Type imports count; test files may import every room of their package.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseSync } from "oxc-parser";

const root = resolve(import.meta.dirname, "..");

interface Package {
  /** As imports name it. */
  readonly name: string;
  /**
   * Lowest first: a room may import itself, the leaves (`src/*.ts`) and every room on a line above its own. Absent where
   * the package is one room.
   */
  readonly floors?: readonly (readonly string[])[];
  /** No Node API, no files, sockets, clock or randomness; and what third-party code each may use. */
  readonly pure: Readonly<Record<string, readonly string[]>>;
}

/** Lowest first: a package may import those above it in this table. */
const packages: Readonly<Record<string, Package>> = {
  kubernetes: {
    name: "@purser/kubernetes",
    floors: [["leaves"], ["text", "cel"], ["apis"], ["object"], ["system"], ["kube"], ["certificate"]],
    pure: {
      // Hashing is synchronous and small.
      leaves: ["@noble/hashes/sha2.js", "@noble/hashes/utils.js"],
      text: [],
      cel: ["@marcbachmann/cel-js", "re2js"],
      apis: [],
      object: ["re2js"],
    },
  },
  apiserver: { name: "@purser/apiserver", pure: {} },
  purser: {
    name: "purser",
    floors: [
      ["leaves"],
      ["explanation"],
      ["apis", "upgrade-graph"],
      ["bundle"],
      ["catalog"],
      ["diagram", "installation"],
      ["resolver"],
      ["review"],
      ["image"],
      ["catalog-store"],
      ["content"],
      ["rollout", "registry-api"],
      ["controllers"],
      ["endpoints"],
      ["engine"],
      ["cli"],
    ],
    pure: {
      leaves: [],
      explanation: [],
      apis: [],
      "upgrade-graph": [],
      bundle: ["re2js"],
      catalog: [],
      diagram: [],
      installation: [],
      resolver: [],
      review: [],
    },
  },
};

/** Where a source file belongs. */
interface Home {
  readonly folder: string;
  readonly room: string;
  /** Undefined for a room that is not in the table. */
  readonly floor: number | undefined;
}

const folders = Object.keys(packages);
const folderOfName = new Map(Object.entries(packages).map(([folder, { name }]) => [name, folder] as const));
const exportsOf = new Map(
  folders.map((folder) => {
    const manifest = readFileSync(join(root, "packages", folder, "package.json"), "utf8");
    return [folder, (JSON.parse(manifest) as { exports?: Readonly<Record<string, string>> }).exports ?? {}] as const;
  }),
);

/** Undefined for what lies in no package's `src`. */
function homeOf(file: string): Home | undefined {
  const [top, folder = "", src, first = "", ...rest] = relative(root, file).split("/");
  const { floors } = packages[folder] ?? {};
  if (top !== "packages" || src !== "src" || !folders.includes(folder)) return undefined;
  if (floors === undefined) return { folder, room: folder, floor: 0 };
  const room = rest.length === 0 ? "leaves" : first;
  const floor = floors.findIndex((rooms) => rooms.includes(room));
  return { folder, room, floor: floor < 0 ? undefined : floor };
}

const isTest = (file: string): boolean => /\.test\.ts$|\/testing\//.test(file);
/** A reconciler's decision must stay pure wherever it lies. */
const isPlan = (file: string): boolean => /\/plan\.ts$|\/plan\//.test(file);
const allowedIn = ({ folder, room }: Home): readonly string[] | undefined => packages[folder]?.pure[room];

/** The file behind an import of another package, the folder of that package, or why it may not be imported. */
function throughExports(request: string): { readonly file: string; readonly folder: string } | string | undefined {
  const [, name = "", path = ""] = /^((?:@[^/]+\/)?[^/]+)(.*)$/.exec(request) ?? [];
  const folder = folderOfName.get(name);
  if (folder === undefined) return undefined;
  const file = exportsOf.get(folder)?.[`.${path}`];
  return file === undefined
    ? `${name} does not export ".${path}"`
    : { file: join(root, "packages", folder, file), folder };
}

/** Why the import is not allowed; undefined when it is. */
function problemOf(file: string, home: Home, request: string): string | undefined {
  if (!request.startsWith(".")) {
    const through = throughExports(request);
    if (typeof through === "string") return through;
    if (through === undefined) {
      const allowed = allowedIn(home);
      const isPure = allowed !== undefined || isPlan(file);
      return isPure && !(allowed ?? []).includes(request) ? `a pure module may not import "${request}"` : undefined;
    }
    if (folders.indexOf(through.folder) >= folders.indexOf(home.folder))
      return `${home.folder} may not import ${through.folder} ("${request}")`;
    const target = homeOf(through.file);
    if (target === undefined || isTest(through.file)) return `imports test code "${request}"`;
    const mustBePure = isPlan(file) || allowedIn(home) !== undefined;
    return mustBePure && allowedIn(target) === undefined && !isPlan(through.file)
      ? `a pure module may not import "${request}"`
      : undefined;
  }
  const target = resolve(dirname(file), request);
  const there = homeOf(target);
  if (there?.folder !== home.folder) return `imports outside of its package's src: "${request}"`;
  if (isTest(target)) return `imports test code "${request}"`;
  if (there.room === home.room)
    return isPlan(file) && !isPlan(target) && allowedIn(home) === undefined
      ? `a plan may import plans and pure rooms only, not "${request}"`
      : undefined;
  if (there.floor === undefined || home.floor === undefined || there.floor >= home.floor)
    return `${home.room} may not import ${there.room} ("${request}")`;
  return isPlan(file) && allowedIn(there) === undefined && !isPlan(target)
    ? `a plan may not import ${there.room} ("${request}")`
    : undefined;
}

function requestsOf(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const { module } = parseSync(file, text);
  return [
    ...module.staticImports.map((found) => found.moduleRequest.value),
    ...module.staticExports.flatMap((found) => found.entries.flatMap((entry) => entry.moduleRequest?.value ?? [])),
    ...module.dynamicImports.map((found) => text.slice(found.moduleRequest.start + 1, found.moduleRequest.end - 1)),
  ];
}

const files = folders.flatMap((folder) => {
  const source = join(root, "packages", folder, "src");
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .map((name) => join(source, name));
});
const problems: string[] = [];
let imports = 0;
for (const file of files) {
  const home = homeOf(file);
  const where = relative(root, file);
  if (isTest(file)) continue;
  if (home?.floor === undefined) {
    problems.push(`${where}: room "${home?.room ?? ""}" is not in the table of checks/layers.ts`);
    continue;
  }
  for (const request of requestsOf(file)) {
    imports++;
    const problem = problemOf(file, home, request);
    if (problem !== undefined) problems.push(`${where}: ${problem}`);
  }
}

for (const problem of problems) console.error(problem);
if (imports < files.length / 2) {
  console.error(`only ${imports} imports seen in ${files.length} files: the check itself is broken`);
  process.exit(1);
}
console.log(
  `layers: ${files.length} files in ${folders.length} packages, ${imports} imports, ${problems.length} violations`,
);
process.exit(problems.length === 0 ? 0 : 1);
