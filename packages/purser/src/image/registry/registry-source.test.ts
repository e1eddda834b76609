import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { done, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { ImageProblem } from "../image-problem.ts";
import { ImageError, type ImageSource } from "../image-source.ts";
import type { Fault, FaultPosition } from "../testing/fault.ts";
import { FaultRegistry, type FaultRegistryOptions } from "../testing/fault-registry.ts";
import { PatientClock } from "../testing/patient-clock.ts";
import { type TestImage, testBlob, testImage, testIndex } from "../testing/test-image.ts";
import { parsedReference, patientLimits, sourceOptions, testConnections } from "../testing/test-source.ts";
import { registrySource, type RegistrySourceOptions } from "./registry-source.ts";

const connections = testConnections();
after(() => connections.close());
const signal = new AbortController().signal;
const image = await testImage([{ "manifests/a.yaml": "kind: A\n".repeat(500) }], { compression: "none" });

function sourceOf(reference: string, options: Partial<RegistrySourceOptions> = {}): ImageSource {
  return registrySource(parsedReference(reference), sourceOptions(reference, { connections, ...options }));
}

async function started(options?: FaultRegistryOptions): Promise<{ registry: FaultRegistry; reference: string }> {
  const registry = await FaultRegistry.start(options);
  return { registry, reference: registry.push("operators/etcd:1", image) };
}

/** Everything that a pull asks for. */
async function pull(source: ImageSource, of: TestImage = image): Promise<Result<readonly Uint8Array[], ImageProblem>> {
  const digest = await source.resolve(signal);
  if (!digest.ok) return digest;
  const manifest = await source.manifest(digest.value, signal);
  if (!manifest.ok) return manifest;
  const contents: Uint8Array[] = [manifest.value.bytes];
  for (const blob of [of.config, ...of.layers]) {
    const stream = await source.blob(blob, signal);
    if (!stream.ok) return stream;
    try {
      contents.push(await buffer(stream.value));
    } catch (error) {
      assert.ok(error instanceof ImageError, String(error));
      return { ok: false, problem: error.problem };
    }
  }
  return done(contents);
}

function problemOf(result: Result<unknown, ImageProblem>): ImageProblem {
  assert.ok(!result.ok, "succeeded");
  return result.problem;
}

const expected = [image.manifest, image.config, ...image.layers].map(({ bytes }) => Buffer.from(bytes));

test("no request of a pull ends its connection", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  await pull(sourceOf(reference));
  assert.deepEqual(
    registry.requests.map(({ method, position, headers }) => `${method} ${position}: ${headers.connection}`),
    ["GET ping", "HEAD manifest", "GET manifest", "GET blob", "GET blob"].map((line) => `${line}: keep-alive`),
  );
});

test("a tag whose manifest is read next costs one request, the digest alone a HEAD", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  const source = sourceOf(reference);
  const digest = await source.resolve(signal, { readsManifest: true });
  assert.deepEqual(digest, done(image.manifest.digest));
  assert.ok((await source.manifest(image.manifest.digest, signal)).ok);
  assert.deepEqual(await sourceOf(reference).resolve(signal), digest);
  assert.deepEqual(
    registry.requests.map(({ method, position }) => `${method} ${position}`),
    ["GET ping", "GET manifest", "HEAD manifest"],
  );
});

test("an image is read from a registry that answers HEAD with a body", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  registry.fail("manifest", { fault: { kind: "headWithBody" }, times: 1, method: "HEAD" });
  assert.deepEqual(await pull(sourceOf(reference)), done(expected));
});

test("an image is read byte for byte", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  assert.deepEqual(await pull(sourceOf(reference)), done(expected));
});

test("a reference with a digest is resolved without a request", async () => {
  const { registry } = await started();
  await using _ = registry;
  const source = sourceOf(`${registry.host}/operators/etcd@${image.manifest.digest}`);
  assert.deepEqual(await source.resolve(signal), done(image.manifest.digest));
  assert.deepEqual(registry.requests, []);
});

test("a sibling is another tag of the same repository, asked at the same places with the same credentials", async () => {
  const { registry, reference } = await started({ auth: { kind: "basic", username: "jane", password: "secret" } });
  await using _ = registry;
  const other = await testImage([{ "manifests/b.yaml": "kind: B\n" }]);
  registry.push("operators/etcd:sha256-0.sig", other);
  const auth = { path: registry.host, username: "jane", password: "secret" };
  const credentials: RegistrySourceOptions["credentials"] = () => Promise.resolve(done(auth));
  const { digest } = image.manifest;
  for (const name of [reference, `${registry.host}/operators/etcd@${digest}`, `${reference}@${digest}`]) {
    const sibling = sourceOf(name, { credentials }).sibling?.("sha256-0.sig");
    assert.equal(sibling?.reference, `${registry.host}/operators/etcd:sha256-0.sig`);
    assert.deepEqual(await sibling.resolve(signal), done(other.manifest.digest));
    const absent = await sibling.sibling?.("none").resolve(signal);
    assert.ok(absent !== undefined);
    assert.equal(problemOf(absent).kind, "notFound");
  }
});

test("what refers to an image is listed by a registry with that API, with the same credentials", async () => {
  const { registry, reference } = await started({ auth: { kind: "token", username: "ann", password: "pw" } });
  await using _ = registry;
  const index = Buffer.from(`{"manifests":[]}`);
  registry.putReferrers("operators/etcd", image.manifest.digest, index);
  const auth = { path: registry.host, username: "ann", password: "pw" };
  const source = sourceOf(reference, { credentials: () => Promise.resolve(done(auth)) });
  assert.deepEqual(await source.sibling?.("x").referrers?.(image.manifest.digest, signal), done(index));
});

for (const status of [404, 405, 400, 401, 403, 429, 500] as const)
  test(`an answer of ${status} to the referrers API is ${status === 404 || status === 405 || status === 400 ? "a registry without it" : "a problem"}`, async () => {
    const { registry, reference } = await started();
    await using _ = registry;
    registry.putReferrers("operators/etcd", image.manifest.digest, Buffer.from("{}"));
    registry.fail("manifest", { fault: { kind: "status", status } });
    const listed = await sourceOf(reference).referrers?.(image.manifest.digest, signal);
    assert.ok(listed !== undefined);
    if ([404, 405, 400].includes(status)) assert.deepEqual(listed, done(undefined));
    else assert.equal(problemOf(listed).httpStatus, status);
  });

const passing: readonly { readonly name: string; readonly fault: Fault }[] = [
  { name: "503", fault: { kind: "status", status: 503 } },
  { name: "500", fault: { kind: "status", status: 500 } },
  { name: "429", fault: { kind: "status", status: 429 } },
  { name: "a reset", fault: { kind: "reset", afterBytes: 0 } },
];
for (const position of ["ping", "token", "manifest", "blob"] as const)
  for (const { name, fault } of passing)
    test(`${name} at the ${position} is sent again, and the image arrives`, async () => {
      const { registry, reference } = await started({ auth: { kind: "token" } });
      await using _ = registry;
      registry.fail(position, { fault, times: 2, ...(position === "manifest" && { method: "GET" }) });
      assert.deepEqual(await pull(sourceOf(reference)), done(expected));
    });

const lasting: readonly {
  readonly fault: Fault;
  readonly kind: ImageProblem["kind"];
  readonly status?: number;
  readonly positions?: readonly FaultPosition[];
}[] = [
  { fault: { kind: "status", status: 401 }, kind: "unauthorized", status: 401 },
  { fault: { kind: "status", status: 403 }, kind: "unauthorized", status: 403 },
  { fault: { kind: "status", status: 404 }, kind: "notFound", status: 404, positions: ["manifest", "blob"] },
  { fault: { kind: "status", status: 404 }, kind: "invalid", status: 404, positions: ["ping", "token"] },
  { fault: { kind: "status", status: 429 }, kind: "unreachable", status: 429 },
  { fault: { kind: "status", status: 500 }, kind: "unreachable", status: 500 },
  { fault: { kind: "status", status: 503 }, kind: "unreachable", status: 503 },
  { fault: { kind: "redirectLoop" }, kind: "invalid", status: 307 },
  { fault: { kind: "html" }, kind: "invalid", positions: ["token", "manifest", "blob"] },
  { fault: { kind: "wrongContent" }, kind: "invalid", positions: ["manifest", "blob"] },
  { fault: { kind: "truncated" }, kind: "invalid", positions: ["token", "manifest", "blob"] },
  { fault: { kind: "endlessChunks" }, kind: "limit", positions: ["token", "manifest"] },
  { fault: { kind: "endlessChunks" }, kind: "invalid", positions: ["blob"] },
  { fault: { kind: "huge", bytes: 100_000_000 }, kind: "limit", positions: ["token", "manifest"] },
  { fault: { kind: "huge", bytes: 100_000_000 }, kind: "invalid", positions: ["blob"] },
  { fault: { kind: "reset", afterBytes: 10 }, kind: "unreachable", positions: ["token", "manifest", "blob"] },
];
const everywhere: readonly FaultPosition[] = ["ping", "token", "manifest", "blob"];
for (const { fault, kind, status, positions = everywhere } of lasting)
  for (const position of positions) {
    if (position === "ping" && status === 401) continue;
    test(`${describe(fault)} at every ${position} is "${kind}"`, async () => {
      const { registry, reference } = await started({ auth: { kind: "token" } });
      await using _ = registry;
      registry.fail(position, { fault });
      const problem = problemOf(await pull(sourceOf(reference)));
      assert.equal(problem.kind, kind, problem.cause);
      if (status !== undefined) assert.equal(problem.httpStatus, status);
      assert.equal(problem.reference, reference);
      assert.match(problem.cause, new RegExp(registry.host));
    });
  }

function describe(fault: Fault): string {
  return fault.kind === "status" ? String(fault.status) : fault.kind;
}

test("a problem names reference, host, request and the registry's code", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  const missing = reference.replace(":1", ":2");
  const { cause, remedy } = problemOf(await pull(sourceOf(missing)));
  assert.equal(
    cause,
    `image ${missing} cannot be pulled: ${registry.host} answered 404 to HEAD /v2/operators/etcd/manifests/2`,
  );
  assert.equal(remedy, "check registry, repository, and tag or digest");
});

test("a web page in place of a manifest is named with the status it came with", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  registry.fail("manifest", { fault: { kind: "html" } });
  assert.equal(
    problemOf(await pull(sourceOf(reference))).cause,
    `image ${reference} cannot be pulled: ${registry.host} answered 200 to a request for manifest ${image.manifest.digest}, but the content is a web page, not a manifest`,
  );
});

test("a blob that breaks off is resumed where it broke, by ranges", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  registry.fail("blob", { fault: { kind: "reset", afterBytes: 1000 }, times: 2 });
  const source = sourceOf(reference);
  const stream = await source.blob(image.layers[0]!, signal);
  assert.ok(stream.ok);
  assert.deepEqual(await buffer(stream.value), expected[2]);
  const ranges = registry.requests.filter(({ position }) => position === "blob").map(({ headers }) => headers.range);
  assert.deepEqual(ranges, [undefined, "bytes=1000-", "bytes=2000-"]);
});

for (const kind of ["ignoresRange", "unnamedRange", "wrongRange", "laterRange"] as const)
  test(`a blob that breaks off is complete at a registry that ${kind}`, async () => {
    const { registry, reference } = await started();
    await using _ = registry;
    registry.fail("blob", { fault: { kind: "reset", afterBytes: 1000 }, times: 1, withRange: false });
    registry.fail("blob", { fault: { kind }, withRange: true });
    const stream = await sourceOf(reference).blob(image.layers[0]!, signal);
    assert.ok(stream.ok);
    assert.deepEqual(await buffer(stream.value), expected[2]);
  });

test("Retry-After in seconds is waited for", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  registry.fail("manifest", { fault: { kind: "status", status: 429, headers: { "Retry-After": "7" } }, times: 1 });
  const clock = new PatientClock(10 ** 9);
  assert.ok((await sourceOf(reference, { clock }).resolve(signal)).ok);
  assert.deepEqual(clock.pauses, [7000]);
});

test("a registry that asks for a long pause is not waited for, and the problem says how long it wants", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  registry.fail("manifest", { fault: { kind: "status", status: 429, headers: { "Retry-After": "600" } } });
  const clock = new PatientClock(10 ** 9);
  const problem = problemOf(await sourceOf(reference, { clock }).resolve(signal));
  assert.equal(problem.retryAfterMs, 600_000);
  assert.deepEqual(clock.pauses, []);
});

test("without Docker-Content-Digest, and without HEAD, the digest is that of the manifest", async () => {
  for (const fault of [{ kind: "noDigestHeader" }, { kind: "status", status: 405 }] as const) {
    const { registry, reference } = await started();
    await using _ = registry;
    registry.fail("manifest", { fault, method: "HEAD" });
    assert.deepEqual(await sourceOf(reference).resolve(signal), done(image.manifest.digest));
  }
});

for (const [position, what] of [
  ["manifest", "of manifest"],
  ["token", "of a token"],
  ["blob", "too slowly"],
] as const)
  test(`a registry that sends one byte at a time as ${position} ends with a clear problem`, async () => {
    const { registry, reference } = await started({ auth: { kind: "token" } });
    await using _ = registry;
    registry.fail(position, { fault: { kind: "trickle", everyMs: 20 } });
    // Far fewer bytes than wanted can arrive in the window, on a fast machine and on a slow one.
    const limits = { ...patientLimits, bodyMs: 150, blobWindowMs: 150, blobWindowBytes: 1000 };
    const retry = { tries: 2, firstDelayMs: 1, longestDelayMs: 1, longestRetryAfterMs: 1, totalMs: 10 ** 6 };
    const problem = problemOf(await pull(sourceOf(reference, { clock: systemClock, limits, retry })));
    assert.equal(problem.kind, "unreachable");
    assert.match(problem.cause, new RegExp(what));
  });

test("a registry that never answers ends with a clear problem", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  registry.fail("ping", { fault: { kind: "silent" } });
  const limits = { ...patientLimits, answerMs: 200 };
  const retry = { tries: 1, firstDelayMs: 1, longestDelayMs: 1, longestRetryAfterMs: 1, totalMs: 10 ** 6 };
  const { cause } = problemOf(await sourceOf(reference, { clock: systemClock, limits, retry }).resolve(signal));
  assert.match(cause, /sent no answer within 0\.2 s/);
});

const mixed: readonly { readonly name: string; readonly body: unknown; readonly says: RegExp }[] = [
  {
    name: "an image that is an index too",
    body: { config: {}, manifests: [] },
    says: /an image and an index at the same time/,
  },
  { name: "a list", body: [], says: /not a JSON object/ },
  { name: "schema 1", body: { schemaVersion: 1 }, says: /schema 1/ },
  {
    name: "an index with the media type of an image",
    body: { mediaType: "application/vnd.oci.image.manifest.v1+json", manifests: [] },
    says: /has the media type application\/vnd.oci.image.manifest.v1\+json and other content/,
  },
];
for (const { name, body, says } of mixed)
  test(`a manifest that is ${name} is refused`, async () => {
    const { registry } = await started();
    await using _ = registry;
    const blob = testBlob("application/vnd.oci.image.index.v1+json", JSON.stringify(body));
    registry.putManifest("a", "1", { ...blob, mediaType: "application/json" });
    const problem = problemOf(await sourceOf(`${registry.host}/a:1`).manifest(blob.digest, signal));
    assert.equal(problem.kind, "invalid");
    assert.match(problem.cause, says);
  });

test("a manifest that was sent under another media type than its own is refused", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  registry.fail("manifest", { fault: { kind: "contentType", contentType: "application/vnd.oci.image.index.v1+json" } });
  const problem = problemOf(await sourceOf(reference).manifest(image.manifest.digest, signal));
  assert.match(problem.cause, /says application\/vnd.oci.image.manifest.v1\+json and was sent as/);
});

test("a manifest that is not the one that was asked for is refused", async () => {
  const { registry } = await started();
  await using _ = registry;
  const other = await testImage([{ "b.yaml": "b" }]);
  // Its header names the digest of what it sends.
  registry.putManifestAs("a", image.manifest.digest, other.manifest);
  const problem = problemOf(await sourceOf(`${registry.host}/a:1`).manifest(image.manifest.digest, signal));
  assert.equal(problem.kind, "invalid");
  assert.match(problem.cause, /sent content of digest sha256:[0-9a-f]+ as manifest sha256:[0-9a-f]+$/);
});

test("a tag whose manifest is not the one that its header names is refused", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  const other = await testImage([{ "b.yaml": "b" }]);
  const { mediaType, bytes } = other.manifest;
  registry.fail("manifest", { fault: { kind: "noDigestHeader" }, method: "HEAD" });
  const fault = { kind: "body", contentType: mediaType, body: Buffer.from(bytes).toString() } as const;
  registry.fail("manifest", { fault, method: "GET" });
  assert.match(problemOf(await sourceOf(reference).resolve(signal)).cause, /sent content of digest/);
});

test("an index that names itself is refused", async () => {
  const { registry } = await started();
  await using _ = registry;
  const digest = image.manifest.digest;
  const index = testIndex([{ blob: { ...image.manifest, digest } }]);
  registry.putManifestAs("a", digest, index);
  const problem = problemOf(await sourceOf(`${registry.host}/a@${digest}`).manifest(digest, signal));
  assert.equal(problem.kind, "invalid");
});

test("an index is returned with its media type", async () => {
  const { registry } = await started();
  await using _ = registry;
  const index = testIndex([{ blob: image.manifest, platform: { os: "linux", architecture: "amd64" } }], "docker");
  registry.putManifest("a", "1", index);
  const manifest = await sourceOf(`${registry.host}/a:1`).manifest(index.digest, signal);
  assert.ok(manifest.ok);
  assert.equal(manifest.value.mediaType, "application/vnd.docker.distribution.manifest.list.v2+json");
});

test("abort of the signal rejects, and is not a problem of the registry", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  registry.fail("blob", { fault: { kind: "trickle", everyMs: 5 } });
  const control = new AbortController();
  const stream = await sourceOf(reference).blob(image.layers[0]!, control.signal);
  assert.ok(stream.ok);
  const reading = buffer(stream.value);
  control.abort(new Error("enough"));
  await assert.rejects(reading, /enough/);
});
