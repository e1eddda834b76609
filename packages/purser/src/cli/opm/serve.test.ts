import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import { openIndex } from "../../catalog-store/open.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { grpcClient } from "../../registry-api/testing/grpc-client.ts";
import { runLongOpm, runOpm } from "./run-opm.ts";
import { openServeCache } from "./serve-cache.ts";
import { freePort } from "../../image/testing/free-port.ts";

const root = mkdtempSync(join(tmpdir(), "purser-opm-serve-"));
after(() => rmSync(root, { recursive: true, force: true }));
const { signal } = new AbortController();

let directories = 0;
function directory(files: Readonly<Record<string, string>> = {}): string {
  const path = join(root, String(directories++));
  mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}
const catalog = (more = ""): string => directory({ "catalog.yaml": smallCatalog("kiln", ["1.0.0", "2.0.0"], more) });

async function opened(path: string, cache: string, enforceIntegrity = false): Promise<string | undefined> {
  const found = await openServeCache({ root: path, directory: cache, enforceIntegrity, signal });
  if (found.ok) found.value.close();
  return found.ok ? undefined : found.problem;
}

test("a cache passes its check until the catalog or the cache changes or its digest is lost", async () => {
  const [path, cache] = [catalog(), directory()];
  assert.equal(await opened(path, cache), undefined);
  assert.equal(await opened(path, cache, true), undefined);
  const digest = join(cache, "purser.v1", "digest");
  const recorded = readFileSync(digest, "utf8");
  assert.match(recorded, /^[0-9a-f]{16}$/);
  const stale =
    /^integrity check failed: cache requires rebuild: cache reports digest as "[0-9a-f]{16}", but computed digest is "[0-9a-f]{16}"$/;
  assert.match((await opened(catalog("---\nschema: x\n"), cache, true)) ?? "", stale);
  appendFileSync(join(cache, "purser.v1", "catalog.index"), "x");
  assert.match((await opened(path, cache, true)) ?? "", stale);
  assert.equal(await opened(path, cache), undefined, "without enforcement it is built again");
  assert.equal(await opened(path, cache, true), undefined);
  rmSync(digest);
  const missing = `integrity check failed: read existing cache digest: open ${digest}: no such file or directory`;
  assert.equal(await opened(path, cache, true), missing);
});

test("a directory with other files is not used as a cache; an empty one is, also beside a cache of opm", async () => {
  const foreign = directory({ b: "", a: "" });
  assert.equal(await opened(catalog(), foreign), "cache directory has unexpected contents: a,b");
  assert.equal(existsSync(join(foreign, "purser.v1")), false);
  const opms = directory();
  mkdirSync(join(opms, "pogreb.v1"));
  assert.match((await opened(catalog(), opms, true)) ?? "", /^integrity check failed: read existing cache digest: /);
  assert.equal(await opened(catalog(), opms), undefined);
  assert.ok(existsSync(join(opms, "pogreb.v1")), "what opm made stays");
});

test("a valid catalog that upstream's server refuses is refused, and leaves no cache behind", async () => {
  const metadata = "    - type: olm.csv.metadata\n      value: {}\n";
  const twice = smallCatalog("kiln", ["1.0.0"]).replace(
    /( *)- type: olm\.package\n/,
    (found, indent: string) => `${metadata.replaceAll(/^ {4}/gm, indent).repeat(2)}${found}`,
  );
  const prefix = "failed to load or rebuild cache: failed to rebuild cache: ";
  const cases = [
    [
      directory({ "catalog.yaml": twice }),
      'build package index: process package "kiln": parse properties: expected at most 1 property of type "olm.csv.metadata", found 2',
    ],
    [
      catalog("---\nschema: a/b\n"),
      'invalid custom schema meta: invalid schema "a/b": must match ^[a-zA-Z0-9][a-zA-Z0-9._-]*$',
    ],
  ] as const;
  for (const [path, message] of cases) {
    const cache = directory();
    assert.equal(runOpm(["validate", path], systemClock).exit, 0);
    assert.equal(await opened(path, cache), prefix + message);
    assert.equal(existsSync(join(cache, "purser.v1")), false);
  }
});

test("an invalid catalog is refused with the error of its invalid package", async () => {
  const path = directory({ "a.yaml": "schema: olm.package\nname: kiln\ndefaultChannel: stable\n" });
  const problem = await opened(path, directory());
  assert.match(
    problem ?? "",
    /^failed to load or rebuild cache: failed to rebuild cache: build package index: process package "kiln": invalid index:\n/,
  );
});

interface Served {
  readonly said: () => string;
  readonly stop: AbortController;
  readonly ended: ReturnType<typeof runLongOpm>;
}

function serve(...args: readonly string[]): Served {
  const lines: string[] = [];
  const stop = new AbortController();
  const world = {
    clock: systemClock,
    signal: stop.signal,
    argv: ["opm", "serve"],
    out: () => {},
    err: (text: string) => void lines.push(text),
    env: {},
  };
  return { said: () => lines.join(""), stop, ended: runLongOpm(["serve", ...args], world) };
}

const plain = ["--termination-log", "", "--pprof-addr", ""];

test("serve answers until it is stopped, logs each call and removes its temporary cache", async () => {
  const [port, profiles] = [await freePort("::"), await freePort("::")];
  const path = catalog();
  const run = serve(
    path,
    "-p",
    String(port),
    "-t",
    "",
    `--pprof-addr=localhost:${profiles}`,
    "--pprof-capture-profiles",
  );
  while (!run.said().includes("serving registry")) await systemClock.sleep(50, signal);
  const [, cache = ""] = / cache=(\S+)/.exec(run.said()) ?? [];
  assert.match(run.said(), /^time="[^"]+Z" level=info msg="serving registry" cache=\S+ configs=\S+ port=\d+\n$/);
  const client = grpcClient(`127.0.0.1:${port}`);
  assert.deepEqual((await client.call("api.Registry.ListPackages", {})).responses, [{ name: "kiln" }]);
  await client.call("api.Registry.GetPackage", { name: "loom" });
  client.close();
  assert.match(
    run.said(),
    /msg="finished call" .*grpc\.code=OK .*grpc\.method=ListPackages grpc\.service=api\.Registry/,
  );
  assert.match(run.said(), /grpc\.code=UNKNOWN grpc\.error="package \\"loom\\" not found"/);
  const pprof = `http://localhost:${profiles}/debug/pprof`;
  assert.equal(await (await fetch(`${pprof}/cmdline`)).text(), "opm\0serve");
  const startup = await fetch(`${pprof}/startup/cpu`);
  assert.ok(Array.isArray(((await startup.json()) as { readonly nodes?: unknown }).nodes));
  assert.ok(existsSync(cache));
  run.stop.abort();
  assert.deepEqual(await run.ended, { exit: 0, stdout: "", stderr: "" });
  assert.equal(existsSync(cache), false);
});

test("every refusal ends with one fatal record, which is also written to the termination log", async () => {
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, "::", () => {
      const address = taken.address();
      resolve(address === null || typeof address === "string" ? 0 : address.port);
    });
  });
  const log = join(directory(), "termination-log");
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--cache-enforce-integrity", ...plain], /msg="--cache-dir must be specified with --cache-enforce-integrity"/],
    [[`--port=${port}`, "--pprof-addr", "", "-t", log], /msg="failed to listen: /],
    [["--port=x", ...plain], /msg="failed to listen: listen tcp: address x: invalid port"/],
    [["-t", "", "--pprof-addr", `localhost:${port}`], /msg="could not start pprof endpoint: /],
    [["-t", "", "--pprof-addr", "localhost"], /could not start pprof endpoint: .*missing port in address/],
  ];
  for (const [args, record] of cases) {
    const { exit, stderr } = await serve(catalog(), ...args).ended;
    assert.equal(exit, 1);
    assert.match(stderr, /^time="[^"]+Z" level=fatal /);
    assert.match(stderr, record);
  }
  assert.match(readFileSync(log, "utf8"), /^failed to listen: .*\n$/);
  taken.close();
});

test("cache-only builds the cache and ends; a termination log that cannot be written is a warning", async () => {
  const cache = directory();
  const run = serve(catalog(), "--cache-dir", cache, "--cache-only", "--pprof-addr", "", "-t", join(root, "no", "log"));
  assert.equal((await run.ended).exit, 0);
  assert.match(run.said(), /level=warning msg="unable to set termination log path" error=/);
  const index = openIndex(join(cache, "purser.v1", "catalog.index"));
  assert.ok(index.ok);
  index.value.close();
});
