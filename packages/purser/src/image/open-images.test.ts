import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { Images, PullRequest } from "./images.ts";
import { openImages } from "./open-images.ts";
import { keyFingerprint } from "./policy/found-signature.ts";
import { signatureTag } from "./policy/find-signatures.ts";
import { signatureImage } from "./policy/sign-image.ts";
import { FaultRegistry, type FaultRegistryOptions } from "./testing/fault-registry.ts";
import { configsLabel } from "./testing/layout-images.ts";
import { testImage } from "./testing/test-image.ts";

const signal = new AbortController().signal;
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const image = await testImage([{ "configs/a.yaml": "schema: olm.package\n" }, { "configs/b.yaml": "b\n" }], {
  labels: { [configsLabel]: "/configs" },
});

interface World {
  readonly mirror: FaultRegistry;
  readonly registry: FaultRegistry;
  readonly request: PullRequest;
  readonly images: Images;
  readonly home: string;
}

/** A registry and its mirror with the same signed image, and images of a home directory that names both. */
async function world(context: TestContext, options: FaultRegistryOptions = {}): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), "purser-open-images-"));
  const [mirror, registry] = [await FaultRegistry.start(options), await FaultRegistry.start(options)];
  const claim = { digest: image.manifest.digest, reference: `${registry.host}/acme/catalog:v1` };
  const signature = signatureImage(privateKey, claim, undefined);
  assert.ok(signature.ok && signature.value !== undefined);
  for (const each of [mirror, registry]) {
    each.push("acme/catalog:v1", image);
    for (const { descriptor, bytes } of signature.value.blobs) each.putBlob({ ...descriptor, bytes });
    const { descriptor, bytes } = signature.value.manifest;
    each.putManifest("acme/catalog", signatureTag(image.manifest.digest), { mediaType: descriptor.mediaType, bytes });
  }
  const directory = join(home, ".config", "containers");
  mkdirSync(directory, { recursive: true });
  const conf = `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\nmirror = [{location = "${mirror.host}", insecure = true}]`;
  writeFileSync(join(directory, "registries.conf"), conf);
  const images = openImages({
    directory: join(home, "cache"),
    clock: systemClock,
    entropy: new SeededEntropy(1),
    environment: { HOME: home },
    retry: { tries: 1, firstDelayMs: 1, longestDelayMs: 1, longestRetryAfterMs: 1, totalMs: 60_000 },
  });
  context.after(async () => {
    await images.close();
    for (const each of [mirror, registry]) await each[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });
  const request: PullRequest = { reference: claim.reference, wanted: "catalog", credentials: [], policy: [] };
  return { mirror, registry, request, images, home };
}

const keyData = Buffer.from(publicKey.export({ type: "spki", format: "pem" })).toString("base64");

/** Writes a policy with this requirement for all images; returns its file. */
function require(home: string, requirement: object): string {
  const file = join(home, ".config", "containers", "policy.json");
  writeFileSync(file, JSON.stringify({ default: [requirement] }));
  return file;
}

test("an image whose blobs are all wrong at a mirror is pulled from the registry, with its signature", async (context) => {
  const { mirror, request, images, home } = await world(context);
  const policy = require(home, { type: "sigstoreSigned", keyData });
  mirror.fail("blob", { fault: { kind: "wrongContent" } });
  const pulled = await images.pull(request, { signal });
  assert.ok(pulled.ok, JSON.stringify(pulled));
  assert.equal(readFileSync(join(pulled.value.directory, "b.yaml"), "utf8"), "b\n");
  const signer = `key sha256:${keyFingerprint(publicKey)}`;
  assert.deepEqual(pulled.value.accepted, { policy, scope: "default", signer });
  // Configuration, two layers and the payload of the signature.
  assert.equal(mirror.requests.filter(({ position }) => position === "blob").length, 4);
});

test("the verdict comes with each pull of an image that is held, as the policy is then", async (context) => {
  const { request, images, home } = await world(context);
  const policy = require(home, { type: "insecureAcceptAnything" });
  const before = await images.pull(request, { signal });
  require(home, { type: "sigstoreSigned", keyData });
  const after = await images.pull(request, { signal });
  assert.ok(before.ok && after.ok);
  assert.deepEqual(before.value.accepted, { policy, scope: "default" });
  assert.ok(after.value.accepted?.signer !== undefined);
});

test("an image whose directory was named keeps its own digest, beside the one of the store", async (context) => {
  const { request, images } = await world(context);
  for (const _ of ["pulled", "held"]) {
    const named = await images.pull({ ...request, directory: "/configs" }, { signal });
    assert.ok(named.ok, JSON.stringify(named));
    assert.equal(named.value.digest, image.manifest.digest);
    assert.notEqual(named.value.content, image.manifest.digest);
  }
});

for (const [what, secret] of [
  ["a password", { password: "planted" }],
  ["an identity token", { password: "", identityToken: "planted" }],
] as const)
  test(`neither ${what} nor a bearer token is in a file of the cache, after a pull and after one that failed`, async (context) => {
    const auth = { kind: "token", username: "ann", password: "planted", identityToken: "planted" } as const;
    const { registry, mirror, images, home, request } = await world(context, { auth });
    const hosts = [registry, mirror].map(({ host }) => ({ path: host, username: "ann", ...secret }));
    const withSecret = { ...request, credentials: hosts };
    for (const each of [registry, mirror]) each.fail("blob", { fault: { kind: "truncated" } });
    assert.ok(!(await images.pull(withSecret, { signal })).ok);
    for (const each of [registry, mirror]) each.heal();
    const pulled = await images.pull(withSecret, { signal });
    assert.ok(pulled.ok, JSON.stringify(pulled));
    const files = readdirSync(join(home, "cache"), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    assert.ok(files.length >= 3, "the image, and what is known of it");
    for (const { parentPath, name } of files)
      assert.doesNotMatch(
        readFileSync(join(parentPath, name), "latin1"),
        /planted|cGxhbnRlZ|YW5uOnBsYW50ZW|token-\d/,
        name,
      );
  });
