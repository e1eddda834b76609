// Against docker-registry with TLS and a password, and skopeo: images that either side pushed are read by the other.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { promisify } from "node:util";
import { missingTools } from "../src/image/build/testing/tools-on-path.ts";
import { DockerRegistry } from "../src/image/testing/docker-registry.ts";
import { configsLabel } from "../src/image/testing/layout-images.ts";
import { dockerArchive } from "./docker-archive.ts";
import { clientDriver } from "./driver.ts";
import { csvSucceeded, extension, extensionAt, namespace, operatorGroup, subscription } from "./flow-steps.ts";
import { productDirectory } from "./built-product.ts";
import { purser, startPurser } from "./purser-process.ts";
import { copyCatalog } from "./pushed-images.ts";
import { connectWith } from "./surroundings.ts";

const demo = join(productDirectory, "demo/default");
const scratch = mkdtempSync(join(tmpdir(), "purser-registries-"));
const run = promisify(execFile);
let registry: DockerRegistry;
/** With the registry's authority and password where both skopeo and purser look for them. */
let home: string;
/** The catalog of the demo, whose bundles are in the registry. */
let catalog: string;

/** A home directory, with what is given in it. */
function homeWith({ authority, login }: { readonly authority?: string; readonly login?: string }): string {
  const directory = mkdtempSync(join(scratch, "home-"));
  const certificates = join(directory, ".config/containers/certs.d", registry.host);
  mkdirSync(certificates, { recursive: true });
  if (authority !== undefined) writeFileSync(join(certificates, "ca.crt"), authority);
  mkdirSync(join(directory, ".docker"));
  const auths = login === undefined ? {} : { [registry.host]: { auth: Buffer.from(login).toString("base64") } };
  writeFileSync(join(directory, ".docker/config.json"), JSON.stringify({ auths }));
  return directory;
}

const environmentOf = (directory: string): Readonly<Record<string, string>> => ({
  HOME: directory,
  XDG_RUNTIME_DIR: directory,
  XDG_DATA_HOME: join(directory, "data"),
  PURSER_CACHE_DIR: join(directory, "cache"),
});

async function skopeoCopy(...args: readonly string[]): Promise<void> {
  await run("skopeo", ["--insecure-policy", "copy", "-q", ...args], {
    env: { ...process.env, ...environmentOf(home) },
  });
}

async function purserPush(content: "catalog" | "bundle", path: string, reference: string): Promise<void> {
  const { code, stderr } = await purser([content, "push", path, reference], environmentOf(home));
  assert.equal(code, 0, stderr);
}

/** Pushes a catalog or a bundle directory; `reference` is `HOST/REPOSITORY:TAG`. */
type Push = (content: "catalog" | "bundle", path: string, reference: string) => Promise<void>;

const skopeoPush =
  (...flags: readonly string[]): Push =>
  async (content, path, reference) => {
    const archive = dockerArchive(
      join(mkdtempSync(join(scratch, "archive-")), "image.tar"),
      content === "catalog"
        ? { files: { configs: path }, labels: { [configsLabel]: "/configs" } }
        : { files: { manifests: join(path, "manifests"), metadata: join(path, "metadata") }, labels: {} },
    );
    await skopeoCopy(...flags, `docker-archive:${archive}`, `docker://${reference}`);
  };

const pushes: readonly (readonly [who: string, push: Push])[] = [
  ["skopeo as Docker images with gzip", skopeoPush()],
  ["skopeo as OCI images with zstd", skopeoPush("--format", "oci", "--dest-compress-format", "zstd")],
  ["purser", purserPush],
];

suite("docker-registry and skopeo", { skip: missingTools("docker-registry", "htpasswd", "skopeo", "tar") }, () => {
  before(async () => {
    registry = await DockerRegistry.start();
    home = homeWith({ authority: registry.authority, login: `ann:${registry.password}` });
  });
  after(async () => {
    await registry[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true });
  });

  for (const [index, [who, push]] of pushes.entries())
    test(`operators of both families install from what ${who} pushed`, async () => {
      const place = `${registry.host}/by-${index}`;
      catalog = copyCatalog(join(demo, "catalog"), join(scratch, `catalog-${index}`), place);
      await push("catalog", catalog, `${place}/catalog:v1`);
      for (const name of ["ballast-cache", "logbook-db"])
        for (const version of readdirSync(join(demo, "bundles", name)))
          await push("bundle", join(demo, "bundles", name, version), `${place}/bundles/${name}:${version}`);
      await installBoth(`${place}/catalog:v1`);
    });

  const contents: readonly (readonly ["catalog" | "bundle", path: string])[] = [
    ["catalog", join(demo, "catalog")],
    ["bundle", join(demo, "bundles/logbook-db/1.2.0")],
  ];
  for (const [content, path] of contents)
    test(`skopeo reads back a ${content} that purser pushed byte for byte`, async () => {
      const reference = `${registry.host}/read-back/${content}:v1`;
      const own = join(scratch, `own-${content}`);
      const back = join(scratch, `back-${content}`);
      await purserPush(content, path, `oci:${own}:v1`);
      await purserPush(content, path, reference);
      await skopeoCopy("--preserve-digests", `docker://${reference}`, `oci:${back}:v1`);
      const blobs = readdirSync(join(own, "blobs/sha256")).toSorted();
      assert.deepEqual(readdirSync(join(back, "blobs/sha256")).toSorted(), blobs);
      for (const blob of blobs)
        assert.deepEqual(readFileSync(join(back, "blobs/sha256", blob)), readFileSync(join(own, "blobs/sha256", blob)));
      const [layer = "", ...more] = await layersOf(back);
      const unpacked = mkdtempSync(join(scratch, "unpacked-"));
      for (const each of [layer, ...more]) await run("tar", ["-xzf", each, "-C", unpacked]);
      const [inImage, onDisk] = content === "catalog" ? ["configs", "."] : ["manifests", "manifests"];
      await run("diff", ["-r", join(unpacked, inImage), join(path, onDisk)]);
    });

  test("without the authority, without a password and with a wrong one a catalog is refused, and no password is shown", async () => {
    const { authority, password } = registry;
    const reference = `${registry.host}/refused/catalog:v1`;
    await purserPush("catalog", join(demo, "catalog"), reference);
    const validate = async (given: Parameters<typeof homeWith>[0]): Promise<readonly [number | null, string]> => {
      const { code, stdout, stderr } = await purser(["catalog", "validate", reference], environmentOf(homeWith(given)));
      assert.doesNotMatch(stdout + stderr, /a password with|wrong-word/);
      return [code, stdout + stderr];
    };
    const [known, text] = await validate({ authority, login: `ann:${password}` });
    assert.equal(known, 0, text);
    for (const [given, words] of [
      [{ login: `ann:${password}` }, /certificate/],
      [{ authority }, /401/],
      [{ authority, login: "ann:wrong-word" }, /401/],
    ] as const) {
      const [code, shown] = await validate(given);
      assert.notEqual(code, 0);
      assert.match(shown, words);
    }
  });
});

/** One operator by a Subscription and another by a ClusterExtension, on a local cluster that has the catalog as an image. */
async function installBoth(reference: string): Promise<void> {
  const cache = mkdtempSync(join(scratch, "cache-"));
  const kubeconfig = join(cache, "kubeconfig");
  const up = await startPurser(
    ["up", "--ephemeral", "--demo", "none", "--write-kubeconfig", kubeconfig, "--catalog", `community=${reference}`],
    { ...environmentOf(home), PURSER_CACHE_DIR: cache },
  );
  try {
    const cluster = connectWith(kubeconfig);
    try {
      const driver = clientDriver(cluster.client);
      await driver.apply(
        namespace("team") +
          operatorGroup("team") +
          subscription("team", "logbook-db", { channel: "stable" }) +
          "---\n" +
          namespace("caches") +
          extension("ballast-cache", "caches", { version: "0.4.x" }),
      );
      await csvSucceeded(driver, "team", "logbook-db.v1.2.0");
      await extensionAt(driver, "ballast-cache", "0.4.1");
    } finally {
      cluster.close();
    }
  } catch (error) {
    throw new Error(`${String(error)}\n${up.output()}`, { cause: error });
  } finally {
    await up.stop("SIGTERM");
  }
}

/** The layers of the only image of a layout, in order. */
async function layersOf(layout: string): Promise<readonly string[]> {
  const { stdout } = await run("skopeo", ["inspect", "--raw", `oci:${layout}:v1`]);
  const { layers } = JSON.parse(stdout) as { readonly layers: readonly { readonly digest: string }[] };
  return layers.map(({ digest }) => join(layout, "blobs", digest.replace(":", "/")));
}
