import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { issueAuthority, issueClient, issueServing } from "@purser/kubernetes/certificate/certificate";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { done, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { ImageProblem } from "../image-problem.ts";
import { fromAnyPlace, ImageError, type ImageSource } from "../image-source.ts";
import { FaultRegistry, type FaultRegistryOptions } from "../testing/fault-registry.ts";
import { PatientClock } from "../testing/patient-clock.ts";
import { sha256, testImage } from "../testing/test-image.ts";
import { patientLimits } from "../testing/test-source.ts";
import { createRegistries, type RegistriesOptions } from "./registries.ts";

const root = mkdtempSync(join(tmpdir(), "registries-test-"));
after(() => rmSync(root, { recursive: true }));
const signal = new AbortController().signal;
const image = await testImage([{ "a.yaml": "a" }]);
const other = await testImage([{ "a.yaml": "b" }]);
const entropy = new SeededEntropy(7);
const issuing = { now: Date.now() - 3_600_000, validityMs: 86_400_000, entropy };
const authority = await issueAuthority({ ...issuing, commonName: "test authority" });
const stranger = await issueAuthority({ ...issuing, commonName: "another authority" });
const serving = await issueServing({ ...issuing, authority, hosts: ["127.0.0.1", "localhost"] });
const client = await issueClient({ ...issuing, authority, commonName: "ann", organizations: [] });
const tls = { cert: serving.certificatePem, key: serving.privateKeyPem };

let worlds = 0;
/** A home directory and an `etc` of their own. */
class World {
  readonly directory = join(root, String(worlds++));

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.directory, name)), { recursive: true });
      writeFileSync(join(this.directory, name), text);
    }
  }

  registries(options: Partial<RegistriesOptions> = {}): ReturnType<typeof createRegistries> {
    const registries = createRegistries({
      clock: new PatientClock(10 ** 9),
      entropy,
      limits: patientLimits,
      systemDirectory: join(this.directory, "etc"),
      ...options,
      environment: {
        HOME: join(this.directory, "home"),
        XDG_RUNTIME_DIR: join(this.directory, "run"),
        ...options.environment,
      },
    });
    after(() => registries.close());
    return registries;
  }

  open(reference: string, options?: Partial<RegistriesOptions>): ImageSource {
    const source = this.registries(options).open({ reference, credentials: [] });
    assert.ok(source.ok, JSON.stringify(source));
    return source.value;
  }
}

async function started(
  options?: FaultRegistryOptions,
  of = image,
): Promise<{ registry: FaultRegistry; reference: string }> {
  const registry = await FaultRegistry.start(options);
  return { registry, reference: registry.push("operators/etcd:1", of) };
}

function problemOf(result: Result<unknown, ImageProblem>): ImageProblem {
  assert.ok(!result.ok, "succeeded");
  return result.problem;
}

const references: readonly { readonly text: string; readonly says: string }[] = [
  { text: "etcd:1", says: 'image "etcd:1" names no registry' },
  { text: "operators/etcd:1", says: 'image "operators/etcd:1" names no registry' },
  { text: "quay.io/operators/etcd", says: 'image "quay.io/operators/etcd" has neither tag nor digest' },
  {
    text: "quay.io/Operators/etcd:1",
    says: 'image "quay.io/Operators/etcd:1" has no valid reference: invalid reference format: repository name must be lowercase',
  },
  { text: "", says: 'image "" has no valid reference: invalid reference format' },
];
for (const { text, says } of references)
  test(`reference "${text}" is refused for good`, () => {
    const problem = problemOf(new World().registries().open({ reference: text, credentials: [] }));
    assert.equal(problem.cause, says);
    assert.equal(problem.kind, "reference");
    assert.equal(problem.isFinal, true);
  });

test("docker:// may stand before a reference", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  const source = new World().open(`docker://${reference}`, { useHttp: true });
  assert.deepEqual(await source.resolve(signal), done(image.manifest.digest));
});

test("plain HTTP is refused unless it is allowed", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  const world = new World();
  const problem = problemOf(await world.open(reference).resolve(signal));
  assert.match(problem.cause, /the TLS handshake with .* failed/);
  assert.equal(registry.requests.length, 0);
  world.write({ "etc/containers/registries.conf": `[[registry]]\nlocation = "${registry.host}"\ninsecure = true` });
  assert.ok((await world.open(reference).resolve(signal)).ok);
});

test("registries.conf is read anew for each image", async () => {
  const { registry, reference } = await started();
  await using _ = registry;
  const world = new World();
  const registries = world.registries({ useHttp: true });
  const resolve = async (): Promise<Result<unknown, ImageProblem>> => {
    const source = registries.open({ reference, credentials: [] });
    return source.ok ? source.value.resolve(signal) : source;
  };
  assert.ok((await resolve()).ok);
  world.write({ "etc/containers/registries.conf": `[[registry]]\nlocation = "${registry.host}"\nblocked = true` });
  const problem = problemOf(await resolve());
  assert.equal(problem.kind, "configuration");
  assert.match(problem.cause, /comes from a blocked registry/);
  world.write({ "etc/containers/registries.conf": "[[registry]]\n" });
  assert.match(problemOf(await resolve()).cause, /registries\.conf:1: a registry needs a location or a prefix/);
  world.write({ "etc/containers/registries.conf": "" });
  assert.ok((await resolve()).ok);
});

/** A mirror and the registry itself, the first under the name of the second. */
async function mirrored(use = "all") {
  const { registry: mirror } = await started();
  const { registry, reference } = await started();
  const world = new World();
  world.write({
    "etc/containers/registries.conf": `
[[registry]]
location = "${registry.host}"
insecure = true
[[registry.mirror]]
location = "${mirror.host}"
insecure = true
pull-from-mirror = "${use}"`,
  });
  return { mirror, registry, reference, world };
}

test("a mirror is asked first, and the registry not at all", async () => {
  const { mirror, registry, reference, world } = await mirrored();
  await using _ = mirror;
  await using __ = registry;
  const source = world.open(reference);
  assert.ok((await source.resolve(signal)).ok);
  assert.ok((await source.manifest(image.manifest.digest, signal)).ok);
  assert.equal(registry.requests.length, 0);
});

for (const status of [401, 403, 404, 429, 500])
  test(`a mirror that answers ${status} gives way to the registry`, async () => {
    const { mirror, registry, reference, world } = await mirrored();
    await using _ = mirror;
    await using __ = registry;
    mirror.fail("manifest", { fault: { kind: "status", status } });
    assert.deepEqual(await world.open(reference).resolve(signal), done(image.manifest.digest));
  });

test("a mirror that lacks a layer gives way to the registry for it", async () => {
  const { mirror, registry, reference, world } = await mirrored();
  await using _ = mirror;
  await using __ = registry;
  mirror.fail("blob", { fault: { kind: "status", status: 404 } });
  const source = world.open(reference);
  await source.resolve(signal);
  const stream = await source.blob(image.config, signal);
  assert.ok(stream.ok);
  assert.deepEqual(await buffer(stream.value), Buffer.from(image.config.bytes));
});

test("a blob that breaks off at a mirror is completed by the registry", async () => {
  const { mirror, registry, reference, world } = await mirrored();
  await using _ = mirror;
  await using __ = registry;
  mirror.fail("blob", { fault: { kind: "reset", afterBytes: 10 } });
  const stream = await world.open(reference).blob(image.config, signal);
  assert.ok(stream.ok);
  assert.deepEqual(await buffer(stream.value), Buffer.from(image.config.bytes));
  const [request] = registry.requests.filter(({ position }) => position === "blob");
  // Four tries at the mirror brought ten bytes each.
  assert.equal(request?.headers.range, "bytes=40-");
});

test("the place that answered is asked first for the rest of the image", async () => {
  const { mirror, registry, reference, world } = await mirrored();
  await using _ = mirror;
  await using __ = registry;
  mirror.fail("manifest", { fault: { kind: "status", status: 404 } });
  const source = world.open(reference);
  assert.ok((await source.resolve(signal)).ok);
  const before = mirror.requests.length;
  assert.ok((await source.manifest(image.manifest.digest, signal)).ok);
  assert.equal(mirror.requests.length, before);
});

test("a mirror with wrong content gives way to the registry", async () => {
  const { mirror, registry, reference, world } = await mirrored();
  await using _ = mirror;
  await using __ = registry;
  mirror.fail("manifest", { fault: { kind: "wrongContent" }, method: "GET" });
  assert.ok((await world.open(reference).manifest(image.manifest.digest, signal)).ok);
});

/** The bytes, read as everybody reads blobs who has nothing to lose but the begun ones. */
async function blobOf(source: ImageSource): Promise<Result<Buffer, ImageProblem>> {
  try {
    return await fromAnyPlace(async () => {
      const stream = await source.blob(image.config, signal);
      return stream.ok ? done(await buffer(stream.value)) : stream;
    });
  } catch (error) {
    if (error instanceof ImageError) return { ok: false, problem: error.problem };
    throw error;
  }
}

const lying = Buffer.from(image.config.bytes).fill(32);

test("a blob with a wrong digest at a mirror is asked of the registry, and the mirror is not asked again", async () => {
  const { mirror, registry, reference, world } = await mirrored();
  await using _ = mirror;
  await using __ = registry;
  mirror.fail("blob", { fault: { kind: "wrongContent" } });
  const source = world.open(reference);
  assert.deepEqual(await blobOf(source), done(Buffer.from(image.config.bytes)));
  assert.deepEqual(await blobOf(source), done(Buffer.from(image.config.bytes)));
  const asked = ({ requests }: FaultRegistry): number => requests.filter(({ position }) => position === "blob").length;
  assert.deepEqual([asked(mirror), asked(registry)], [1, 2]);
});

test("a blob that is truncated at a mirror is completed by the registry", async () => {
  const { mirror, registry, reference, world } = await mirrored();
  await using _ = mirror;
  await using __ = registry;
  mirror.fail("blob", { fault: { kind: "truncated" } });
  assert.deepEqual(await blobOf(world.open(reference)), done(Buffer.from(image.config.bytes)));
});

test("wrong bytes of a mirror that broke off are not mixed with those of the registry", async () => {
  const { mirror, registry, reference, world } = await mirrored();
  await using _ = mirror;
  await using __ = registry;
  mirror.putBlob({ ...image.config, bytes: lying });
  mirror.fail("blob", { fault: { kind: "reset", afterBytes: 10 } });
  assert.deepEqual(await blobOf(world.open(reference)), done(Buffer.from(image.config.bytes)));
});

for (const [what, spoil, answer] of [
  [
    "wrong too",
    (registry: FaultRegistry) => registry.putBlob({ ...image.config, bytes: lying }),
    (host: string) => `${host} sent content of digest ${sha256(lying)} as blob ${image.config.digest}`,
  ],
  [
    "absent",
    (registry: FaultRegistry) => registry.fail("blob", { fault: { kind: "status", status: 404 } }),
    (host: string) => `${host} answered 404 (NOT_FOUND) to GET /v2/operators/etcd/blobs/${image.config.digest}`,
  ],
] as const)
  test(`a blob with a wrong digest at a mirror that is ${what} at the registry names both places`, async () => {
    const { mirror, registry, reference, world } = await mirrored();
    await using _ = mirror;
    await using __ = registry;
    mirror.putBlob({ ...image.config, bytes: lying });
    spoil(registry);
    const wrong = `${mirror.host} sent content of digest ${sha256(lying)} as blob ${image.config.digest}`;
    assert.equal(
      problemOf(await blobOf(world.open(reference))).cause,
      `image ${reference} cannot be pulled: mirror ${mirror.host}/operators/etcd: ${wrong}; ` +
        `${registry.host}/operators/etcd: ${answer(registry.host)}`,
    );
  });

test("when all places fail the problem names each, and the last decides", async () => {
  const { mirror, registry, reference, world } = await mirrored();
  await using _ = mirror;
  await using __ = registry;
  mirror.fail("manifest", { fault: { kind: "status", status: 500 } });
  registry.fail("manifest", { fault: { kind: "status", status: 404 } });
  const problem = problemOf(await world.open(reference).resolve(signal));
  const path = "HEAD /v2/operators/etcd/manifests/1";
  assert.equal(
    problem.cause,
    `image ${reference} cannot be pulled: mirror ${mirror.host}/operators/etcd: ${mirror.host} answered 500 to ${path}; ` +
      `${registry.host}/operators/etcd: ${registry.host} answered 404 to ${path}`,
  );
  assert.equal(problem.kind, "notFound");
  assert.equal(problem.httpStatus, 404);
});

test("the credentials of the registry do not go to its mirror", async () => {
  const auth = { kind: "basic", username: "ann", password: "pw" } as const;
  const { registry: mirror } = await started({ auth });
  const { registry, reference } = await started({ auth });
  await using _ = mirror;
  await using __ = registry;
  const world = new World();
  world.write({
    "etc/containers/registries.conf": `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\nmirror = [{location = "${mirror.host}", insecure = true}]`,
    "home/.docker/config.json": JSON.stringify({ auths: { [registry.host]: { username: "ann", password: "pw" } } }),
  });
  assert.ok((await world.open(reference).resolve(signal)).ok);
  assert.ok(mirror.requests.every(({ headers }) => headers.authorization === undefined));
});

test("a broken auth file is a problem of configuration", async () => {
  const { registry, reference } = await started({ auth: { kind: "basic", username: "ann", password: "pw" } });
  await using _ = registry;
  const world = new World();
  world.write({ "home/.docker/config.json": "{" });
  const problem = problemOf(await world.open(reference, { useHttp: true }).resolve(signal));
  assert.equal(problem.kind, "configuration");
  assert.match(problem.cause, /home\/\.docker\/config\.json: is not valid JSON/);
});

test("a certificate of an unknown authority is refused, and the problem says where to put it", async () => {
  const { registry, reference } = await started({ tls });
  await using _ = registry;
  const problem = problemOf(await new World().open(reference).resolve(signal));
  assert.equal(problem.kind, "unreachable");
  assert.match(problem.cause, /the TLS certificate of .* cannot be verified \([A-Z_]+\)/);
  assert.ok(problem.remedy.includes(`certs.d/${registry.host}/ca.crt`));
});

test("--skip-tls-verify accepts it", async () => {
  const { registry, reference } = await started({ tls });
  await using _ = registry;
  assert.ok((await new World().open(reference, { skipTlsVerify: true }).resolve(signal)).ok);
});

for (const directory of ["etc/containers/certs.d", "etc/docker/certs.d", "home/.config/containers/certs.d"])
  test(`the authority of a host is read from ${directory}`, async () => {
    const { registry, reference } = await started({ tls });
    await using _ = registry;
    const world = new World();
    world.write({ [`${directory}/${registry.host}/ca.crt`]: authority.certificatePem });
    assert.ok((await world.open(reference).resolve(signal)).ok);
    const without = world.open(reference.replace("127.0.0.1", "localhost"));
    assert.ok(!(await without.resolve(signal)).ok, "the authority counts for another host");
  });

test("an authority that appears later counts for the next image of the same process", async () => {
  const { registry, reference } = await started({ tls });
  await using _ = registry;
  const world = new World();
  const file = `etc/containers/certs.d/${registry.host}/ca.crt`;
  world.write({ [file]: stranger.certificatePem });
  const registries = world.registries();
  const resolve = async (): Promise<boolean> => {
    const source = registries.open({ reference, credentials: [] });
    return source.ok && (await source.value.resolve(signal)).ok;
  };
  assert.equal(await resolve(), false);
  world.write({ [file]: `${stranger.certificatePem}\n${authority.certificatePem}` });
  assert.equal(await resolve(), true);
});

test("an authority of the machine (SSL_CERT_FILE) is used when those at hand do not verify a host", async () => {
  const { registry, reference } = await started({ tls });
  await using _ = registry;
  const world = new World();
  world.write({ "machine.pem": authority.certificatePem });
  const module = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
  // OpenSSL reads the variable once, at the start of a process.
  const script = `
    import { SeededEntropy } from "@purser/kubernetes/entropy";
    import { systemClock } from "@purser/kubernetes/system/system-clock";
    import { createRegistries } from ${module("registries.ts")};
    const registries = createRegistries({ clock: systemClock, entropy: new SeededEntropy(1), environment: {}, systemDirectory: "/nowhere" });
    const source = registries.open({ reference: ${JSON.stringify(reference)}, credentials: [] });
    console.log(JSON.stringify(await source.value.resolve(new AbortController().signal)));
    await registries.close();`;
  const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "--eval", script];
  const env = {
    PATH: process.env["PATH"],
    SSL_CERT_FILE: join(world.directory, "machine.pem"),
    SSL_CERT_DIR: "/nowhere",
  };
  const { stdout } = await promisify(execFile)(process.execPath, flags, { env, cwd: import.meta.dirname });
  assert.deepEqual(JSON.parse(stdout), done(image.manifest.digest));
});

test("PEM files of the given directory are authorities for every host; a directory without any is a problem", async () => {
  const { registry, reference } = await started({ tls });
  await using _ = registry;
  const world = new World();
  world.write({ "cas/company.pem": authority.certificatePem, "cas/README": "no certificate", "none/README": "" });
  assert.ok((await world.open(reference, { authorities: [join(world.directory, "cas")] }).resolve(signal)).ok);
  const problem = problemOf(
    await world.open(reference, { authorities: [join(world.directory, "none")] }).resolve(signal),
  );
  assert.equal(problem.kind, "configuration");
  assert.match(problem.cause, /no certificates found in .*none/);
});

test("a registry that wants a client certificate gets that of certs.d", async () => {
  const mutual = { ...tls, ca: authority.certificatePem, requestCert: true, rejectUnauthorized: true };
  const { registry, reference } = await started({ tls: mutual });
  await using _ = registry;
  const world = new World();
  const directory = `etc/containers/certs.d/${registry.host}`;
  world.write({ [`${directory}/ca.crt`]: authority.certificatePem });
  assert.ok(!(await world.open(reference).resolve(signal)).ok);
  world.write({ [`${directory}/client.cert`]: client.certificatePem });
  const problem = problemOf(await world.open(reference).resolve(signal));
  assert.match(problem.cause, /client\.cert has no client\.key beside it/);
  world.write({ [`${directory}/client.key`]: client.privateKeyPem });
  assert.ok((await world.open(reference).resolve(signal)).ok);
});

test("a client certificate that is replaced counts for the next request, and a blob on an open connection arrives", async () => {
  const mutual = { ...tls, ca: authority.certificatePem, requestCert: true, rejectUnauthorized: true };
  const large = await testImage([{ "a.bin": new Uint8Array(4 * 1024 * 1024) }], { compression: "none" });
  const { registry, reference } = await started({ tls: mutual }, large);
  await using _ = registry;
  const world = new World();
  const directory = `etc/containers/certs.d/${registry.host}`;
  const ann = {
    [`${directory}/client.cert`]: client.certificatePem,
    [`${directory}/client.key`]: client.privateKeyPem,
  };
  world.write({ [`${directory}/ca.crt`]: authority.certificatePem, ...ann });
  const registries = world.registries();
  const open = (): ImageSource => {
    const source = registries.open({ reference, credentials: [] });
    assert.ok(source.ok);
    return source.value;
  };
  const names = (): readonly (string | undefined)[] => [
    ...new Set(registry.requests.map(({ clientName }) => clientName)),
  ];
  const [layer] = large.layers;
  assert.ok(layer !== undefined);
  const source = open();
  const running = await source.blob(layer, signal);
  assert.ok(running.ok);
  assert.deepEqual(names(), ["ann"]);
  const bob = await issueClient({ ...issuing, authority, commonName: "bob", organizations: [] });
  world.write({ [`${directory}/client.cert`]: bob.certificatePem });
  const half = problemOf(await source.resolve(signal));
  assert.equal(half.kind, "configuration");
  const path = join(world.directory, directory, "client.cert");
  assert.equal(
    half.cause,
    `image ${reference} cannot be pulled: ${registry.host} cannot be reached: the client certificate ${path} and the key beside it cannot be used (key values mismatch)`,
  );
  world.write({ [`${directory}/client.key`]: bob.privateKeyPem });
  registry.requests.length = 0;
  assert.ok((await source.resolve(signal)).ok);
  assert.deepEqual(names(), ["bob"]);
  assert.deepEqual(await buffer(running.value), Buffer.from(layer.bytes));
  assert.deepEqual(names(), ["bob"], "the blob was asked for again");
  world.write(ann);
  registry.requests.length = 0;
  assert.ok((await open().resolve(signal)).ok);
  assert.deepEqual(names(), ["ann"]);
});

test("TLS 1.1 is refused", async () => {
  const old = { ...tls, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  const { registry, reference } = await started({ tls: old });
  await using _ = registry;
  const world = new World();
  world.write({ [`etc/containers/certs.d/${registry.host}/ca.crt`]: authority.certificatePem });
  const problem = problemOf(await world.open(reference).resolve(signal));
  assert.match(problem.cause, /the TLS handshake with .* failed/);
  assert.match(problem.remedy, /TLS 1\.2/);
});

test("a redirect from https to http is not followed", async () => {
  const { registry, reference } = await started({ tls });
  const { registry: plain } = await started();
  await using _ = registry;
  await using __ = plain;
  registry.fail("blob", { fault: { kind: "redirect", to: `${plain.origin}{path}` } });
  for (const options of [{ skipTlsVerify: true }, { useHttp: true }]) {
    const problem = problemOf(await new World().open(reference, options).blob(image.config, signal));
    assert.match(problem.cause, /redirects from https to http/);
  }
  assert.equal(plain.requests.length, 0);
});

test("a token service without TLS gets no credentials for a registry with TLS", async () => {
  const { registry, reference } = await started({ tls });
  const { registry: plain } = await started();
  await using _ = registry;
  await using __ = plain;
  const headers = { "WWW-Authenticate": `Bearer realm="${plain.origin}/token"` };
  registry.fail("ping", { fault: { kind: "status", status: 401, headers } });
  const problem = problemOf(await new World().open(reference, { skipTlsVerify: true }).resolve(signal));
  assert.match(problem.cause, /wants credentials to be sent to .* without TLS/);
  assert.equal(plain.requests.length, 0);
});

test("an image is written, read back, and written again without an upload", async () => {
  const { registry } = await started({ auth: { kind: "token", username: "ann", password: "pw" } }, other);
  await using _ = registry;
  const reference = `${registry.host}/team/app:1`;
  const credentials = [{ path: registry.host, username: "ann", password: "pw" }];
  const world = new World();
  const registries = world.registries({ useHttp: true });
  const opened = registries.openWriter({ reference, credentials });
  assert.ok(opened.ok);
  const writer = opened.value;
  assert.deepEqual(await writer.manifest("1", signal), done(undefined));
  const blobs = [image.config, ...image.layers];
  for (const blob of blobs) {
    const open = () => Readable.from([Buffer.from(blob.bytes)], { objectMode: false });
    assert.deepEqual(await writer.putBlob(blob, open, signal), done("written"));
    assert.deepEqual(await writer.putBlob(blob, open, signal), done("present"));
  }
  const manifest = { digest: image.manifest.digest, mediaType: image.manifest.mediaType, bytes: image.manifest.bytes };
  assert.deepEqual(await writer.putManifest("1", manifest, signal), done(undefined));
  const source = registries.open({ reference, credentials });
  assert.ok(source.ok);
  assert.deepEqual(await source.value.resolve(signal), done(image.manifest.digest));
  for (const blob of blobs) assert.deepEqual(registry.blob(blob.digest), Buffer.from(blob.bytes));
});

test("an upload that breaks is sent again from its beginning", async () => {
  const { registry } = await started();
  await using _ = registry;
  const opened = new World()
    .registries({ useHttp: true })
    .openWriter({ reference: `${registry.host}/a:1`, credentials: [] });
  assert.ok(opened.ok);
  registry.fail("upload", { fault: { kind: "status", status: 503 }, times: 1, method: "PUT" });
  let opens = 0;
  const open = () => {
    opens++;
    return Readable.from([Buffer.from(other.config.bytes)], { objectMode: false });
  };
  assert.deepEqual(await opened.value.putBlob(other.config, open, signal), done("written"));
  assert.equal(opens, 2);
});

test("an upload that is neither taken nor answered ends, and says so", async () => {
  const { registry } = await started();
  await using _ = registry;
  const reference = `${registry.host}/a:1`;
  const limits = { ...patientLimits, uploadMs: 200 };
  const retry = { tries: 1, firstDelayMs: 1, longestDelayMs: 1, longestRetryAfterMs: 1, totalMs: 10 ** 6 };
  const opened = new World()
    .registries({ useHttp: true, clock: systemClock, limits, retry })
    .openWriter({ reference, credentials: [] });
  assert.ok(opened.ok);
  registry.fail("upload", { fault: { kind: "silent" }, method: "PUT" });
  const open = (): Readable => Readable.from([Buffer.from(other.config.bytes)], { objectMode: false });
  const written = await opened.value.putBlob(other.config, open, signal);
  assert.ok(!written.ok);
  assert.equal(written.problem.kind, "unreachable");
  assert.equal(
    written.problem.cause,
    `image ${reference} cannot be written: ${registry.host} neither received more of an upload nor answered it for 0.2 s`,
  );
});

test("an upload that the registry sends to another host gets no credentials there", async () => {
  const { registry } = await started({ auth: { kind: "basic", username: "ann", password: "pw" } });
  const { registry: store } = await started();
  await using _ = registry;
  await using __ = store;
  const reference = `${registry.host}/a:1`;
  const credentials = [{ path: registry.host, username: "ann", password: "pw" }];
  const opened = new World().registries({ useHttp: true }).openWriter({ reference, credentials });
  assert.ok(opened.ok);
  const headers = { Location: `${store.origin}/v2/a/blobs/uploads/1` };
  registry.fail("upload", { fault: { kind: "status", status: 202, headers }, method: "POST" });
  const open = (): Readable => Readable.from([Buffer.from(other.config.bytes)], { objectMode: false });
  assert.deepEqual(await opened.value.putBlob(other.config, open, signal), done("written"));
  assert.deepEqual(
    store.requests.map(({ method, headers: sent }) => [method, sent.authorization]),
    [["PUT", undefined]],
  );
});

test("a non-distributable layer that the registry lacks is taken from its URL, without credentials; others are not", async () => {
  const { registry, reference } = await started({ tls, auth: { kind: "basic", username: "ann", password: "pw" } });
  const { registry: elsewhere } = await started({ tls });
  await using _ = registry;
  await using __ = elsewhere;
  registry.fail("blob", { fault: { kind: "status", status: 404 } });
  const world = new World();
  world.write({ "cas/ca.pem": authority.certificatePem });
  const registries = world.registries({ authorities: [join(world.directory, "cas")] });
  const source = registries.open({
    reference,
    credentials: [{ path: registry.host, username: "ann", password: "pw" }],
  });
  assert.ok(source.ok);
  const url = `${elsewhere.origin}/v2/operators/etcd/blobs/${image.config.digest}`;
  const layer = { ...image.config, urls: [url.replace("https:", "http:"), "file:///etc/passwd", url] };
  const foreign = { ...layer, mediaType: "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip" };
  const stream = await source.value.blob(foreign, signal);
  assert.ok(stream.ok, JSON.stringify(stream));
  assert.deepEqual(await buffer(stream.value), Buffer.from(image.config.bytes));
  assert.deepEqual(
    elsewhere.requests.map(({ headers }) => headers.authorization),
    [undefined],
  );
  assert.equal(problemOf(await source.value.blob(layer, signal)).kind, "notFound");
});
