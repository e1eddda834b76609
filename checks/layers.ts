// Imports point one way. Each room names what it may import; type imports count, test files may import anything.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseSync } from "oxc-parser";

const root = resolve(import.meta.dirname, "..");
const source = join(root, "src");

/** Lowest first: a room may import itself, the leaves (`src/*.ts`) and every room on a line above its own. */
const floors: readonly (readonly string[])[] = [
  ["leaves"],
  ["explanation", "text", "cel"],
  ["apis", "upgrade-graph"],
  ["object"],
  ["bundle"],
  ["catalog"],
  ["diagram", "installation"],
  ["resolver"],
  ["review"],
  ["kube"],
  ["image", "certificate"],
  ["catalog-store"],
  ["content"],
  ["rollout", "registry-api", "apiserver"],
  ["controllers"],
  ["endpoints"],
  ["engine"],
  ["cli"],
];

/** The embedded API server knows nothing of operators, whatever its floor would allow. */
const forbidden: Readonly<Record<string, readonly string[]>> = {
  apiserver: [
    "explanation",
    "upgrade-graph",
    "bundle",
    "catalog",
    "diagram",
    "installation",
    "resolver",
    "review",
    "image",
    "content",
    "catalog-store",
  ],
  kube: ["explanation", "upgrade-graph", "bundle", "catalog", "diagram", "installation", "resolver", "review"],
};

const pure = new Set([
  "leaves",
  "explanation",
  "text",
  "cel",
  "apis",
  "object",
  "upgrade-graph",
  "bundle",
  "catalog",
  "diagram",
  "installation",
  "resolver",
  "review",
]);

/** What third-party code a pure room may use; hashing is synchronous and small. */
const packagesAllowedInPureRooms: Readonly<Record<string, readonly string[]>> = {
  leaves: ["@noble/hashes/sha2.js", "@noble/hashes/utils.js"],
  cel: ["@marcbachmann/cel-js", "re2js"],
  object: ["re2js"],
  bundle: ["re2js"],
};

const floorOf = new Map(floors.flatMap((rooms, floor) => rooms.map((room) => [room, floor] as const)));

function roomOf(file: string): string {
  const [first, ...rest] = relative(source, file).split("/");
  return rest.length === 0 ? "leaves" : (first ?? "");
}

const isTest = (file: string): boolean => /\.test\.ts$|\/testing\//.test(file);
/** A reconciler's decision must stay pure wherever it lies. */
const isPlan = (file: string): boolean => /\/plan\.ts$|\/plan\//.test(file);

const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
  .map((name) => join(source, name));

const problems: string[] = [];
let imports = 0;
for (const file of files) {
  if (isTest(file)) continue;
  const room = roomOf(file);
  const floor = floorOf.get(room);
  const where = relative(root, file);
  if (floor === undefined) {
    problems.push(`${where}: room "${room}" is not in the table of checks/layers.ts`);
    continue;
  }
  const { module } = parseSync(file, readFileSync(file, "utf8"));
  const requests = [
    ...module.staticImports.map((found) => found.moduleRequest.value),
    ...module.staticExports.flatMap((found) => found.entries.flatMap((entry) => entry.moduleRequest?.value ?? [])),
    ...module.dynamicImports.map((found) =>
      readFileSync(file, "utf8").slice(found.moduleRequest.start + 1, found.moduleRequest.end - 1),
    ),
  ];
  for (const request of requests) {
    imports++;
    if (!request.startsWith(".")) {
      const allowed = packagesAllowedInPureRooms[room] ?? [];
      if ((pure.has(room) || isPlan(file)) && !allowed.includes(request))
        problems.push(`${where}: a pure module may not import "${request}"`);
      continue;
    }
    const target = resolve(dirname(file), request);
    if (!target.startsWith(`${source}/`)) {
      problems.push(`${where}: imports outside src: "${request}"`);
      continue;
    }
    if (/\.test\.ts$|\/testing\//.test(target)) problems.push(`${where}: imports test code "${request}"`);
    const targetRoom = roomOf(target);
    if (targetRoom === room) {
      if (isPlan(file) && !isPlan(target))
        problems.push(`${where}: a plan may import plans and pure rooms only, not "${request}"`);
      continue;
    }
    const targetFloor = floorOf.get(targetRoom);
    if (targetFloor === undefined || targetFloor >= floor)
      problems.push(`${where}: ${room} may not import ${targetRoom} ("${request}")`);
    if (forbidden[room]?.includes(targetRoom))
      problems.push(`${where}: ${room} knows nothing of ${targetRoom} ("${request}")`);
    if (isPlan(file) && !pure.has(targetRoom) && !isPlan(target))
      problems.push(`${where}: a plan may not import ${targetRoom} ("${request}")`);
  }
}

for (const problem of problems) console.error(problem);
if (imports < files.length / 2) {
  console.error(`only ${imports} imports seen in ${files.length} files: the check itself is broken`);
  process.exit(1);
}
console.log(`layers: ${files.length} files, ${imports} imports, ${problems.length} violations`);
process.exit(problems.length === 0 ? 0 : 1);
