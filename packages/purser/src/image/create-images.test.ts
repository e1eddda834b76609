import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, describe, test, type TestContext } from "node:test";
import { type Digest, digestOf } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { readBundleFiles } from "../content/bundle/bundle-directory.ts";
import { createImages, type ImagesOptions } from "./create-images.ts";
import type { ImageProblem } from "./image-problem.ts";
import { type Descriptor, ImageError, type ImageSource } from "./image-source.ts";
import type { Images, PullRequest } from "./images.ts";
import { OciLayoutSource } from "./layout/oci-layout.ts";
import { filesOfDirectory } from "./layout/stored-files.ts";
import type { PulledImage, PullProgress } from "./pulled-image.ts";
import { removeTree } from "./store/remove-tree.ts";
import {
  configsLabel,
  entriesOf,
  type LayoutImage,
  writeBlob,
  writeIndex,
  writeLayout,
} from "./testing/layout-images.ts";
import { tarArchive } from "./testing/tar-archive.ts";

const scratch = mkdtempSync(join(tmpdir(), "create-images-"));
after(() => removeTree(scratch));
let count = 0;
const freshDirectory = (): string => mkdtempSync(join(scratch, `f${count++}-`));
const { signal } = new AbortController();
const manifestType = "application/vnd.oci.image.manifest.v1+json";
const indexType = "application/vnd.oci.image.index.v1+json";

const noRegistry: ImagesOptions["openSource"] = ({ reference }) =>
  failed({ kind: "unreachable", reference, cause: "no registry in this test", remedy: "Name a layout." });

/** Images with a store of their own, closed when the test ends. */
function open(t: TestContext, changes: Partial<ImagesOptions> = {}): Images & { readonly store: string } {
  const directory = changes.directory ?? freshDirectory();
  const images = createImages({ clock: systemClock, openSource: noRegistry, ...changes, directory });
  t.after(() => images.close());
  return Object.assign(images, { store: join(directory, "images") });
}

const request = (reference: string, wanted: PullRequest["wanted"] = "catalog"): PullRequest => ({
  reference,
  wanted,
  credentials: [],
  policy: [],
});

const catalog: LayoutImage = {
  labels: { [configsLabel]: "/configs" },
  layers: [
    [
      { name: "etc/passwd", body: "root" },
      { name: "configs/", flag: "5" },
      { name: "configs/a/catalog.yaml", body: "schema: olm.package\n" },
    ],
    [{ name: "configs/b.yaml", body: "schema: olm.channel\n" }],
  ],
};

function layoutOf(...images: readonly LayoutImage[]): {
  readonly directory: string;
  readonly digests: readonly Digest[];
} {
  const directory = freshDirectory();
  return { directory, digests: writeLayout(directory, images).map(({ digest }) => digest) };
}

/** A registry whose repository is a layout; counts what is asked for. */
class LayoutRegistry {
  readonly asked: string[] = [];
  closed = 0;
  readonly directory: string;
  /** What happens before a blob is given. */
  beforeBlob: (blob: Descriptor) => Promise<Result<Readable, ImageProblem> | undefined> = () =>
    Promise.resolve(undefined);

  constructor(...images: readonly LayoutImage[]) {
    this.directory = layoutOf(...images).directory;
  }

  readonly open: ImagesOptions["openSource"] = ({ reference }) => {
    const layout = new OciLayoutSource(reference, filesOfDirectory(this.directory), undefined);
    const source: ImageSource = {
      reference,
      resolve: (_, intent) =>
        this.#note(intent?.readsManifest === true ? "resolve by manifest" : "resolve", () => layout.resolve()),
      manifest: (digest) => this.#note("manifest", () => layout.manifest(digest)),
      blob: (blob) => this.#note("blob", async () => (await this.beforeBlob(blob)) ?? layout.blob(blob)),
      close: async () => void this.closed++,
    };
    return done(source);
  };

  #note<Answer>(name: string, answer: () => Promise<Answer>): Promise<Answer> {
    this.asked.push(name);
    return answer();
  }
}

function pulled(result: Result<PulledImage, ImageProblem>): PulledImage {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

function problemOf(result: Result<unknown, ImageProblem>): ImageProblem {
  assert.ok(!result.ok, JSON.stringify(result));
  return result.problem;
}

describe("a pull", () => {
  test("brings the catalog of an OCI layout, read-only, without the rest of the image", async (t) => {
    const images = open(t);
    const progress: PullProgress[] = [];
    const { directory: layout } = layoutOf(catalog);
    const result = await images.pull(request(`oci:${layout}`), { signal, onProgress: (step) => progress.push(step) });
    const image = pulled(result);
    assert.equal(image.directory, join(image.root, "configs"));
    assert.deepEqual(image.labels, { [configsLabel]: "/configs" });
    assert.deepEqual(
      readdirSync(image.root, { recursive: true, encoding: "utf8" }).toSorted((a, b) => (a < b ? -1 : 1)),
      ["configs", "configs/a", "configs/a/catalog.yaml", "configs/b.yaml"],
    );
    assert.equal(readFileSync(join(image.directory, "b.yaml"), "utf8"), "schema: olm.channel\n");
    assert.equal(statSync(join(image.directory, "b.yaml")).mode & 0o777, 0o400);
    for (const directory of [join(image.root, ".."), image.root, image.directory, join(image.directory, "a")])
      assert.equal(statSync(directory).mode & 0o777, 0o500);
    assert.deepEqual(
      progress.map(({ kind }) => kind),
      ["resolved", "downloading", "downloading", "unpacking", "complete"],
    );
    assert.deepEqual(images.held(image.digest, "any"), image);
  });

  test("of a bundle gives a directory that the reader of bundles reads", async (t) => {
    const from = freshDirectory();
    mkdirSync(join(from, "manifests"));
    mkdirSync(join(from, "metadata"));
    writeFileSync(join(from, "manifests/csv.yaml"), "kind: ClusterServiceVersion\n");
    writeFileSync(join(from, "metadata/annotations.yaml"), "annotations: {}\n");
    const { directory } = layoutOf({
      layers: [entriesOf(from, ""), [{ name: "tests/scorecard/config.yaml", body: "x" }]],
    });
    const image = pulled(await open(t).pull(request(`oci:${directory}`, "bundle"), { signal }));
    const [original, read] = [await readBundleFiles(from), await readBundleFiles(image.directory)];
    assert.ok(original.ok && read.ok, JSON.stringify(read));
    assert.equal(read.value.digest, original.value.digest);
    assert.ok(existsSync(join(image.root, "tests/scorecard/config.yaml")));
  });

  test("takes the image for the architecture and is kept by the digest of the index", async (t) => {
    const directory = freshDirectory();
    const platforms = ["amd64", "s390x"].map((architecture) => ({ os: "linux", architecture }));
    const manifests = writeLayout(
      directory,
      platforms.map((platform) => ({
        ...catalog,
        layers: [[{ name: "configs/arch", body: platform.architecture }]],
        platform,
      })),
    );
    const index = writeBlob(directory, { schemaVersion: 2, mediaType: indexType, manifests }, indexType);
    writeIndex(directory, [index]);
    const image = pulled(await open(t, { architecture: "s390x" }).pull(request(`oci:${directory}`), { signal }));
    assert.equal(image.digest, index.digest);
    assert.equal(readFileSync(join(image.directory, "arch"), "utf8"), "s390x");
    const problem = problemOf(await open(t, { architecture: "arm64" }).pull(request(`oci:${directory}`), { signal }));
    assert.equal(problem.kind, "invalid");
    assert.match(problem.cause, /no image for linux\/arm64 in the index, which has linux\/amd64, linux\/s390x/);
  });

  test("of held content asks the registry for the digest of a tag only, and for nothing with a digest", async (t) => {
    const registry = new LayoutRegistry(catalog);
    const images = open(t, { openSource: registry.open });
    const { digest } = pulled(await images.pull(request("host/a:1"), { signal }));
    assert.deepEqual(registry.asked.splice(0), ["resolve", "manifest", "blob", "blob", "blob"]);
    pulled(await images.pull(request("host/a:1"), { signal }));
    assert.deepEqual(registry.asked.splice(0), ["resolve"]);
    pulled(await images.pull(request(`host/a@${digest}`), { signal }));
    assert.deepEqual(await images.resolve(request(`host/b@${digest}`), { signal }), done(digest));
    assert.deepEqual(registry.asked, []);
    assert.equal(registry.closed, 3);
  });

  test("of a bundle asks for its manifest at once", async (t) => {
    const directories = ["manifests", "metadata"];
    const labels = Object.fromEntries(
      directories.map((name) => [`operators.operatorframework.io.bundle.${name}.v1`, `${name}/`]),
    );
    const layer = directories.map((name) => ({ name: `${name}/a.yaml`, body: name }));
    const registry = new LayoutRegistry({ labels, layers: [layer] });
    const images = open(t, { openSource: registry.open });
    pulled(await images.pull(request("host/a:1", "bundle"), { signal }));
    assert.equal(registry.asked[0], "resolve by manifest");
  });

  test("many at once for one digest are one, and all get its progress", async (t) => {
    const registry = new LayoutRegistry(catalog);
    const images = open(t, { openSource: registry.open });
    const progress = new Map<string, string[]>();
    const references = Array.from({ length: 20 }, (_, index) => `host/a:${index}`);
    const results = await Promise.all(
      references.map((reference) =>
        images.pull(request(reference), {
          signal,
          onProgress: (step) => progress.set(step.reference, [...(progress.get(step.reference) ?? []), step.kind]),
        }),
      ),
    );
    const [first] = results;
    for (const result of results) assert.deepEqual(result, first);
    assert.equal(registry.asked.filter((name) => name === "blob").length, 3);
    assert.equal(registry.closed, 20);
    for (const reference of references)
      assert.deepEqual(progress.get(reference), ["resolved", "downloading", "downloading", "unpacking", "complete"]);
  });

  test("never runs more than 16 times at once", async (t) => {
    let running = 0;
    let most = 0;
    const registries = Array.from({ length: 40 }, (_, index) => {
      const registry = new LayoutRegistry({ ...catalog, labels: { ...catalog.labels, n: String(index) } });
      registry.beforeBlob = async ({ mediaType }) => {
        // One for each pull.
        if (!mediaType.includes("config")) return undefined;
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return undefined;
      };
      return registry;
    });
    const openSource: ImagesOptions["openSource"] = (asked) =>
      registries[Number(asked.reference.split(":")[1])]?.open(asked) ?? noRegistry(asked);
    const images = open(t, { openSource });
    const results = await Promise.all(
      registries.map((_, index) => images.pull(request(`host/a:${index}`), { signal })),
    );
    assert.equal(new Set(results.map((result) => pulled(result).root)).size, 40);
    assert.ok(most > 1 && most <= 16, String(most));
  });

  test("that fails is tried again by a request with other credentials, not by one with the same", async (t) => {
    const registry = new LayoutRegistry(catalog);
    const refusal = (reference: string) =>
      failed({ kind: "unauthorized", reference, cause: "401", remedy: "Log in." } satisfies ImageProblem);
    let opened = 0;
    registry.beforeBlob = async () =>
      opened <= 3 && registry.asked.filter((name) => name === "blob").length === 1 ? refusal("host/a:1") : undefined;
    const images = open(t, {
      openSource: (asked) => {
        opened++;
        return registry.open(asked);
      },
    });
    const other = { ...request("host/a:1"), credentials: [{ path: "host", username: "u", password: "p" }] };
    const [first, same, changed] = await Promise.all([
      images.pull(request("host/a:1"), { signal }),
      images.pull(request("host/a:1"), { signal }),
      images.pull(other, { signal }),
    ]);
    assert.equal(problemOf(first).kind, "unauthorized");
    assert.equal(problemOf(same).kind, "unauthorized");
    pulled(changed);
  });

  test("goes on for the others when the one that began it leaves", async (t) => {
    const registry = new LayoutRegistry(catalog);
    const held: (() => void)[] = [];
    const started = new Promise<void>((begun) => {
      registry.beforeBlob = () =>
        new Promise((resolve) => {
          held.push(() => resolve(undefined));
          begun();
        });
    });
    const images = open(t, { openSource: registry.open });
    const first = new AbortController();
    const one = images.pull(request("host/a:1"), { signal: first.signal });
    const two = images.pull(request("host/a:1"), { signal });
    await started;
    first.abort(new Error("gone"));
    await assert.rejects(one, /gone/);
    registry.beforeBlob = () => Promise.resolve(undefined);
    for (const go of held) go();
    pulled(await two);
    assert.equal(registry.closed, 2);
  });

  test("that everybody leaves ends and leaves nothing", async (t) => {
    const registry = new LayoutRegistry(catalog);
    const images = open(t, { openSource: registry.open });
    const leaving = new AbortController();
    registry.beforeBlob = async ({ mediaType }) => {
      if (!mediaType.includes("layer")) return undefined;
      return done(new Readable({ read: () => leaving.abort(new Error("gone")) }));
    };
    await assert.rejects(images.pull(request("host/a:1"), { signal: leaving.signal }), /gone/);
    for (let turn = 0; turn < 100_000 && readdirSync(images.store).length > 0; turn++)
      await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(readdirSync(images.store), []);
    registry.beforeBlob = () => Promise.resolve(undefined);
    pulled(await images.pull(request("host/a:1"), { signal }));
  });

  test("ends when the images are closed", async (t) => {
    const registry = new LayoutRegistry(catalog);
    const images = open(t, { openSource: registry.open });
    const waiting = new Promise<void>((begun) => {
      registry.beforeBlob = () => {
        begun();
        return new Promise(() => undefined);
      };
    });
    const result = images.pull(request("host/a:1"), { signal });
    await waiting;
    await images.close();
    await assert.rejects(result, /images were closed/);
    await assert.rejects(images.pull(request("host/a:1"), { signal }), /images were closed/);
  });
});

describe("the signature policy", () => {
  test("is asked before anything is read but the digest, and again for held content", async (t) => {
    const registry = new LayoutRegistry(catalog);
    let accepts = false;
    const questions: string[] = [];
    const images = open(t, {
      openSource: registry.open,
      verify: async ({ request: { reference, policy }, digest }) => {
        questions.push(`${reference} ${policy.join()} ${digest.slice(0, 7)}`);
        return accepts
          ? done(undefined)
          : failed({ kind: "signature", reference, cause: "not signed", remedy: "Sign it." });
      },
    });
    const scoped = { ...request("host/a:1"), policy: ["catalog/x"] };
    assert.equal(problemOf(await images.pull(scoped, { signal })).kind, "signature");
    assert.deepEqual(registry.asked, ["resolve"]);
    assert.ok(!existsSync(images.store));
    accepts = true;
    pulled(await images.pull(scoped, { signal }));
    accepts = false;
    assert.equal(problemOf(await images.pull(scoped, { signal })).kind, "signature");
    assert.deepEqual(new Set(questions), new Set(["host/a:1 catalog/x sha256:"]));
  });
});

describe("a problem", () => {
  test("of a missing label is final for a digest, not for a tag", async (t) => {
    const registry = new LayoutRegistry({ layers: [[{ name: "configs/a" }]] });
    const images = open(t, { openSource: registry.open });
    const { digest } = { digest: await images.resolve(request("host/a:1"), { signal }) };
    assert.ok(digest.ok);
    for (const [reference, isFinal] of [
      ["host/a:1", false],
      [`host/a@${digest.value}`, true],
      [`host/a:1@${digest.value}`, true],
    ] as const) {
      const problem = problemOf(await images.pull(request(reference), { signal }));
      assert.deepEqual([problem.kind, problem.isFinal, problem.reference], ["content", isFinal, reference]);
      assert.equal(problem.cause, `catalog image is missing the required label "${configsLabel}"`);
    }
    assert.deepEqual(readdirSync(images.store), []);
  });

  test("of a small image asks for layers and configuration at the same time, of a larger one for the configuration first", async (t) => {
    const small = { ...catalog, layers: [...catalog.layers.slice(1), [{ name: "etc/passwd", body: "root" }]] };
    const large = { layers: [[{ name: "etc/large", body: randomBytes(2 ** 20) }]] };
    for (const [image, asked] of [
      [small, ["config", "layer", "layer"]],
      [large, ["config"]],
    ] as const) {
      const registry = new LayoutRegistry(image);
      const kinds: string[] = [];
      let isComplete = (): void => undefined;
      const complete = new Promise<void>((resolve) => (isComplete = resolve));
      registry.beforeBlob = async ({ mediaType }) => {
        kinds.push(mediaType.includes("config") ? "config" : "layer");
        if (kinds.length === asked.length) isComplete();
        // Nothing is answered until all that is asked for at once has been.
        await complete;
        return undefined;
      };
      const images = open(t, { openSource: registry.open });
      await images.pull(request("host/a:1"), { signal });
      assert.deepEqual(kinds.sort(), asked);
    }
  });

  test("keeps the layers of a small image in memory, those of a larger one in files until they are unpacked", async (t) => {
    const bodies = [1000, 2 ** 20];
    for (const [index, files] of [[], ["blob-0"]].entries()) {
      const layers = [[{ name: "configs/a", body: randomBytes(bodies[index] ?? 0) }]];
      const images = open(t, { openSource: new LayoutRegistry({ ...catalog, layers }).open });
      const found: string[] = [];
      const onProgress = ({ kind }: PullProgress): void => {
        if (kind !== "unpacking") return;
        for (const directory of readdirSync(images.store)) found.push(...readdirSync(join(images.store, directory)));
      };
      const pulled = await images.pull(request("host/a:1"), { signal, onProgress });
      assert.equal(pulled.ok, true);
      assert.deepEqual(found, files);
      assert.equal(readdirSync(images.store).length, 1);
    }
  });

  test("of a small image ends with the problem of its configuration while a layer is still waited for", async (t) => {
    const registry = new LayoutRegistry(catalog);
    const cause = "the configuration is not there";
    registry.beforeBlob = ({ mediaType }) =>
      mediaType.includes("config")
        ? Promise.resolve(failed({ kind: "notFound", reference: "host/a:1", cause, remedy: "" }))
        : Promise.resolve(done(new Readable({ read: () => undefined })));
    const images = open(t, { openSource: registry.open });
    assert.equal(problemOf(await images.pull(request("host/a:1"), { signal })).cause, cause);
    assert.deepEqual(readdirSync(images.store), []);
  });

  const hostile: readonly (readonly [given: string, image: LayoutImage, kind: ImageProblem["kind"], cause: RegExp])[] =
    [
      ["an entry with ..", { ...catalog, layers: [[{ name: "../x", body: "x" }]] }, "limit", /the path holds "\.\."/],
      ["a missing directory", { ...catalog, layers: [[{ name: "etc/x" }]] }, "content", /no directory "\/configs"/],
      [
        "more layers than its configuration names",
        { ...catalog, diffIds: [] },
        "invalid",
        /host\/a:1: the manifest has 2 layers, but rootfs.diff_ids of the image configuration names 0$/,
      ],
      [
        "a layer that its configuration does not name",
        { ...catalog, diffIds: ["1", "2"].map((digit) => `sha256:${digit.repeat(64)}`) },
        "invalid",
        /host\/a:1: layer 1 of 2 has the digest sha256:[0-9a-f]{64} after decompression, but rootfs.diff_ids .* names sha256:1{64}$/,
      ],
      [
        "a chart",
        {
          ...catalog,
          layers: [{ bytes: Buffer.from("x"), mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip" }],
        },
        "invalid",
        /not a layer/,
      ],
      [
        "a broken layer",
        { ...catalog, layers: [{ bytes: Buffer.from("x"), mediaType: "application/vnd.oci.image.layer.v1.tar" }] },
        "invalid",
        /cut off/,
      ],
    ];
  for (const [given, image, kind, cause] of hostile)
    test(`of ${given} leaves nothing in the store`, async (t) => {
      const images = open(t, { openSource: new LayoutRegistry(image).open });
      const problem = problemOf(await images.pull(request("host/a:1"), { signal }));
      assert.equal(problem.kind, kind, problem.cause);
      assert.match(problem.cause, cause);
      assert.match(problem.cause, /host\/a:1/);
      assert.deepEqual(readdirSync(images.store), []);
    });

  test("of an archive of docker save: a layer that its configuration does not name", async (t) => {
    const layer = tarArchive([{ name: "configs/a", body: "changed" }]);
    const diffId = `sha256:${"1".repeat(64)}`;
    for (const [diffIds, cause] of [
      [
        [diffId],
        `layer 1 of 1 has the digest ${digestOf(layer)} after decompression, but rootfs.diff_ids of the image configuration names ${diffId}`,
      ],
      [[diffId, diffId], "the manifest has 1 layers, but rootfs.diff_ids of the image configuration names 2"],
    ] as const) {
      const config = { config: { Labels: catalog.labels }, rootfs: { type: "layers", diff_ids: diffIds } };
      const file = join(freshDirectory(), "saved.tar");
      writeFileSync(
        file,
        tarArchive([
          { name: "config.json", body: JSON.stringify(config) },
          { name: "1/layer.tar", body: layer },
          { name: "manifest.json", body: JSON.stringify([{ Config: "config.json", Layers: ["1/layer.tar"] }]) },
        ]),
      );
      const images = open(t);
      const problem = problemOf(await images.pull(request(`docker-archive:${file}`), { signal }));
      assert.deepEqual([problem.kind, problem.cause], ["invalid", `image docker-archive:${file}: ${cause}`]);
      assert.deepEqual(readdirSync(images.store), []);
    }
  });

  test("of the source ends the pull and leaves nothing in the store", async (t) => {
    for (const [kind, end] of [
      [
        "invalid",
        (reference: string) =>
          new ImageError({ kind: "invalid", reference, cause: "wrong digest", remedy: "Push it anew." }),
      ],
      ["unreachable", () => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" })],
    ] as const) {
      const registry = new LayoutRegistry(catalog);
      registry.beforeBlob = async ({ mediaType }) =>
        mediaType.includes("layer") ? done(Readable.from(failing(end("host/a:1")))) : undefined;
      const images = open(t, { openSource: registry.open });
      assert.equal(problemOf(await images.pull(request("host/a:1"), { signal })).kind, kind);
      assert.deepEqual(readdirSync(images.store), []);
    }
  });

  test("of indexes: too deep, a wrong digest, something else", async (t) => {
    const directory = freshDirectory();
    let inner = writeBlob(directory, { schemaVersion: 2, manifests: [] }, indexType);
    for (let depth = 0; depth < 6; depth++)
      inner = writeBlob(directory, { schemaVersion: 2, manifests: [inner] }, indexType);
    writeIndex(directory, [inner]);
    const images = open(t);
    const cause = async (): Promise<string> =>
      problemOf(await images.pull(request(`oci:${directory}`), { signal })).cause;
    assert.match(await cause(), /more than 4 levels deep/);
    writeIndex(directory, [writeBlob(directory, Buffer.from("<html>"), manifestType)]);
    assert.match(await cause(), /not a JSON object/);
    const one = writeBlob(directory, { schemaVersion: 2, manifests: [], annotations: { is: "one" } }, indexType);
    const two = writeBlob(directory, { schemaVersion: 2, manifests: [one] }, indexType);
    const place = join(directory, "blobs", one.digest.replace(":", "/"));
    writeFileSync(place, JSON.stringify({ schemaVersion: 2, manifests: [two] }));
    writeIndex(directory, [two]);
    assert.match(await cause(), new RegExp(`manifest ${one.digest} has the content of sha256:[0-9a-f]{64}$`));
    const registry = new LayoutRegistry(catalog);
    const lying = open(t, {
      openSource: async (asked) => {
        const source = await registry.open(asked);
        if (!source.ok) return source;
        const manifest = async (digest: Digest) => done({ digest, mediaType: manifestType, bytes: Buffer.from("{}") });
        return done({ ...source.value, manifest });
      },
    });
    assert.match(problemOf(await lying.pull(request("host/a:1"), { signal })).cause, /it has the content of sha256:/);
  });

  test("of a configuration or layers that are too large is found before they are fetched", async (t) => {
    const registry = new LayoutRegistry(catalog);
    const images = open(t, { openSource: registry.open, limits: { inflatedBytes: 10 } });
    const problem = problemOf(await images.pull(request("host/a:1"), { signal }));
    assert.equal(problem.kind, "limit");
    assert.deepEqual(registry.asked, ["resolve", "manifest"]);
  });

  test("of a full store says so and keeps what there is", async (t) => {
    const { directory } = layoutOf(catalog);
    const images = open(t, { mostBytes: 10 });
    const problem = problemOf(await images.pull(request(`oci:${directory}`), { signal }));
    assert.equal(problem.kind, "machine");
    assert.match(problem.cause, /with 40 bytes does not fit in the image store .*, which may hold 10 bytes/);
    assert.deepEqual(readdirSync(images.store), []);
  });

  test("of a directory that cannot be made is one of this machine", async (t) => {
    const store = join(freshDirectory(), "file");
    writeFileSync(store, "");
    const { directory } = layoutOf(catalog);
    for (const [reference, openSource] of [
      [`oci:${directory}`, noRegistry],
      ["host/a:1", new LayoutRegistry(catalog).open],
    ] as const) {
      const images = createImages({ directory: store, clock: systemClock, openSource });
      t.after(() => images.close());
      assert.equal(problemOf(await images.pull(request(reference), { signal })).kind, "machine");
    }
  });
});

async function* failing(error: Error): AsyncGenerator<Buffer> {
  yield Buffer.from("a");
  throw error;
}

/** Runs code in a process of its own that shares this test's modules. */
function scriptOf(code: string): string {
  const file = join(scratch, `script-${count++}.ts`);
  writeFileSync(
    file,
    `import { createImages } from ${JSON.stringify(join(import.meta.dirname, "create-images.ts"))};
     import { systemClock } from ${JSON.stringify(import.meta.resolve("@purser/kubernetes/system/system-clock"))};
     const [directory, reference] = process.argv.slice(2);
     const openSource = () => { throw new Error("no registry"); };
     const images = createImages({ directory, clock: systemClock, openSource });
     const request = { reference, wanted: "catalog", credentials: [], policy: [] };
     const pull = (onProgress) => images.pull(request, { signal: new AbortController().signal, onProgress });
     ${code}`,
  );
  return file;
}

describe("the disk", () => {
  test("when it is full, the problem says so and nothing half stays", (t) => {
    const mounts = spawnSync("unshare", ["-rm", "true"]).status === 0;
    if (!mounts) return t.skip("not here: needs unshare with user and mount namespaces");
    const large = createHash("shake256", { outputLength: 2 ** 20 })
      .update("noise")
      .digest();
    const zeros = Buffer.alloc(2 ** 20);
    // One does not fit as a layer, the other fits as a layer and not unpacked.
    for (const body of [large, zeros]) {
      const { directory } = layoutOf({ ...catalog, layers: [[{ name: "configs/a", body }]] });
      const store = freshDirectory();
      const script = scriptOf(`
        const result = await pull();
        console.log(JSON.stringify({ result, left: (await import("node:fs")).readdirSync(directory + "/images") }));
        await images.close();`);
      const mount = `mount -t tmpfs -o size=512k none ${store} && exec "$0" --disable-warning=ExperimentalWarning "$@"`;
      const ran = spawnSync(
        "unshare",
        ["-rm", "sh", "-c", mount, process.execPath, script, store, `oci:${directory}`],
        {
          encoding: "utf8",
        },
      );
      const { result, left } = JSON.parse(ran.stdout || `"${ran.stderr}"`) as {
        result: Result<never, ImageProblem>;
        left: unknown;
      };
      assert.equal(problemOf(result).kind, "machine");
      assert.match(problemOf(result).cause, /the disk is full/);
      assert.deepEqual(left, []);
    }
  });

  test("shared by two processes that pull the same at once serves both", async (t) => {
    const { directory } = layoutOf(catalog);
    const store = freshDirectory();
    const script = scriptOf(`const result = await pull(); console.log(JSON.stringify(result)); await images.close();`);
    const outputs = await Promise.all(Array.from({ length: 3 }, () => output(script, store, `oci:${directory}`)));
    const images = open(t, { directory: store });
    const own = await images.pull(request(`oci:${directory}`), { signal });
    for (const text of outputs) assert.deepEqual(JSON.parse(text), own);
    assert.equal(readdirSync(images.store).length, 1);
  });

  test("after a kill in the middle holds the image or nothing of it, and the next pull works", async (t) => {
    const { directory, digests } = layoutOf(catalog);
    const [digest = "sha256:"] = digests;
    for (const step of ["downloading", "unpacking"]) {
      const store = freshDirectory();
      const script = scriptOf(
        `await pull(({ kind }) => { if (kind === "${step}") process.kill(process.pid, "SIGKILL"); });`,
      );
      await output(script, store, `oci:${directory}`);
      const images = open(t, { directory: store });
      assert.ok(readdirSync(images.store).every((name) => name.startsWith(".scratch-")));
      assert.ok(readdirSync(images.store).length > 0);
      assert.equal(images.held(digest, "catalog"), undefined);
      pulled(await images.pull(request(`oci:${directory}`), { signal }));
      const late = open(t, { directory: store, clock: { ...systemClock, now: () => Date.now() + 2 * 60 * 60 * 1000 } });
      await late.collect(new Set([digest]));
      assert.deepEqual(readdirSync(images.store), [`${digest.slice(7)}.catalog`]);
    }
  });

  test("does not keep a process alive: it ends after its pull without closing", async () => {
    const { directory } = layoutOf(catalog);
    const text = await output(scriptOf(`console.log((await pull()).ok);`), freshDirectory(), `oci:${directory}`);
    assert.equal(text.trim(), "true");
  });
});

function output(script: string, ...args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
    child.on("error", reject).on("close", () => resolve(text));
  });
}
