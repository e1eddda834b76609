import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { done } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { missingTools } from "../build/testing/tools-on-path.ts";
import { DockerRegistry } from "../testing/docker-registry.ts";
import { testImage } from "../testing/test-image.ts";
import { patientLimits } from "../testing/test-source.ts";
import { createRegistries, type Registries } from "./registries.ts";

const signal = new AbortController().signal;
const image = await testImage([{ "a.yaml": "a\n".repeat(100_000) }, { "b.yaml": "b" }]);
const blobs = [image.config, ...image.layers];

suite("against docker-registry with TLS and htpasswd", { skip: missingTools("docker-registry", "htpasswd") }, () => {
  const directory = mkdtempSync(join(tmpdir(), "docker-registry-test-"));
  let registry: DockerRegistry;
  let registries: Registries;

  before(async () => {
    registry = await DockerRegistry.start();
    const certificates = join(directory, "etc/containers/certs.d", registry.host);
    mkdirSync(certificates, { recursive: true });
    writeFileSync(join(certificates, "ca.crt"), registry.authority);
    mkdirSync(join(directory, ".docker"));
    const auth = Buffer.from(`ann:${registry.password}`).toString("base64");
    writeFileSync(join(directory, ".docker/config.json"), JSON.stringify({ auths: { [registry.host]: { auth } } }));
    registries = createRegistries({
      clock: systemClock,
      entropy: systemEntropy,
      environment: { HOME: directory, XDG_RUNTIME_DIR: directory },
      systemDirectory: join(directory, "etc"),
      limits: patientLimits,
    });
    const writer = registries.openWriter({ reference: `${registry.host}/team/app:1`, credentials: [] });
    assert.ok(writer.ok);
    for (const blob of blobs) {
      const open = (): Readable => Readable.from([Buffer.from(blob.bytes)], { objectMode: false });
      assert.deepEqual(await writer.value.putBlob(blob, open, signal), done("written"));
    }
    const { digest, mediaType, bytes } = image.manifest;
    assert.deepEqual(await writer.value.putManifest("1", { digest, mediaType, bytes }, signal), done(undefined));
  });
  after(async () => {
    await registries.close();
    await registry[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  async function readBack(reference: string): Promise<void> {
    const source = registries.open({ reference, credentials: [] });
    assert.ok(source.ok);
    assert.deepEqual(await source.value.resolve(signal), done(image.manifest.digest));
    const manifest = await source.value.manifest(image.manifest.digest, signal);
    assert.ok(manifest.ok);
    assert.deepEqual(Buffer.from(manifest.value.bytes), Buffer.from(image.manifest.bytes));
    for (const blob of blobs) {
      const stream = await source.value.blob(blob, signal);
      assert.ok(stream.ok);
      assert.deepEqual(await buffer(stream.value), Buffer.from(blob.bytes));
    }
  }

  test("an image that was written by us is read back byte for byte", () => readBack(`${registry.host}/team/app:1`));

  test("a blob is taken from another repository without an upload", async () => {
    const writer = registries.openWriter({ reference: `${registry.host}/team/other:1`, credentials: [] });
    assert.ok(writer.ok);
    const open = (): Readable => {
      throw new Error("the content was asked for");
    };
    assert.deepEqual(await writer.value.putBlob(image.config, open, signal, "team/app"), done("mounted"));
  });

  test("a wrong password is unauthorized, a tag that is missing not found", async () => {
    const auth = { path: registry.host, username: "ann", password: "wrong" };
    const wrong = registries.open({ reference: `${registry.host}/team/app:1`, credentials: [auth] });
    assert.ok(wrong.ok);
    const refused = await wrong.value.resolve(signal);
    assert.ok(!refused.ok);
    assert.deepEqual([refused.problem.kind, refused.problem.httpStatus], ["unauthorized", 401]);
    const absent = registries.open({ reference: `${registry.host}/team/app:2`, credentials: [] });
    assert.ok(absent.ok);
    const problem = await absent.value.resolve(signal);
    assert.ok(!problem.ok);
    assert.deepEqual([problem.problem.kind, problem.problem.httpStatus], ["notFound", 404]);
  });

  test(
    "skopeo copies what was written by us, and we read its copy byte for byte",
    { skip: missingTools("skopeo") },
    async () => {
      const copy = `${registry.host}/team/copied:1`;
      const certificates = join(directory, "etc/containers/certs.d", registry.host);
      const credentials = `ann:${registry.password}`;
      const ends = ["src", "dest"].flatMap((end) => [`--${end}-creds`, credentials, `--${end}-cert-dir`, certificates]);
      execFileSync(
        "skopeo",
        [
          "--insecure-policy",
          "copy",
          "--preserve-digests",
          ...ends,
          `docker://${registry.host}/team/app:1`,
          `docker://${copy}`,
        ],
        { stdio: "pipe", env: { ...process.env, HOME: directory } },
      );
      await readBack(copy);
    },
  );
});
