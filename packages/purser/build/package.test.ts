import { spawn, spawnSync } from "node:child_process";
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";

const root = resolve(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "purser-package-"));
const installed = join(scratch, "installed");
const launcher = join(installed, "node_modules/purser/dist/purser.js");
const oldest = [22, 22, 2];

interface Runtime {
  readonly file: string;
  readonly version: string;
}

/** The sources of a directory, without tests. */
const sourcesOf = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(directory, name));

/** The Node that runs the tests, every other one on the PATH, and those that PURSER_TEST_NODES lists. */
function runtimes(): readonly Runtime[] {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, name));
  const asked = (process.env["PURSER_TEST_NODES"] ?? "").split(delimiter).filter((file) => file !== "");
  const found = new Map<string, Runtime>();
  for (const file of [process.execPath, ...asked, ...onPath].filter((candidate) => existsSync(candidate))) {
    const version = spawnSync(file, ["--version"], { encoding: "utf8" }).stdout.trim().slice(1);
    if (version !== "" && !found.has(version)) found.set(version, { file, version });
  }
  return [...found.values()];
}

function isSupported({ version }: Runtime): boolean {
  const numbers = version.split(".").map(Number);
  const at = oldest.findIndex((part, index) => numbers[index] !== part);
  return at === -1 || (numbers[at] ?? 0) > (oldest[at] ?? 0);
}

const all = runtimes();
const supported = all.filter(isSupported);
const tooOld = all.filter((runtime) => !isSupported(runtime));

/** What users have in their surroundings, without what npm adds to a script's. */
function surroundings(node: string, more: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|PURSER_|XDG_|KUBECONFIG$)/i.test(name));
  return {
    ...Object.fromEntries(kept),
    PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: scratch,
    npm_config_offline: "true",
    npm_config_cache: join(scratch, "npm-cache"),
    npm_config_update_notifier: "false",
    ...more,
  };
}

const kubectl = (): string | undefined =>
  [process.env["KUBEBUILDER_ASSETS"] ?? "", ...(process.env["PATH"] ?? "").split(delimiter)]
    .map((directory) => join(directory, "kubectl"))
    .find((file) => existsSync(file));

interface Running {
  readonly pid: number;
  readonly kubeconfig: string;
  readonly errors: () => string;
  stop(): Promise<number | null>;
}

/** Starts the installed `purser up` and waits for its Ready line and all that follows it at once. */
async function up(node: string, args: readonly string[], env: Record<string, string | undefined>): Promise<Running> {
  const child = spawn(node, [launcher, "up", ...args], { cwd: installed, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  const ended = new Promise<number | null>((done) => child.on("close", done));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  await new Promise<void>((done, refuse) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (/^Ready .*\n(.*\n){5}/m.test(output)) done();
    });
    void ended.then((code) => refuse(new Error(`purser up ended with ${code}:\n${output}${errors}`)));
  });
  return {
    pid: child.pid ?? 0,
    kubeconfig: /^kubeconfig {2}(.*)$/m.exec(output)?.[1] ?? "",
    errors: () => errors,
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

function run(node: string, args: readonly string[], env: Record<string, string | undefined>) {
  return spawnSync(node, args, { cwd: installed, env, encoding: "utf8", timeout: 300_000, killSignal: "SIGKILL" });
}

describe("the npm package", () => {
  let files: readonly string[] = [];

  before(() => {
    mkdirSync(installed);
    writeFileSync(join(installed, "package.json"), "{}\n");
    const env = surroundings(process.execPath);
    const packed = spawnSync("npm", ["pack", "--json", "--pack-destination", scratch], {
      cwd: root,
      env,
      encoding: "utf8",
    });
    assert.equal(packed.status, 0, packed.stderr);
    const tarball = readdirSync(scratch).find((name) => name.endsWith(".tgz")) ?? "";
    files = spawnSync("tar", ["tzf", join(scratch, tarball)], { encoding: "utf8" })
      .stdout.trim()
      .split("\n")
      .map((name) => name.replace(/^package\//, ""));
    const args = ["install", "--offline", "--no-audit", "--no-fund", join(scratch, tarball)];
    const install = spawnSync("npm", args, { cwd: installed, env, encoding: "utf8" });
    assert.equal(install.status, 0, install.stderr);
  });

  after(() => {
    chmodSync(scratch, 0o700);
    rmSync(scratch, { recursive: true, force: true });
  });

  test("contains the program, its manifests, its demo and its licences, and no development files", () => {
    const tops = new Set(files.map((name) => name.split("/")[0] ?? ""));
    assert.deepEqual([...tops].sort(), ["LICENSE", "README.md", "crds", "demo", "dist", "docs", "package.json"]);
    assert.deepEqual(
      files.filter((name) => /\.test\.|\.ts$|golden|\.map$/.test(name)),
      [],
    );
    const texts = sourcesOf(join(root, "src/cli")).flatMap(
      (file) => readFileSync(file, "utf8").match(/docs\/[a-z-]+\.(md|schema\.json)/g) ?? [],
    );
    for (const page of new Set(texts))
      assert.ok(files.includes(page), `${page} is named by a text and is not in the package`);
    for (const wanted of ["dist/purser.js", "dist/cli.js", "dist/index-builder.js", "dist/THIRD-PARTY-LICENSES.txt"])
      assert.ok(files.includes(wanted), `${wanted} is missing`);
    for (const directory of ["crds", "demo"])
      assert.equal(
        files.filter((name) => name.startsWith(`${directory}/`)).length,
        readdirSync(join(root, directory), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
          .length,
        `all of ${directory}/`,
      );
  });

  test("is a plugin of kubectl, which it answers with completions as well", () => {
    const run = (name: string, ...args: readonly string[]): string =>
      spawnSync(process.execPath, [join(installed, "node_modules/.bin", name), ...args], { encoding: "utf8" }).stdout;
    assert.match(run("kubectl-purser", "list", "--help"), /^Usage: kubectl purser list \[flags\]$/m);
    assert.match(run("kubectl-purser", "list", "--help"), /^Examples\n {2}kubectl purser list /m);
    assert.equal(run("kubectl_complete-purser", "install", "--approval", ""), "Automatic\nManual\n:0\n");
  });

  test("is code that Node keeps with one byte a character", () => {
    const dist = join(installed, "node_modules/purser/dist");
    const wide = readdirSync(dist).filter(
      (name) => name.endsWith(".js") && readFileSync(join(dist, name)).some((byte) => byte > 0x7f),
    );
    assert.deepEqual(wide, []);
  });

  test("opm loads few files, and no other entrance loads the command line", () => {
    const directory = dirname(launcher);
    const loadedBy = (...entrances: readonly string[]): ReadonlySet<string> => {
      const files = new Set(entrances);
      for (const file of files)
        for (const [, name = ""] of readFileSync(join(directory, file), "utf8").matchAll(
          /^import .*"\.\/(.+\.js)";$/gm,
        ))
          files.add(name);
      return files;
    };
    const opm = readdirSync(directory).filter((name) => /^(answer-opm|run-own-answer)\d*\.js$/.test(name));
    assert.ok(opm.length >= 2);
    assert.ok(loadedBy("cli.js", ...opm).size < 25);
    for (const entrance of [
      "index-builder.js",
      "bundle-reader.js",
      "entry-reader.js",
      "query-thread.js",
      "unpack-child.js",
    ])
      for (const file of loadedBy(entrance))
        assert.ok(!readFileSync(join(directory, file), "utf8").includes("// src/cli/main.ts"), `${entrance}: ${file}`);
  });

  test("installs nothing but itself", () => {
    assert.deepEqual(
      readdirSync(join(installed, "node_modules")).filter((name) => !name.startsWith(".")),
      ["purser"],
    );
  });

  test("names every package whose code it holds, with a licence text", () => {
    const notices = readFileSync(join(installed, "node_modules/purser/dist/THIRD-PARTY-LICENSES.txt"), "utf8").split(
      `\n${"-".repeat(80)}\n`,
    );
    assert.ok(notices.length > 3);
    for (const notice of notices) assert.match(notice.trim(), /^\S+ \d+\.\d+\.\d+ \(.+\)\n\n[^]*Copyright/i);
  });

  test("npx purser version answers without a word on stderr", () => {
    const env = surroundings(process.execPath, { npm_config_loglevel: "error" });
    const { stdout, stderr, status } = spawnSync("npx", ["purser", "version"], {
      cwd: installed,
      env,
      encoding: "utf8",
    });
    assert.match(stdout, /^purser \d+\.\d+\.\d+ \(Node /);
    assert.equal(stderr, "");
    assert.equal(status, 0);
  });

  for (const { file, version } of supported)
    test(`on Node ${version} purser up serves kubectl and ends with 0 on SIGTERM, without a warning`, async () => {
      const env = surroundings(file, { XDG_CACHE_HOME: join(scratch, `cache-${version}`) });
      const cluster = await up(file, ["--data", join(scratch, `data-${version}`)], env);
      try {
        const client = kubectl();
        if (client !== undefined) {
          const args = ["--kubeconfig", cluster.kubeconfig, "get", "namespaces", "-o", "name"];
          const { stdout, stderr, status } = run(client, args, env);
          assert.equal(status, 0, stderr);
          assert.match(stdout, /^namespace\/default$/m);
        }
        // Only an index that the builder beside the bundle wrote lets the demo's packages resolve.
        const list = run(file, [launcher, "list", "--kubeconfig", cluster.kubeconfig], env);
        assert.equal(list.status, 0, list.stderr);
        assert.match(list.stdout, /logbook-db/, list.stderr);
      } finally {
        assert.equal(await cluster.stop(), 0, cluster.errors());
      }
      assert.doesNotMatch(cluster.errors(), /warning/i);
    });

  test("a cluster on Linux allocates from one malloc arena, unless the environment sets otherwise", async (t) => {
    if (process.platform !== "linux") return t.skip("not here: a matter of Linux");
    const poolsOf = async (more: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      const env = surroundings(process.execPath, { XDG_CACHE_HOME: join(scratch, "cache-pools"), ...more });
      const file = join(scratch, "pools");
      const cluster = await up(process.execPath, ["--ephemeral", "--demo", "none", "--write-kubeconfig", file], env);
      try {
        return readFileSync(`/proc/${cluster.pid}/environ`, "utf8").match(/MALLOC_\w+=\w+/g) ?? [];
      } finally {
        assert.equal(await cluster.stop(), 0, cluster.errors());
        assert.doesNotMatch(cluster.errors(), /warning/i);
      }
    };
    assert.deepEqual((await poolsOf({})).toSorted(), ["MALLOC_ARENA_MAX=1", "MALLOC_MMAP_THRESHOLD_=24576"]);
    assert.deepEqual(await poolsOf({ MALLOC_ARENA_MAX: "3" }), ["MALLOC_ARENA_MAX=3"]);
  });

  for (const { file, version } of tooOld)
    test(`on Node ${version} it says in one sentence what it needs`, () => {
      const { stdout, stderr, status } = run(file, [launcher, "up"], surroundings(file));
      assert.equal(stdout, "");
      assert.match(stderr, new RegExp(`^purser needs Node 22\\.22\\.2 or newer; this is Node ${version}\\. .*\\n$`));
      assert.equal(status, 1);
    });
  if (tooOld.length === 0)
    test("an old Node gets one sentence", { skip: "not here: no old Node on the PATH" }, () => undefined);

  test("a cache directory that cannot be written is reported once, and catalogs are served all the same", async () => {
    const blocked = join(scratch, "not-a-folder");
    writeFileSync(blocked, "");
    const env = surroundings(process.execPath, { XDG_CACHE_HOME: blocked });
    const cluster = await up(process.execPath, ["--ephemeral", "--write-kubeconfig", join(scratch, "admin")], env);
    const list = run(process.execPath, [launcher, "list", "--kubeconfig", cluster.kubeconfig], env);
    assert.equal(await cluster.stop(), 0);
    assert.equal(
      cluster.errors().match(/^The cache directory ".*not-a-folder.*" cannot be used \(.*PURSER_CACHE_DIR/gm)?.length,
      1,
    );
    assert.match(list.stdout, /logbook-db/, list.stderr);
  });

  test("a home directory that cannot be written is one clear error with a way out", () => {
    const blocked = join(scratch, "not-a-home");
    writeFileSync(blocked, "");
    const env = surroundings(process.execPath, { HOME: blocked });
    const { stderr, status } = run(process.execPath, [launcher, "up"], env);
    assert.equal(status, 1);
    assert.match(stderr, /Cannot use the data file ".*not-a-home.*purser up --data DIR/s);
  });
});
