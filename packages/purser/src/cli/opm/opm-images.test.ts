import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { issueAuthority, issueServing } from "@purser/kubernetes/certificate/certificate";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { smallBundle } from "../../bundle/testing/small-bundle.ts";
import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import { startLocalRegistry } from "../../image/build/testing/local-registry.ts";
import { missingTools } from "../../image/build/testing/tools-on-path.ts";
import { FaultRegistry } from "../../image/testing/fault-registry.ts";
import { type LayerFiles, testImage } from "../../image/testing/test-image.ts";
import { commands } from "../commands.ts";
import { parseArguments, runCommand } from "../program.ts";
import type { Terminal } from "../output/terminal.ts";
import { runLongOpm } from "./run-opm.ts";

const configs = { "operators.operatorframework.io.index.configs.v1": "/configs" };
const database = { "operators.operatorframework.io.index.database.v1": "/database/index.db" };
const packageLabel = { "operators.operatorframework.io.bundle.package.v1": "kiln" };
const clock = new VirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5));

let directory = "";
let registry: FaultRegistry;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), "purser-opm-images-"));
  registry = await FaultRegistry.start();
  for (const [path, text] of Object.entries(catalogFiles)) written(join("catalog", path), text);
  for (const [path, text] of Object.entries(bundleFiles)) written(join("bundle", path), text);
  const push = async (name: string, files: LayerFiles, labels: Readonly<Record<string, string>>): Promise<void> =>
    void registry.push(`acme/${name}:v1`, await testImage([files], { labels }));
  await push("catalog", below("configs/", catalogFiles), configs);
  await push("bundle", bundleFiles, packageLabel);
  await push("bare", { a: "" }, {});
  await push("other", { a: "" }, { b: "2 x", a: "1" });
  await push("sqlite", { "database/index.db": "x" }, database);
  await push("hollow", { a: "" }, configs);
});
after(async () => {
  await registry[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const catalogFiles = { "kiln/catalog.yaml": smallCatalog("kiln", ["1.0.0", "1.1.0"]) };
const bundleFiles = Object.fromEntries(
  smallBundle().files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]),
);
const below = (prefix: string, files: Readonly<Record<string, string>>): LayerFiles =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${prefix}${path}`, text]));

function written(path: string, text: string): string {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
  return join(directory, path);
}

/** Runs `opm ARGS...`; HOST, CATALOG, BUNDLE and OUT stand for the registry and directories. */
async function opm(...args: readonly string[]): Promise<OpmAnswer> {
  let stdout = "";
  let stderr = "";
  const words = args.map((arg) => arg.replace("HOST", registry.host).replace(/^(?:CATALOG|BUNDLE|OUT)$/, inDirectory));
  const answer = await runLongOpm(words, {
    clock,
    signal: new AbortController().signal,
    argv: ["opm"],
    env: { PURSER_CACHE_DIR: join(directory, "cache"), HOME: directory },
    out: (bytes) => void (stdout += Buffer.from(bytes).toString()),
    err: (text) => void (stderr += text),
  });
  assert.ok(!`${answer.stdout}${stdout}${answer.stderr}${stderr}`.includes(join(directory, "cache")));
  return { exit: answer.exit, stdout: stdout + answer.stdout, stderr: stderr + answer.stderr };
}
const inDirectory = (name: string): string => join(directory, name.toLowerCase());

const alike: readonly (readonly [onImage: readonly string[], onDirectory: readonly string[]])[] = [
  [
    ["render", "HOST/acme/catalog:v1"],
    ["render", "CATALOG"],
  ],
  [
    ["render", "docker://HOST/acme/catalog:v1", "-o", "yaml"],
    ["render", "CATALOG", "-o", "yaml"],
  ],
  [
    ["render", "HOST/acme/bundle:v1"],
    ["render", "BUNDLE", "--alpha-image-ref-template", "HOST/acme/bundle:v1"],
  ],
  [
    ["render", "HOST/acme/catalog:v1", "HOST/acme/bundle:v1", "--migrate"],
    ["render", "CATALOG", "BUNDLE", "--alpha-image-ref-template", "HOST/acme/bundle:v1", "--migrate"],
  ],
  [
    ["alpha", "list", "packages", "HOST/acme/catalog:v1"],
    ["alpha", "list", "packages", "CATALOG"],
  ],
  [
    ["alpha", "list", "bundles", "HOST/acme/catalog:v1", "kiln"],
    ["alpha", "list", "bundles", "CATALOG", "kiln"],
  ],
  [
    ["alpha", "render-graph", "HOST/acme/catalog:v1"],
    ["alpha", "render-graph", "CATALOG"],
  ],
];
for (const [onImage, onDirectory] of alike)
  for (const flag of ["--use-http", "--skip-tls-verify", "--skip-tls"])
    test(`opm ${onImage.join(" ")} ${flag} writes what it writes of the directory, byte for byte`, async () => {
      const expected = await opm(...onDirectory.map((word) => word.replace("HOST", registry.host)));
      const { exit, stdout } = await opm(...onImage, flag);
      assert.deepEqual([exit, stdout], [0, expected.stdout]);
    });

const refusals: readonly (readonly [args: readonly string[], stderr: string | RegExp])[] = [
  [["render", "HOST/acme/bare:v1"], 'REF: render "IMAGE": image type could not be determined: image has no labels\n'],
  [
    ["render", "HOST/acme/other:v1"],
    'REF: render "IMAGE": image type could not be determined, found labels\n  a=1\n  b=2 x\n',
  ],
  [
    ["render", "HOST/acme/sqlite:v1"],
    'REF: render "IMAGE": sqlite-based index images are no longer supported, migrate to a file-based catalog: not allowed\n',
  ],
  [["render", "HOST/acme/hollow:v1"], /REF: failed to unpack image "IMAGE": .*has no directory "\/configs"\n$/],
  [["render", "HOST/acme/absent:v1"], /REF: failed to pull image "IMAGE": .* 404 /],
  [
    ["render", "HOST/acme/catalog"],
    'REF: failed to pull image "IMAGE": Docker reference IMAGE is not for an unknown digest case; tag or digest is needed\n',
  ],
  [["render", "acme/catalog:v1"], 'REF: failed to pull image "IMAGE": repository name must be canonical\n'],
  [["render", "docker.io/catalog:v1"], 'REF: failed to pull image "IMAGE": repository name must be canonical\n'],
  [["render", "./catalog:v1"], 'REF: failed to pull image "IMAGE": invalid reference format\n'],
  [["alpha", "render-graph", "HOST/acme/bundle:v1"], "REF: cannot render bundle image: not allowed\n"],
  [["alpha", "list", "packages", "HOST/acme/bundle:v1"], /level=fatal msg="cannot list non-index \\"IMAGE\\""\n$/],
  [["alpha", "list", "packages", "HOST/acme/sqlite:v1"], /level=fatal msg="cannot list non-index \\"IMAGE\\""\n$/],
  [
    ["alpha", "list", "packages", "HOST/acme/bare:v1"],
    /msg="render reference \\"IMAGE\\": render \\"IMAGE\\": image type could not be determined: image has no labels"\n$/,
  ],
  [
    ["migrate", "HOST/acme/bundle:v1", "OUT"],
    /msg="render catalog image: render reference \\"IMAGE\\": cannot render bundle image: not allowed"\n$/,
  ],
  [["alpha", "bundle", "unpack", "-o", "OUT", "HOST/acme/absent:v1"], /^Error: image IMAGE cannot be pulled: .* 404 /],
  [["alpha", "bundle", "unpack", "-o", "OUT", "acme/bundle:v1"], /^Error: repository name must be canonical\nUsage/],
  [["alpha", "bundle", "validate", "-t", "HOST/acme/absent:v1"], /\nError: image IMAGE cannot be pulled: /],
  [["serve", "HOST/acme/absent:v1", "--pprof-addr", ""], /level=fatal msg="failed to pull image \\"IMAGE\\": /],
];
for (const [args, expected] of refusals)
  test(`opm ${args.join(" ")} is refused with upstream's text`, async () => {
    const { exit, stdout, stderr } = await opm(...args, "--use-http");
    const image = (args.find((word) => /[/]/.test(word)) ?? "").replace("HOST", registry.host);
    const given = stderr.replaceAll(image, "IMAGE").replaceAll('render reference "IMAGE"', "REF");
    assert.deepEqual([exit, stdout], [1, ""]);
    if (typeof expected === "string") assert.equal(given.replace(/^2026\/01\/02 03:04:05 /, ""), expected);
    else assert.match(given, expected);
    assert.equal(existsSync(inDirectory("OUT")), false);
  });

test("without --use-http nothing is asked over plain HTTP", async () => {
  const before = registry.requests.length;
  const { exit, stderr } = await opm("render", "HOST/acme/catalog:v1");
  assert.equal(exit, 1);
  assert.match(stderr, /failed to pull image .* TLS handshake/);
  assert.equal(registry.requests.length, before);
});

test("nothing is pulled for a command line that is refused", async () => {
  const before = registry.requests.length;
  for (const flags of [
    ["-o", "xml", "--use-http"],
    ["--migrate-level", "v9", "--use-http"],
    ["--use-http", "--skip-tls-verify"],
  ])
    for (const command of [["render"], ["migrate"]])
      assert.equal(
        (await opm(...command, "HOST/acme/catalog:v1", ...(command[0] === "migrate" ? ["OUT"] : []), ...flags)).exit,
        1,
      );
  assert.equal(registry.requests.length, before);
});

test("templates take bundle images and refuse everything else", async () => {
  const expand = (reference: string): Promise<OpmAnswer> => {
    const text = `schema: olm.template.basic\nentries:\n- {schema: olm.bundle, image: '${reference}'}\n`;
    return opm("alpha", "render-template", "--use-http", written("t.yaml", text));
  };
  const image = `${registry.host}/acme/bundle:v1`;
  assert.equal((await expand(image)).stdout, (await opm("render", image, "--use-http")).stdout);
  const refused = async (reference: string): Promise<string> =>
    (await expand(reference)).stderr.split("\n", 1)[0]?.replace(`render reference "${reference}"`, "REF") ?? "";
  const start = "Error: rendering template: REF: ";
  assert.equal(
    await refused(`${registry.host}/acme/catalog:v1`),
    `${start}cannot render declarative config image: not allowed`,
  );
  assert.equal(
    await refused(inDirectory("CATALOG")),
    `${start}cannot render declarative config directory: not allowed`,
  );
  assert.match(
    await refused(`${registry.host}/acme/absent:v1`),
    /^Error: rendering template: REF: failed to pull image /,
  );
  assert.equal(await refused("bundle"), `${start}failed to pull image "bundle": repository name must be canonical`);
});

test("migrate, unpack and validate write and check what the image holds", async () => {
  const [migrated, unpacked] = [join(directory, "migrated"), join(directory, "unpacked")];
  assert.equal((await opm("migrate", "HOST/acme/catalog:v1", migrated, "--use-http", "-o", "yaml")).exit, 0);
  assert.equal(
    readFileSync(join(migrated, "kiln/catalog.yaml"), "utf8"),
    (await opm("render", "CATALOG", "-o", "yaml")).stdout,
  );
  assert.equal((await opm("alpha", "bundle", "unpack", "-o", unpacked, "HOST/acme/bundle:v1", "--use-http")).exit, 0);
  for (const [path, text] of Object.entries(bundleFiles))
    assert.equal(readFileSync(join(unpacked, path), "utf8"), text, path);
  assert.equal(statSync(join(unpacked, "manifests")).mode & 0o200, 0o200);
  const valid = await opm("alpha", "bundle", "validate", "-t", "HOST/acme/bundle:v1", "--use-http");
  assert.deepEqual([valid.exit, /All validation tests have been completed/.test(valid.stderr)], [0, true]);
});

test("unpack trusts a registry's certificate by --root-ca or --skip-tls-verify, and refuses it without", async () => {
  const issuing = { now: Date.now() - 3_600_000, validityMs: 86_400_000, entropy: new SeededEntropy(7) };
  const authority = await issueAuthority({ ...issuing, commonName: "test authority" });
  const serving = await issueServing({ ...issuing, authority, hosts: ["127.0.0.1"] });
  await using secure = await FaultRegistry.start({
    tls: { cert: serving.certificatePem, key: serving.privateKeyPem },
  });
  const reference = secure.push("acme/bundle:v1", await testImage([bundleFiles], { labels: packageLabel }));
  const ca = written("ca.pem", authority.certificatePem);
  const unpack = (...flags: readonly string[]): Promise<OpmAnswer> =>
    opm("alpha", "bundle", "unpack", "-o", mkdtempSync(join(directory, "out-")), reference, ...flags);
  const refused = await unpack();
  assert.notEqual(refused.exit, 0);
  assert.match(refused.stderr, /certificate/);
  for (const flags of [["--root-ca", ca], ["--skip-tls-verify"]])
    assert.deepEqual([(await unpack(...flags)).exit, flags], [0, flags]);
});

test("unpack writes nothing of a faulty bundle unless validation is skipped", async () => {
  const files = { ...bundleFiles, "metadata/annotations.yaml": "annotations: {}\n" };
  registry.push("acme/faulty:v1", await testImage([files], { labels: packageLabel }));
  const out = join(directory, "faulty");
  const refused = await opm("alpha", "bundle", "unpack", "-o", out, "HOST/acme/faulty:v1", "--use-http");
  assert.match(refused.stderr, /^Error: bundle format validation failed: Bundle validation errors: /);
  assert.equal(existsSync(out), false);
  assert.equal((await opm("alpha", "bundle", "unpack", "-v", "-o", out, "HOST/acme/faulty:v1", "--use-http")).exit, 0);
  assert.deepEqual(readdirSync(out).toSorted(), ["manifests", "metadata"]);
});

test("serve builds the cache of a catalog image", async () => {
  const cache = join(directory, "serve-cache");
  const args = ["--cache-only", "--cache-dir", cache, "--pprof-addr", "", "-t", ""];
  const { exit, stderr } = await opm("serve", "HOST/acme/catalog:v1", ...args, "--use-http");
  assert.equal(exit, 0, stderr);
  assert.notDeepEqual(readdirSync(cache), []);
});

/** OLM's own opm: on the PATH, or where the end-to-end programs of OLM were built. */
function upstreamOpm(): string | undefined {
  const caches = join(homedir(), ".cache/purser");
  const built = existsSync(caches) ? readdirSync(caches).filter((name) => name.startsWith("upstream-e2e-")) : [];
  const directories = [...(process.env["PATH"] ?? "").split(delimiter), ...built.map((name) => join(caches, name))];
  return directories.map((path) => join(path, "opm")).find((path) => existsSync(path));
}

const program = upstreamOpm();
const skip = missingTools("docker-registry") || (program === undefined && "not here: OLM's opm is not on the PATH");

test("OLM's opm renders images that push wrote to docker-registry to the same bytes", { skip }, async () => {
  const local = await startLocalRegistry();
  try {
    const [catalog, bundle] = [`${local.host}/acme/catalog:v1`, `${local.host}/acme/bundle:v1`];
    const conf = written("registries.conf", `[[registry]]\nlocation = "${local.host}"\ninsecure = true\n`);
    const env = { CONTAINERS_REGISTRIES_CONF: conf, HOME: directory };
    const terminal = { env, progress: () => {}, paint: (_: string, text: string) => text } as unknown as Terminal;
    for (const args of [
      ["catalog", "push", inDirectory("CATALOG"), catalog],
      ["bundle", "push", inDirectory("BUNDLE"), bundle],
    ]) {
      const parsed = await parseArguments("purser", commands, args);
      assert.ok(parsed.kind === "run");
      const pushed = await runCommand(parsed, { terminal, signal: new AbortController().signal });
      assert.equal(pushed.exitCode, 0, pushed.explanation?.summary);
    }
    written(".config/containers/policy.json", '{"default":[{"type":"insecureAcceptAnything"}]}');
    for (const args of [
      ["render", catalog, "-o", "yaml"],
      ["render", catalog, bundle, "--migrate"],
      ["alpha", "list", "channels", catalog],
      ["alpha", "render-graph", catalog],
    ]) {
      const theirs = await new Promise<string>((resolve, reject) => {
        const environment = { ...process.env, HOME: directory };
        execFile(program ?? "", [...args, "--use-http"], { env: environment }, (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(stderr)),
        );
      });
      assert.equal((await opm(...args, "--use-http")).stdout, theirs, args.join(" "));
    }
  } finally {
    await local.stop();
  }
});
