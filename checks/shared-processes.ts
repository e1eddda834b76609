// Most of the work of a small test file is the start of its process and the loading of modules that its neighbours load
// too. Files that cannot disturb one another run in one process, one after the other (`run-together.ts`).
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { runTogether } from "./run-together.ts";
import { type Package, throughExports } from "./source-files.ts";

/** A test file that loads one of these, directly or through others, may start what outlives it. */
const reaching = new Set([
  "@grpc/grpc-js",
  "node:child_process",
  "node:cluster",
  "node:dgram",
  "node:http",
  "node:http2",
  "node:https",
  "node:net",
  "node:process",
  "node:tls",
  "node:vm",
  "node:worker_threads",
  "undici",
]);

/** These end the programs and threads that they start, and close their sockets, or end all of this process' when they are stopped. */
const contained = new Set([
  "packages/apiserver/src/testing/server.ts",
  "packages/kubernetes/src/kube/access/exec-credential.ts",
  "packages/kubernetes/src/kube/http-transport.ts",
  "packages/kubernetes/src/system/idle-memory.ts",
  "packages/purser/src/catalog-store/build.ts",
  "packages/purser/src/cli/look/instances.ts",
  "packages/purser/src/cli/opm/profile-endpoint.ts",
  "packages/purser/src/cli/output/pager.ts",
  "packages/purser/src/cli/testing/demo-cluster.ts",
  "packages/purser/src/cli/testing/run-purser.ts",
  "packages/purser/src/engine/testing/world.ts",
  "packages/purser/src/image/build/testing/tools-on-path.ts",
  "packages/purser/src/registry-api/graphql/catalog-queries.ts",
]);

/** Names that open nothing. */
const harmlessNames: Readonly<Record<string, readonly string[]>> = {
  "node:net": ["BlockList", "isIP", "isIPv4", "isIPv6"],
};

/** What a file may take from `node:test`: mocks would hold for all files. Hooks hold for the file, which is a suite. */
const harmless = new Set(["after", "afterEach", "before", "beforeEach", "describe", "it", "suite", "test"]);

/** Text of a file by its path from the root. */
type Read = (path: string) => string;

/** `import ... from "x"`, `export ... from "x"`, `import "x"` and `import("x")`; types are not loaded. */
const requests =
  /^(?:import|export)\s+(?!type\b)[^"'`;()]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*(?:"([^"]+)"|)/gm;

/** Answers whether a test file, by its path from the root, may share its process with others that may. */
export function sharing(packages: readonly Package[], read: Read): (file: string) => boolean {
  /** By path: what it loads; undefined where it, or a request that is computed, may start what outlives a test. */
  const loads = new Map<string, readonly string[] | undefined>();
  const loadsOf = (path: string): readonly string[] | undefined => {
    if (!loads.has(path)) loads.set(path, directLoads(path, read(path), packages));
    return loads.get(path);
  };
  return (file) => {
    if (!leavesTheProcessAlone(read(file))) return false;
    const seen = new Set([file]);
    for (const path of seen) {
      const found = loadsOf(path);
      if (found === undefined) return false;
      for (const next of found) seen.add(next);
    }
    return true;
  };
}

function directLoads(path: string, text: string, packages: readonly Package[]): readonly string[] | undefined {
  const files: string[] = [];
  if (contained.has(path)) return files;
  for (const [statement, from, bare, dynamic] of text.matchAll(requests)) {
    const request = from ?? bare ?? dynamic;
    if (request === undefined) return undefined;
    if (reaching.has(request) && !takesOnly(statement, harmlessNames[request] ?? [])) return undefined;
    const through = throughExports(packages, request);
    const target = request.startsWith(".")
      ? join(dirname(path), request)
      : typeof through === "object"
        ? through.file
        : undefined;
    if (target?.endsWith(".ts") === true) files.push(target);
  }
  return files;
}

/** Whether an import takes nothing but types and these names. */
function takesOnly(statement: string, allowed: readonly string[]): boolean {
  const taken = /\{([^}]*)\}/.exec(statement)?.[1];
  const names = (taken ?? "*").split(",").map((name) => name.trim());
  return names.every((name) => name === "" || name.startsWith("type ") || allowed.includes(name));
}

function leavesTheProcessAlone(text: string): boolean {
  const taken = /^import \{[^}]*\} from "node:test";$/m.exec(text)?.[0] ?? "";
  const code = withoutWords(text);
  // What waits while it is loaded cannot be loaded into a suite.
  const waits = /^(?!.*\basync\b)\S.*\bawait\b|^await\b/m.test(code);
  return takesOnly(taken, [...harmless]) && !waits && !/\b(?:process|globalThis)\b/.test(withoutReading(code));
}

/** Names of tests and comments may speak of a process, and programs for other processes are written as templates, of which code is kept. */
const withoutWords = (text: string): string =>
  text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|^\s*(?:\/\/|\/?\*).*$|`(?:[^`\\]|\\.)*`/gm, (words) =>
    words.startsWith("`") ? (words.match(/\$\{[^}]*\}/g)?.join("") ?? '""') : '""',
  );

/** What only asks about the process, and neither deletes nor sets. */
const withoutReading = (text: string): string =>
  text.replace(
    /(?<!delete )\bprocess\.(?:(?:arch|argv|env|execPath|pid|platform|version|versions)\b|cwd\(\))(?!(?:\[[^\]]*\]|\.\w+)?\s*\??\??=[^=>])/g,
    "",
  );

/** Files of one process: enough that its start is little, few enough that four processes have work to the end. */
const together = 16;

export interface Distribution {
  readonly alone: readonly string[];
  /** Neighbours, which load much the same, share a process; each group has at least two files. */
  readonly groups: readonly (readonly string[])[];
}

/** @param files sorted, by their paths from the root */
export function distribute(files: readonly string[], mayShare: (file: string) => boolean): Distribution {
  const sharers = files.filter((file) => mayShare(file));
  const count = Math.ceil(sharers.length / together);
  const groups = Array.from({ length: count }, (_, index) =>
    sharers.slice(Math.round((index * sharers.length) / count), Math.round(((index + 1) * sharers.length) / count)),
  ).filter((group) => group.length > 1);
  const grouped = new Set(groups.flat());
  return { alone: files.filter((file) => !grouped.has(file)), groups };
}

/** Name and text of the test file that runs a group. @param index keeps names apart */
export function groupFile(
  root: string,
  group: readonly string[],
  index: number,
): readonly [name: string, text: string] {
  const paths: Parameters<typeof runTogether>[0] = group.map((file) => join(root, file));
  const runner = JSON.stringify(join(root, "checks/run-together.ts"));
  return [
    `${index}-${basename(group[0] ?? "", ".test.ts")}-and-${group.length - 1}-more.test.mjs`,
    `import { runTogether } from ${runner};\nawait runTogether(${JSON.stringify(paths)});\n`,
  ];
}

/** For the repository at `root`. */
export function reading(root: string): Read {
  return (path) => readFileSync(join(root, path), "utf8");
}
