import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { smallCatalog } from "../../../catalog/testing/small-catalog.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { FaultRegistry } from "../../../image/testing/fault-registry.ts";
import { testImage } from "../../../image/testing/test-image.ts";
import { configsLabel, entriesOf, writeLayout } from "../../../image/testing/layout-images.ts";
import { grpcClient } from "../../../registry-api/testing/grpc-client.ts";
import { type Outcome, UsageError } from "../../command.ts";
import type { Terminal } from "../../output/terminal.ts";
import { serveCommand } from "./serve.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-serve-"));
const catalog = join(directory, "catalog");
mkdirSync(catalog);
after(() => rmSync(directory, { recursive: true, force: true }));
const write = (text: string): void => writeFileSync(join(catalog, "catalog.yaml"), text);

interface Run {
  /** Lines of stdout and stderr, in the order of their writing. */
  readonly said: string[];
  /** Those of stdout alone. */
  readonly printed: string[];
  readonly stop: AbortController;
  readonly outcome: Promise<Outcome>;
}

function start(
  options: Readonly<Record<string, string>>,
  reference = catalog,
  env: Readonly<Record<string, string>> = {},
): Run {
  const said: string[] = [];
  const printed: string[] = [];
  const stop = new AbortController();
  const say = (...lines: readonly string[]): void => void said.push(...lines);
  const print = (...lines: readonly string[]): void => {
    say(...lines);
    printed.push(...lines);
  };
  const terminal: Terminal = {
    isInteractive: false,
    show: () => assert.fail("printed by the caller"),
    env: { PURSER_CACHE_DIR: join(directory, "cache"), ...env },
    out: print,
    write: (text) => print(text),
    err: say,
    paint: (_, text) => text,
    symbol: (name) => name,
    ask: () => Promise.resolve(undefined),
    progress: () => undefined,
  };
  const outcome = serveCommand.run({ arguments: [reference], options, terminal, signal: stop.signal });
  return { said, printed, stop, outcome };
}

async function says(run: Run, pattern: RegExp): Promise<RegExpExecArray> {
  for (let left = 3000; left > 0; left--) {
    const found = pattern.exec(run.said.join("\n"));
    if (found !== null) return found;
    await systemClock.sleep(100, run.stop.signal);
  }
  throw new Error(`it never said ${pattern}, but:\n${run.said.join("\n")}`);
}

test("both APIs follow the files; an invalid change is reported with its line and the last valid content stays", async () => {
  write(smallCatalog("kiln", ["1.0.0"]));
  const run = start({ grpc: "127.0.0.1:0", http: "127.0.0.1:0" });
  const [, address = ""] = await says(run, /gRPC +(\S+)/);
  const [, url = ""] = await says(run, /HTTP +(http:\S+\/catalogs\/catalog\/api\/v1\/all)/);
  const client = grpcClient(address);
  const bundles = async (): Promise<number> => (await client.call("api.Registry.ListBundles", {})).responses.length;
  const served = async (): Promise<boolean> => (await (await fetch(url)).text()).includes("kiln.v2.0.0");
  await says(run, /ok serving sha256:[0-9a-f]{12}: 1 package, 1 bundle/);
  assert.deepEqual([await bundles(), await served()], [1, false]);
  assert.equal((await fetch(url.replace("/catalogs/catalog/", "/catalogs/other/"))).status, 404);
  write(`${smallCatalog("kiln", ["1.0.0", "2.0.0"])}---\nschema: [\n`);
  await says(run, /failed .*catalog\.yaml:\d+/);
  assert.deepEqual([await bundles(), await served()], [1, false]);
  write(smallCatalog("kiln", ["1.0.0", "2.0.0"]));
  await says(run, /serving sha256:[0-9a-f]{12}: 1 package, 2 bundles/);
  assert.deepEqual([await bundles(), await served()], [2, true]);
  client.close();
  run.stop.abort();
  assert.equal((await run.outcome).exitCode, 0);
});

test("a catalog that cannot be read is refused at once, with its line, and nothing listens", async () => {
  const path = join(directory, "broken.yaml");
  writeFileSync(path, "---\nschema: olm.package\nname: [\n");
  const run = start({ grpc: "127.0.0.1:0", http: "none" }, path);
  assert.equal((await run.outcome).exitCode, 1);
  assert.match(run.said.join("\n"), /broken\.yaml:\d+/);
  assert.match(run.said.join("\n"), /purser catalog validate .*start again/);
  assert.doesNotMatch(run.said.join("\n"), /read again/);
  assert.doesNotMatch(run.said.join("\n"), /Ready/);
});

test("content that upstream's registry server refuses is served over HTTP only", async () => {
  const path = join(directory, "refused.yaml");
  writeFileSync(path, `${smallCatalog("kiln", ["1.0.0"])}---\nschema: a/b\nname: x\n`);
  const both = start({ grpc: "127.0.0.1:0", http: "none" }, path);
  assert.equal((await both.outcome).exitCode, 1);
  assert.match(both.said.join("\n"), /invalid custom schema meta: invalid schema "a\/b"/);
  const http = start({ grpc: "none", http: "127.0.0.1:0" }, path);
  const [, url = ""] = await says(http, /HTTP +(\S+)/);
  assert.match(await (await fetch(url)).text(), /"schema":"a\/b"/);
  http.stop.abort();
  await http.outcome;
});

for (const [options, pattern] of [
  [{ grpc: "none", http: "none" }, /nothing to serve/],
  [{ grpc: "50051", http: "none" }, /not an address/],
  [{ name: "A/b" }, /--name "A\/b"/],
] as const)
  test(`${JSON.stringify(options)} is wrong usage`, async () => {
    await assert.rejects(start(options).outcome, (error: unknown) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, pattern);
      return true;
    });
  });

test("the tag of an image is followed; while the registry fails, what it named last is served", async () => {
  const registry = await FaultRegistry.start();
  const configuration = join(directory, "registries.conf");
  writeFileSync(configuration, `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`);
  const push = async (...versions: readonly string[]): Promise<string> => {
    const files = { "configs/kiln.yaml": smallCatalog("kiln", versions) };
    return registry.push("acme/kiln:v1", await testImage([files], { labels: { [configsLabel]: "/configs" } }));
  };
  let run: Run | undefined;
  try {
    const image = await push("1.0.0");
    const options = { grpc: "none", http: "127.0.0.1:0", "poll-interval": "1s" };
    run = start(options, image, { CONTAINERS_REGISTRIES_CONF: configuration, HOME: directory });
    const [, url = ""] = await says(run, /HTTP +(http:\S+\/catalogs\/kiln\/api\/v1\/all)/);
    await says(run, /ok serving sha256:[0-9a-f]{12}: 1 package, 1 bundle$/m);
    await push("1.0.0", "2.0.0");
    await says(run, /ok serving sha256:[0-9a-f]{12}: 1 package, 2 bundles/);
    registry.fail("manifest", { fault: { kind: "status", status: 404 } });
    await says(run, /failed .*acme\/kiln:v1.*404[^]*the last good content is still served/);
    assert.match(await (await fetch(url)).text(), /kiln\.v2\.0\.0/);
    const looks = registry.requests.length;
    registry.heal();
    await says(run, /failed [^]*ok serving sha256:[0-9a-f]{12}: 1 package, 2 bundles/);
    assert.ok(registry.requests.length > looks);
    run.stop.abort();
    assert.equal((await run.outcome).exitCode, 0);
    assert.equal(run.said.filter((line) => line.includes("ok serving")).length, 3, run.said.join("\n"));
  } finally {
    run?.stop.abort();
    await registry[Symbol.asyncDispose]();
  }
});

test("with -o json every pull of a followed tag is reported as events, and a look that finds nothing new is not", async () => {
  await using registry = await FaultRegistry.start();
  const configuration = join(directory, "registries-events.conf");
  writeFileSync(configuration, `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`);
  const push = async (version: string): Promise<string> => {
    const files = { "configs/kiln.yaml": smallCatalog("kiln", [version]) };
    return registry.push("acme/events:v1", await testImage([files], { labels: { [configsLabel]: "/configs" } }));
  };
  const image = await push("3.0.0");
  const run = start({ grpc: "none", http: "127.0.0.1:0", "poll-interval": "1s", output: "json" }, image, {
    CONTAINERS_REGISTRIES_CONF: configuration,
    HOME: directory,
  });
  const events = (): readonly string[] =>
    run.said.flatMap((line) => /"kind":"ImageEvent","event":"(?!noSignaturePolicy)([^"]+)"/.exec(line)?.[1] ?? []);
  const ofOnePull = ["resolved", "downloading", "unpacking", "complete"];
  try {
    await says(run, /"event":"serving"/);
    const looks = registry.requests.length;
    while (registry.requests.length < looks + 2) await systemClock.sleep(100, run.stop.signal);
    assert.deepEqual(events(), ofOnePull);
    await push("3.1.0");
    await says(run, /"event":"serving"[^]*"event":"serving"/);
    assert.deepEqual(events(), [...ofOnePull, ...ofOnePull]);
  } finally {
    run.stop.abort();
    await run.outcome;
  }
});

test("with -o json every line is a JSON object: addresses on stdout; content, refusals and the end on stderr", async () => {
  write(smallCatalog("kiln", ["1.0.0"]));
  const run = start({ grpc: "127.0.0.1:0", http: "127.0.0.1:0", output: "json" });
  const [, url = ""] = await says(run, /"http":"([^"]+)"/);
  const [, grpc = ""] = await says(run, /"grpc":"([^"]+)"/);
  assert.match(await (await fetch(url)).text(), /kiln\.v1\.0\.0/);
  const [, digest = ""] = await says(run, /"event":"serving","digest":"(sha256:[0-9a-f]{64})"/);
  write("---\nschema: [\n");
  const [, cause = "", remedy = ""] = await says(run, /"event":"refused","cause":("[^\n]*"),"remedy":("[^\n]*")}/);
  assert.match(cause, /catalog\.yaml:\d+/);
  run.stop.abort();
  assert.equal((await run.outcome).exitCode, 0);
  assert.deepEqual(
    run.said.map((line) => JSON.parse(line) as object),
    [
      { event: "ready", grpc, http: url },
      { event: "serving", digest, packages: 1, bundles: 1 },
      { event: "refused", cause: JSON.parse(cause) as string, remedy: JSON.parse(remedy) as string },
      { event: "stopping" },
    ].map((facts) => ({ apiVersion: "purser.dev/v1alpha1", kind: "CatalogEvent", ...facts })),
  );
  assert.deepEqual(run.printed, [
    `{"apiVersion":"purser.dev/v1alpha1","kind":"CatalogEvent","event":"ready","grpc":"${grpc}","http":"${url}"}`,
  ]);
});

test("with -o json what ends the command is a JSON object too: content that cannot be read, a port that is taken", async () => {
  const broken = join(directory, "broken-json.yaml");
  writeFileSync(broken, "---\nschema: olm.package\nname: [\n");
  write(smallCatalog("kiln", ["1.0.0"]));
  const first = start({ grpc: "none", http: "127.0.0.1:0", output: "json" });
  const [, taken = ""] = await says(first, /"http":"http:\/\/([^/]+)\//);
  for (const [run, pattern] of [
    [start({ grpc: "none", http: "127.0.0.1:0", output: "json" }, broken), /broken-json\.yaml:\d+/],
    [start({ grpc: "none", http: taken, output: "json" }), /^Cannot listen on 127\.0\.0\.1:\d+: /],
    [start({ grpc: taken, http: "none", output: "json" }), /^Cannot listen on 127\.0\.0\.1:\d+: /],
  ] as const) {
    assert.equal((await run.outcome).exitCode, 1);
    const [line = "", ...more] = run.said;
    const { event, cause, remedy } = JSON.parse(line) as Readonly<Record<string, string>>;
    assert.deepEqual([event, more], ["failed", []]);
    assert.match(cause ?? "", pattern);
    assert.notEqual(remedy, undefined);
  }
  first.stop.abort();
  await first.outcome;
});

for (const [reference, interval, pattern] of [
  ["quay.io/acme/kiln:v1", "soon", /--poll-interval: time: invalid duration "soon"/],
  ["quay.io/acme/kiln:v1", "10ms", /--poll-interval 10ms is shorter than 1s/],
  [`quay.io/acme/kiln@sha256:${"0".repeat(64)}`, "1m", /--poll-interval requires .*@sha256:0+ is not one/],
  [catalog, "1m", /--poll-interval requires the tag of an image in a registry, but .*catalog is not one/],
] as const)
  test(`--poll-interval ${interval} of ${reference.startsWith("quay") ? reference : "a directory"} is wrong usage`, async () => {
    await assert.rejects(start({ grpc: "none", "poll-interval": interval }, reference).outcome, (error: unknown) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, pattern);
      return true;
    });
  });

test("an image is served under its own name; one that cannot be had ends the command", async () => {
  write(smallCatalog("kiln", ["1.0.0", "2.0.0"]));
  const layout = join(directory, "kiln-catalog");
  mkdirSync(layout);
  writeLayout(layout, [{ labels: { [configsLabel]: "/configs" }, layers: [entriesOf(catalog, "configs")] }]);
  const run = start({ grpc: "none", http: "127.0.0.1:0" }, `oci:${layout}`);
  const [, url = ""] = await says(run, /HTTP +(http:\S+\/catalogs\/kiln-catalog\/api\/v1\/all)/);
  await says(run, /ok serving sha256:[0-9a-f]{12}: 1 package, 2 bundles/);
  assert.match(await (await fetch(url)).text(), /kiln\.v2\.0\.0/);
  run.stop.abort();
  assert.equal((await run.outcome).exitCode, 0);
  const absent = await start({ grpc: "none" }, `oci:${join(directory, "absent")}`).outcome;
  assert.equal(absent.explanation?.code, "CatalogUnavailable");
});
