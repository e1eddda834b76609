import type { KeyObject } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FaultRegistry, type FaultRegistryOptions } from "../../image/testing/fault-registry.ts";
import { configsLabel } from "../../image/testing/layout-images.ts";
import { signatureTag } from "../../image/policy/find-signatures.ts";
import { signatureImage } from "../../image/policy/sign-image.ts";
import { sha256, testImage, type TestImage } from "../../image/testing/test-image.ts";
import type { PullingOptions } from "../image-access.ts";
import { packageDirectory } from "../package-directory.ts";

const demo = join(packageDirectory(), "demo", "default");

/** A registry with the demo's bundles and its catalog as images, and the configuration with which they can be pulled. */
export class DemoRegistry {
  readonly registry: FaultRegistry;
  /** Reference of the catalog image. */
  readonly catalog: string;
  readonly pulling: PullingOptions;
  readonly #directory: string;

  private constructor(registry: FaultRegistry) {
    this.registry = registry;
    this.catalog = `${registry.host}/demo/catalog:latest`;
    this.#directory = mkdtempSync(join(tmpdir(), "purser-registry-"));
    const file = join(this.#directory, "registries.conf");
    writeFileSync(file, `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`);
    this.pulling = { environment: { CONTAINERS_REGISTRIES_CONF: file, HOME: this.#directory } };
  }

  static async start(options: FaultRegistryOptions = {}): Promise<DemoRegistry> {
    const demoRegistry = new DemoRegistry(await FaultRegistry.start(options));
    for (const bundle of readdirSync(join(demo, "bundles")))
      for (const version of readdirSync(join(demo, "bundles", bundle)))
        demoRegistry.registry.push(
          `demo/${bundle}:${version}`,
          await testImage([filesOf(join(demo, "bundles", bundle, version))]),
        );
    await demoRegistry.pushCatalog();
    return demoRegistry;
  }

  /** Pushes the demo catalog, changed by `edit`, under the tag of the catalog. */
  async pushCatalog(edit: (text: string) => string = (text) => text): Promise<TestImage> {
    const files = Object.fromEntries(
      Object.entries(filesOf(join(demo, "catalog"))).map(([path, text]) => [
        `configs/${path}`,
        edit(text.replaceAll("local.purser.dev/demo/", `${this.registry.host}/demo/`)),
      ]),
    );
    const image = await testImage([files], { labels: { [configsLabel]: "/configs" } });
    this.registry.push("demo/catalog:latest", image);
    return image;
  }

  /** From now on images of the registry have to be signed by this key. */
  requireSignatures(key: KeyObject): void {
    const directory = join(this.#directory, ".config", "containers");
    mkdirSync(directory, { recursive: true });
    const keyData = Buffer.from(key.export({ type: "spki", format: "pem" })).toString("base64");
    const requirement = { type: "sigstoreSigned", keyData, signedIdentity: { type: "matchRepository" } };
    const transports = { docker: { [this.registry.host]: [requirement] } };
    writeFileSync(join(directory, "policy.json"), JSON.stringify({ default: [{ type: "reject" }], transports }));
  }

  /** Signs what `demo/NAME:TAG` names, as cosign does. */
  sign(name: string, key: KeyObject): void {
    const [repository = "", tag = ""] = `demo/${name}`.split(":");
    const manifest = this.registry.manifest(repository, tag);
    if (manifest === undefined) throw new Error(`there is no ${name}`);
    const digest = sha256(manifest.bytes);
    const image = signatureImage(key, { digest, reference: `${this.registry.host}/${repository}` }, undefined);
    if (!image.ok || image.value === undefined) throw new Error("cannot be signed");
    for (const { descriptor, bytes } of image.value.blobs) this.registry.putBlob({ ...descriptor, bytes });
    const { descriptor, bytes } = image.value.manifest;
    this.registry.putManifest(repository, signatureTag(digest), { mediaType: descriptor.mediaType, bytes });
  }

  async stop(): Promise<void> {
    await this.registry[Symbol.asyncDispose]();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function filesOf(directory: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(directory, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(directory.length + 1), readFileSync(path, "utf8")];
      }),
  );
}
