// Imports point one way. A package imports those below it through their `exports`; in a package each room names what it
// may import. Type imports count; test files may import every room of their package. No file imports itself through others,
// every export has a caller, and no directory holds too many files (circles.ts, dead-exports.ts, large-directories.ts).
import { dirname, join, relative, resolve } from "node:path";
import { circles } from "./circles.ts";
import { deadEntries, deadExports, undocumented } from "./dead-exports.ts";
import { largeDirectories } from "./large-directories.ts";
import { readPackage, readSourceFiles, throughExports } from "./source-files.ts";

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
      ["diagram", "installation", "package-manifests", "policy"],
      ["deploy", "discovery", "metrics"],
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
      // Windows of update policies: cron expressions in a time zone.
      policy: ["croner"],
      "package-manifests": [],
      deploy: [],
      discovery: [],
      metrics: [],
      resolver: [],
      review: [],
    },
  },
};

/** Where a source file belongs. */
interface Home {
  readonly directory: string;
  readonly room: string;
  /** Undefined for a room that is not in the table. */
  readonly floor: number | undefined;
}

const directories = Object.keys(packages);
const known = directories.map((directory) => readPackage(root, directory));

/** Undefined for a file outside of every package's `src`. */
function homeOf(file: string): Home | undefined {
  const [top, directory = "", src, first = "", ...rest] = relative(root, file).split("/");
  const { floors } = packages[directory] ?? {};
  if (top !== "packages" || src !== "src" || !directories.includes(directory)) return undefined;
  if (floors === undefined) return { directory, room: directory, floor: 0 };
  const room = rest.length === 0 ? "leaves" : first;
  const floor = floors.findIndex((rooms) => rooms.includes(room));
  return { directory, room, floor: floor < 0 ? undefined : floor };
}

const isTest = (file: string): boolean => /\.test\.ts$|\/testing\//.test(file);
/** A reconciler's decision must stay pure wherever it lies. */
const isPlan = (file: string): boolean => /\/plan\.ts$|\/plan\//.test(relative(root, file));
const allowedIn = ({ directory, room }: Home): readonly string[] | undefined => packages[directory]?.pure[room];

/** Why the import is not allowed; undefined when it is. */
function problemOf(file: string, home: Home, request: string): string | undefined {
  if (!request.startsWith(".")) {
    const through = throughExports(known, request);
    if (typeof through === "string") return through;
    if (through === undefined) {
      const allowed = allowedIn(home);
      const isPure = allowed !== undefined || isPlan(file);
      return isPure && !(allowed ?? []).includes(request) ? `a pure module may not import "${request}"` : undefined;
    }
    if (directories.indexOf(through.directory) >= directories.indexOf(home.directory))
      return `${home.directory} may not import ${through.directory} ("${request}")`;
    const target = homeOf(join(root, through.file));
    if (target === undefined || isTest(through.file) || through.entry.startsWith("./testing/"))
      return `imports test code "${request}"`;
    const mustBePure = isPlan(file) || allowedIn(home) !== undefined;
    return mustBePure && allowedIn(target) === undefined && !isPlan(through.file)
      ? `a pure module may not import "${request}"`
      : undefined;
  }
  const target = resolve(dirname(file), request);
  const there = homeOf(target);
  if (there?.directory !== home.directory) return `imports outside of its package's src: "${request}"`;
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

const all = readSourceFiles(root, known);
const files = all.filter(({ path }) => homeOf(join(root, path)) !== undefined);
const problems: string[] = [];
let imports = 0;
for (const { path, imports: requests } of files) {
  const file = join(root, path);
  const home = homeOf(file);
  if (isTest(file)) continue;
  if (home?.floor === undefined) {
    problems.push(`${path}: room "${home?.room ?? ""}" is not in the table of checks/layers.ts`);
    continue;
  }
  for (const { request } of requests) {
    imports++;
    const problem = problemOf(file, home, request);
    if (problem !== undefined) problems.push(`${path}: ${problem}`);
  }
}
for (const circle of circles(all)) problems.push(`files import one another: ${circle.join(" -> ")}`);
/** Files that are imported from outside the repository; Node loads the reporter. */
const surfaces = known.flatMap(({ directory, exports }) =>
  exports["."] === undefined ? [] : [join("packages", directory, exports["."])],
);
problems.push(
  ...deadExports(all, new Set([...surfaces, "checks/reporter.ts"])),
  ...deadEntries(all, known),
  ...undocumented(all, known),
  ...largeDirectories(all.map(({ path }) => path)),
);

for (const problem of problems) console.error(problem);
if (imports < files.length / 2) {
  console.error(`only ${imports} imports seen in ${files.length} files: the check itself is broken`);
  process.exit(1);
}
console.log(
  `layers: ${files.length} files in ${directories.length} packages, ${imports} imports, ${problems.length} violations`,
);
process.exit(problems.length === 0 ? 0 : 1);
