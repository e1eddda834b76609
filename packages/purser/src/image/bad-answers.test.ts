import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { done } from "@purser/kubernetes/result";
import { createImages } from "./create-images.ts";
import type { ImageProblem } from "./image-problem.ts";
import type { Images } from "./images.ts";
import { registrySource } from "./registry/registry-source.ts";
import { removeTree } from "./store/remove-tree.ts";
import type { Fault, FaultPosition } from "./testing/fault.ts";
import { FaultRegistry } from "./testing/fault-registry.ts";
import { configsLabel } from "./testing/layout-images.ts";
import { testImage, testIndex } from "./testing/test-image.ts";
import { parsedReference, sourceOptions, testConnections } from "./testing/test-source.ts";

const { signal } = new AbortController();
const image = await testImage([{ "configs/a.yaml": "schema: olm.package\n".repeat(100) }], {
  labels: { [configsLabel]: "/configs" },
  compression: "none",
});
const index = testIndex([{ blob: image.manifest, platform: { os: "linux", architecture: "amd64" } }]);
const [layer] = image.layers;
assert.ok(layer !== undefined);

/** Every request of a pull of an image behind an index. */
const requests = {
  token: { position: "token" },
  index: { position: "manifest", name: "v1" },
  "manifest of the platform": { position: "manifest", name: image.manifest.digest },
  configuration: { position: "blob", name: image.config.digest },
  layer: { position: "blob", name: layer.digest },
} as const satisfies Readonly<Record<string, { readonly position: FaultPosition; readonly name?: string }>>;

let registry: FaultRegistry;
let images: Images;
let directory = "";
const connections = testConnections();
before(async () => {
  registry = await FaultRegistry.start({ auth: { kind: "token" } });
  registry.push("acme/catalog:v0", image);
  registry.putManifest("acme/catalog", "v1", index);
  directory = mkdtempSync(join(tmpdir(), "purser-bad-answers-"));
  images = createImages({
    directory,
    clock: systemClock,
    architecture: "amd64",
    openSource: ({ reference }) =>
      done(registrySource(parsedReference(reference), sourceOptions(reference, { connections }))),
  });
});
beforeEach(() => registry.heal());
after(async () => {
  await images.close();
  await connections.close();
  await registry[Symbol.asyncDispose]();
  await removeTree(directory);
});

/** The problem of the pull, with names in place of host and digests. */
async function problemOf(): Promise<ImageProblem> {
  const reference = `${registry.host}/acme/catalog:v1`;
  const pulled = await images.pull({ reference, wanted: "catalog", credentials: [], policy: [] }, { signal });
  assert.ok(!pulled.ok, "pulled");
  const names = new Map<string, string>([
    [index.digest, "INDEX"],
    [image.manifest.digest, "MANIFEST"],
    [image.config.digest, "CONFIG"],
    [layer?.digest ?? "", "LAYER"],
    [registry.host, "HOST"],
  ]);
  let cause = pulled.problem.cause;
  for (const [found, name] of names) cause = cause.replaceAll(found, name);
  return { ...pulled.problem, cause: cause.replaceAll(/sha256:[0-9a-f]{64}/g, "OTHER") };
}

type Request = keyof typeof requests;
const ofRegistry =
  "check that HOST is a registry, that no proxy changes its answers, and that the image was pushed completely";
const paths = {
  token: "a request for a token",
  index: "HEAD /v2/acme/catalog/manifests/v1",
  "manifest of the platform": "GET /v2/acme/catalog/manifests/MANIFEST",
  configuration: "GET /v2/acme/catalog/blobs/CONFIG",
  layer: "GET /v2/acme/catalog/blobs/LAYER",
} as const satisfies Readonly<Record<Request, string>>;
/** The same answer to every request; the registry's code does not come with the answer to HEAD. */
const answered = (status: number, code: string): Readonly<Record<Request, string>> => {
  const text = (request: Request): string =>
    `HOST answered ${status}${request === "index" ? "" : ` (${code})`} to ${paths[request]}`;
  return {
    token: text("token"),
    index: text("index"),
    "manifest of the platform": text("manifest of the platform"),
    configuration: text("configuration"),
    layer: text("layer"),
  };
};

interface Row {
  readonly fault: Fault;
  readonly kind: ImageProblem["kind"];
  readonly status?: number;
  readonly says: Readonly<Partial<Record<Request, string>>>;
  readonly remedy: string;
}
const noCredentials = "no credentials for HOST were found: provide some in a pull secret or an auth file";
const rows: readonly Row[] = [
  {
    fault: { kind: "status", status: 401 },
    kind: "unauthorized",
    status: 401,
    says: answered(401, "UNAUTHORIZED"),
    remedy: noCredentials,
  },
  {
    fault: { kind: "status", status: 403 },
    kind: "unauthorized",
    status: 403,
    says: answered(403, "DENIED"),
    remedy: noCredentials,
  },
  ...(
    [
      ["notFound", "check registry, repository, and tag or digest", ["index", "manifest of the platform"]],
      ["notFound", "push the image to HOST again: a part of it is missing there", ["configuration", "layer"]],
      [
        "invalid",
        "check the registry: it names HOST as its token server, which does not issue tokens at this address",
        ["token"],
      ],
    ] as const
  ).map(([kind, remedy, at]): Row => ({
    fault: { kind: "status", status: 404 },
    kind,
    status: 404,
    says: Object.fromEntries(at.map((request) => [request, answered(404, "NOT_FOUND")[request]])),
    remedy,
  })),
  {
    fault: { kind: "status", status: 429 },
    kind: "unreachable",
    status: 429,
    says: answered(429, "TOOMANYREQUESTS"),
    remedy: "wait, or provide credentials for HOST with a higher rate limit",
  },
  {
    fault: { kind: "status", status: 500 },
    kind: "unreachable",
    status: 500,
    says: answered(500, "UNKNOWN"),
    remedy: "check the state of HOST",
  },
  {
    fault: { kind: "status", status: 503 },
    kind: "unreachable",
    status: 503,
    says: answered(503, "UNKNOWN"),
    remedy: "check the state of HOST",
  },
  {
    fault: { kind: "html" },
    kind: "invalid",
    status: 200,
    says: {
      token: "HOST answered a request for a token with a web page",
      "manifest of the platform":
        "HOST answered 200 to a request for manifest MANIFEST, but the content is a web page, not a manifest",
      configuration: "HOST answered 200 to a request for blob CONFIG, but the content is a web page",
      layer: "HOST answered 200 to a request for blob LAYER, but the content is a web page",
    },
    remedy: ofRegistry,
  },
  {
    fault: { kind: "body", contentType: "text/html; charset=utf-8", body: " ".repeat(10_000) },
    kind: "invalid",
    status: 200,
    says: {
      configuration: "HOST answered 200 to a request for blob CONFIG, but the content is a web page",
      layer: "HOST answered 200 to a request for blob LAYER, but the content is a web page",
    },
    remedy: ofRegistry,
  },
  {
    fault: { kind: "redirectLoop" },
    kind: "invalid",
    status: 307,
    says: {
      token: "HOST redirects GET /token more than 10 times",
      index: "HOST redirects HEAD /v2/acme/catalog/manifests/v1 more than 10 times",
      "manifest of the platform": "HOST redirects GET /v2/acme/catalog/manifests/MANIFEST more than 10 times",
      configuration: "HOST redirects GET /v2/acme/catalog/blobs/CONFIG more than 10 times",
      layer: "HOST redirects GET /v2/acme/catalog/blobs/LAYER more than 10 times",
    },
    remedy: ofRegistry,
  },
  ...([{ kind: "endlessChunks" }, { kind: "huge", bytes: 100_000_000 }] as const).map((fault): Row => ({
    fault,
    kind: "limit",
    status: 200,
    says: {
      token: "HOST sends more than 1048576 bytes as a token",
      "manifest of the platform": "HOST sends more than 4194304 bytes as manifest MANIFEST",
    },
    remedy: ofRegistry,
  })),
  {
    fault: { kind: "endlessChunks" },
    kind: "invalid",
    status: 200,
    says: {
      configuration: `HOST sends more than the ${image.config.size} bytes of blob CONFIG`,
      layer: `HOST sends more than the ${layer.size} bytes of blob LAYER`,
    },
    remedy: ofRegistry,
  },
  {
    fault: { kind: "huge", bytes: 100_000_000 },
    kind: "invalid",
    status: 200,
    says: {
      configuration: `HOST holds a blob of 100000000 bytes where the manifest says ${image.config.size}`,
      layer: `HOST holds a blob of 100000000 bytes where the manifest says ${layer.size}`,
    },
    remedy: ofRegistry,
  },
  {
    fault: { kind: "wrongContent" },
    kind: "invalid",
    status: 200,
    says: {
      token: "HOST answered a request for a token with an answer that is not a JSON token",
      "manifest of the platform": "HOST answered 200 to a request for manifest MANIFEST, but the content is not JSON",
      configuration: "HOST sent content of digest OTHER as blob CONFIG",
      layer: "HOST sent content of digest OTHER as blob LAYER",
    },
    remedy: ofRegistry,
  },
  {
    fault: { kind: "truncated" },
    kind: "invalid",
    status: 200,
    says: {
      token: "HOST answered a request for a token with an answer that is not a JSON token",
      "manifest of the platform": "HOST answered 200 to a request for manifest MANIFEST, but the content is not JSON",
      configuration: `HOST holds a blob of ${image.config.size / 2} bytes where the manifest says ${image.config.size}`,
      layer: `HOST holds a blob of ${layer.size / 2} bytes where the manifest says ${layer.size}`,
    },
    remedy: ofRegistry,
  },
  {
    fault: { kind: "reset", afterBytes: 10 },
    kind: "unreachable",
    says: {
      token: "the connection to HOST failed (ECONNRESET)",
      index: "the connection to HOST failed (ECONNRESET)",
      "manifest of the platform": "the connection to HOST failed (ECONNRESET)",
      configuration: "the connection to HOST failed (ECONNRESET)",
      layer: "the connection to HOST failed (ECONNRESET)",
    },
    remedy: "check the state of HOST, the network path and the proxy settings",
  },
];
for (const { fault, kind, status, says, remedy } of rows)
  for (const [request, text] of Object.entries(says)) {
    const shown = fault.kind === "status" ? String(fault.status) : fault.kind;
    test(`${shown} at the ${request}: ${text}`, async () => {
      const where: { readonly position: FaultPosition; readonly name?: string } = requests[request as Request];
      const { position, name } = where;
      registry.fail(position, { fault, ...(name === undefined ? {} : { name }) });
      const problem = await problemOf();
      assert.deepEqual(
        {
          kind: problem.kind,
          status: problem.httpStatus,
          cause: problem.cause,
          remedy: problem.remedy.replace(registry.host, "HOST"),
        },
        { kind, status, cause: `image HOST/acme/catalog:v1 cannot be pulled: ${text}`, remedy },
      );
      const store = join(directory, "images");
      assert.deepEqual(existsSync(store) ? readdirSync(store) : [], []);
    });
  }

test("a web page in place of a blob is not asked for again", async () => {
  registry.fail("blob", { fault: { kind: "html" }, name: image.config.digest });
  registry.requests.length = 0;
  await problemOf();
  const asked = registry.requests.filter(({ path }) => path.endsWith(image.config.digest));
  assert.equal(asked.length, 1);
});

test("an image arrives once the registry is as it should be", async () => {
  const reference = `${registry.host}/acme/catalog:v1`;
  const pulled = await images.pull({ reference, wanted: "catalog", credentials: [], policy: [] }, { signal });
  assert.ok(pulled.ok, JSON.stringify(pulled));
  assert.deepEqual(readdirSync(pulled.value.directory), ["a.yaml"]);
});
