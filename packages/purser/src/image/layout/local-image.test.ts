import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { Digest } from "@purser/kubernetes/digest";
import type { Result } from "@purser/kubernetes/result";
import { ImageError, type ImageSource } from "../image-source.ts";
import type { ImageProblem } from "../image-problem.ts";
import { defaultUnpackLimits } from "../layers/unpack-limits.ts";
import { entriesOf, gzipLayer, writeBlob, writeIndex, writeLayout } from "../testing/layout-images.ts";
import { tarArchive } from "../testing/tar-archive.ts";
import { decodeManifest } from "./image-manifest.ts";
import { isLocalReference, parseLocalReference } from "./local-reference.ts";
import { openLocalImage } from "./open-local-image.ts";

const scratch = mkdtempSync(join(tmpdir(), "local-image-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => mkdtempSync(join(scratch, `d${count++}-`));
const { signal } = new AbortController();

async function opened(reference: string): Promise<Result<ImageSource, ImageProblem>> {
  return openLocalImage(reference, join(fresh(), "inflated"), defaultUnpackLimits);
}

async function resolved(reference: string): Promise<Digest | ImageProblem> {
  const source = await opened(reference);
  if (!source.ok) return source.problem;
  const digest = await source.value.resolve(signal);
  await source.value.close();
  return digest.ok ? digest.value : digest.problem;
}

/** Manifest, configuration and layers of the image as the source gives them. */
async function contents(source: ImageSource): Promise<readonly Buffer[]> {
  const digest = await source.resolve(signal);
  assert.ok(digest.ok, JSON.stringify(digest));
  const raw = await source.manifest(digest.value, signal);
  assert.ok(raw.ok, JSON.stringify(raw));
  const manifest = decodeManifest(raw.value.bytes, raw.value.mediaType);
  assert.ok(manifest.ok && manifest.value.kind === "image");
  const found: Buffer[] = [Buffer.from(raw.value.bytes)];
  for (const descriptor of [manifest.value.config, ...manifest.value.layers]) {
    const blob = await source.blob(descriptor, signal);
    assert.ok(blob.ok, JSON.stringify(blob));
    const chunks: Buffer[] = [];
    for await (const chunk of blob.value as AsyncIterable<Buffer>) chunks.push(chunk);
    found.push(Buffer.concat(chunks));
  }
  return found;
}

function tarOf(directory: string): Buffer {
  return tarArchive(entriesOf(directory, ""));
}

describe("references of local images", () => {
  const cases: readonly (readonly [string, object | undefined])[] = [
    ["oci:dir", { transport: "oci", path: "dir" }],
    ["oci:./a/b:1.0", { transport: "oci", path: "./a/b", name: "1.0" }],
    ["oci:dir:@0", { transport: "oci", path: "dir", name: "@0" }],
    ["docker-archive:f.tar:host:5000/a/b:1", { transport: "docker-archive", path: "f.tar", name: "host:5000/a/b:1" }],
    ["oci:", undefined],
    ["oci:dir:", undefined],
    ["docker://host/a:1", undefined],
    ["host/a:1", undefined],
  ];
  for (const [text, reference] of cases)
    test(text, () => {
      assert.deepEqual(parseLocalReference(text), reference);
    });

  test("a registry is not taken for a transport, a broken path is", () => {
    assert.deepEqual(
      ["oci:", "oci-archive:x", "oci://x", "oci/x:1", "docker://a/b"].map((text) => isLocalReference(text)),
      [true, true, false, false, false],
    );
  });
});

describe("OCI layouts", () => {
  const layers = [[{ name: "configs/a", body: "text" }]];

  test("an image by its name, by its place and as the only one", async () => {
    const directory = fresh();
    const [one, two] = writeLayout(directory, [
      { layers, name: "one" },
      { layers, name: "two", labels: { a: "b" } },
    ]);
    assert.equal(await resolved(`oci:${directory}:one`), one?.digest);
    assert.equal(await resolved(`oci:${directory}:two`), two?.digest);
    assert.equal(await resolved(`oci:${directory}:@1`), two?.digest);
    const alone = fresh();
    const [only] = writeLayout(alone, [{ layers }]);
    assert.equal(await resolved(`oci:${alone}`), only?.digest);
  });

  test("the problem lists the names that there are", async () => {
    const directory = fresh();
    const images = writeLayout(directory, [
      { layers, name: "one" },
      { layers, name: "two", labels: { a: "b" } },
    ]);
    const cause = async (reference: string): Promise<string> => {
      const problem = await resolved(reference);
      assert.ok(typeof problem === "object");
      assert.equal(problem.kind, "notFound");
      return problem.cause.replace(`image ${reference}: `, "");
    };
    assert.equal(await cause(`oci:${directory}`), "it holds 2 images: one, two");
    assert.equal(await cause(`oci:${directory}:x`), "no image is named x; it holds 2 images: one, two");
    assert.equal(await cause(`oci:${directory}:@2`), "no image is named @2; it holds 2 images: one, two");
    writeIndex(directory, [...images, ...images]);
    assert.match(await cause(`oci:${directory}:one`), /several images are named one/);
    writeIndex(directory, []);
    assert.equal(await cause(`oci:${directory}`), "it holds no image");
  });

  for (const [packing, pack] of [
    ["plain", (bytes: Buffer) => bytes],
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
  ] as const)
    test(`an archive of a layout (${packing}) gives the same bytes as the directory`, async () => {
      const directory = fresh();
      writeLayout(directory, [{ layers: [...layers, [{ name: "b" }]] }]);
      const file = join(fresh(), "image.tar");
      writeFileSync(file, pack(tarOf(directory)));
      const [ofDirectory, ofArchive] = [await opened(`oci:${directory}`), await opened(`oci-archive:${file}`)];
      assert.ok(ofDirectory.ok && ofArchive.ok, JSON.stringify(ofArchive));
      assert.deepEqual(await contents(ofArchive.value), await contents(ofDirectory.value));
      await ofArchive.value.close();
    });

  test("what was decompressed is removed when the source is closed", async () => {
    const directory = fresh();
    writeLayout(directory, [{ layers }]);
    const file = join(fresh(), "image.tar");
    writeFileSync(file, gzipSync(tarOf(directory)));
    const inflated = join(fresh(), "inflated");
    const source = await openLocalImage(`oci-archive:${file}`, inflated, defaultUnpackLimits);
    assert.ok(source.ok && existsSync(inflated));
    await source.value.close();
    assert.ok(!existsSync(inflated));
  });

  test("a bomb in place of an archive leaves nothing", async () => {
    const file = join(fresh(), "bomb.tar.gz");
    writeFileSync(file, gzipSync(Buffer.alloc(8 * 2 ** 20)));
    const inflated = join(fresh(), "inflated");
    const limits = { ...defaultUnpackLimits, ratioFreeBytes: 2 ** 20 };
    const source = await openLocalImage(`oci-archive:${file}`, inflated, limits);
    assert.ok(!source.ok && source.problem.kind === "limit", JSON.stringify(source));
    assert.ok(!existsSync(inflated));
  });

  test("a blob with other bytes, fewer or more ends with a problem", async () => {
    const directory = fresh();
    const layer = Buffer.from("a layer");
    const descriptor = writeBlob(directory, layer, gzipLayer);
    const path = join(directory, "blobs", descriptor.digest.replace(":", "/"));
    writeIndex(directory, []);
    for (const [bytes, cause] of [
      [Buffer.from("b layer"), /has the content of sha256:/],
      [layer.subarray(1), /has 6 bytes instead of 7/],
      [Buffer.concat([layer, layer]), /is larger than the 7 bytes/],
    ] as const) {
      writeFileSync(path, bytes);
      const source = await opened(`oci:${directory}`);
      assert.ok(source.ok);
      const blob = await source.value.blob(descriptor, signal);
      assert.ok(blob.ok);
      await assert.rejects(
        async () => {
          for await (const chunk of blob.value) assert.ok(chunk);
        },
        (error) => error instanceof ImageError && error.problem.kind === "invalid" && cause.test(error.problem.cause),
      );
    }
  });

  test("a manifest with other bytes is a problem", async () => {
    const directory = fresh();
    const [image] = writeLayout(directory, [{ layers }]);
    assert.ok(image);
    appendFileSync(join(directory, "blobs", image.digest.replace(":", "/")), " ");
    const source = await opened(`oci:${directory}`);
    const raw = source.ok && (await source.value.manifest(image.digest, signal));
    assert.ok(raw && !raw.ok && raw.problem.kind === "invalid" && /has the content of/.test(raw.problem.cause));
  });

  test("a manifest of 100 MB is a problem", async () => {
    const directory = fresh();
    const [image] = writeLayout(directory, [{ layers }]);
    assert.ok(image);
    truncateSync(join(directory, "blobs", image.digest.replace(":", "/")), 10 ** 8);
    const source = await opened(`oci:${directory}`);
    const raw = source.ok && (await source.value.manifest(image.digest, signal));
    assert.ok(raw && !raw.ok);
    assert.equal(raw.problem.kind, "limit");
    assert.match(raw.problem.cause, /manifest sha256:[0-9a-f]{64} has more than 4194304 bytes$/);
  });

  const wrong: readonly (readonly [
    given: string,
    make: (directory: string) => string,
    kind: ImageProblem["kind"],
    cause: RegExp,
  ])[] = [
    ["no path", () => "oci:", "reference", /no path behind the transport/],
    ["a directory that does not exist", (directory) => `oci:${directory}/none`, "notFound", /does not exist/],
    ["an empty directory", (directory) => `oci:${directory}`, "notFound", /no index.json/],
    ["a file as a layout", (directory) => `oci:${written(directory, "f", "x")}`, "invalid", /is not a directory/],
    ["a directory as an archive", (directory) => `oci-archive:${directory}`, "invalid", /is a directory/],
    [
      "a page as an archive",
      (directory) => `oci-archive:${written(directory, "f", "<html>".repeat(99))}`,
      "invalid",
      /wrong checksum/,
    ],
    [
      "an empty file as an archive",
      (directory) => `docker-archive:${written(directory, "f", "")}`,
      "invalid",
      /no manifest.json/,
    ],
    [
      "an index.json that is none",
      (directory) => `oci:${join(written(directory, "index.json", "[]"), "..")}`,
      "invalid",
      /not an OCI image index/,
    ],
    [
      "an index with a broken digest",
      (directory) => `oci:${join(written(directory, "index.json", brokenIndex), "..")}`,
      "invalid",
      /no SHA-256 digest/,
    ],
    [
      "an index.json of 100 MB",
      (directory) => `oci:${join(written(directory, "index.json", Buffer.alloc(10 ** 8, " ")), "..")}`,
      "limit",
      /index\.json has more than 4194304 bytes$/,
    ],
    [
      "a manifest.json of 100 MB",
      (directory) => {
        const list = { name: "manifest.json", body: Buffer.alloc(10 ** 8, " ") };
        return `docker-archive:${written(directory, "f", tarArchive([list]))}`;
      },
      "limit",
      /manifest\.json has more than 4194304 bytes$/,
    ],
    [
      "an archive with ..",
      (directory) => `oci-archive:${written(directory, "f", tarArchive([{ name: "../index.json" }]))}`,
      "limit",
      /\.\./,
    ],
  ];
  for (const [given, make, kind, cause] of wrong)
    test(`a problem for ${given}`, async () => {
      const problem = await resolved(make(fresh()));
      assert.ok(typeof problem === "object");
      assert.equal(problem.kind, kind, problem.cause);
      assert.match(problem.cause, cause);
      assert.ok(problem.remedy.length > 0);
    });
});

const brokenIndex = JSON.stringify({ manifests: [{ mediaType: "m", digest: "sha256:../../../etc/passwd", size: 1 }] });

function written(directory: string, name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

describe("archives of docker save", () => {
  const layer = tarArchive([{ name: "configs/a", body: "text" }]);
  const config = JSON.stringify({ config: { Labels: { a: "b" } } });

  function archive(images: readonly object[], more: Parameters<typeof tarArchive>[0] = []): string {
    return written(
      fresh(),
      "saved.tar",
      tarArchive([
        { name: "c.json", body: config },
        { name: "1/layer.tar", body: layer },
        { name: "2/layer.tar", flag: "2", link: "../1/layer.tar" },
        ...more,
        { name: "manifest.json", body: JSON.stringify(images) },
      ]),
    );
  }

  test("an image becomes a manifest of Docker schema 2 with the bytes of the archive, links included", async () => {
    const file = archive([{ Config: "c.json", RepoTags: null, Layers: ["1/layer.tar", "2/layer.tar"] }]);
    const source = await opened(`docker-archive:${file}`);
    assert.ok(source.ok);
    const [manifest, ...blobs] = await contents(source.value);
    assert.deepEqual(blobs, [Buffer.from(config), layer, layer]);
    assert.equal((JSON.parse(String(manifest)) as { schemaVersion: number }).schemaVersion, 2);
    assert.equal(await resolved(`docker-archive:${file}`), await resolved(`docker-archive:${file}:@0`));
  });

  test("an image by its tag", async () => {
    const image = (tag: string, layers: readonly string[]): object => ({
      Config: "c.json",
      RepoTags: [tag],
      Layers: layers,
    });
    const file = archive([image("host:5000/a:latest", ["1/layer.tar"]), image("host:5000/a:2", [])]);
    const latest = await resolved(`docker-archive:${file}:host:5000/a:latest`);
    assert.ok(typeof latest === "string");
    assert.equal(await resolved(`docker-archive:${file}:host:5000/a`), latest);
    assert.notEqual(await resolved(`docker-archive:${file}:host:5000/a:2`), latest);
    const none = await resolved(`docker-archive:${file}:host:5000/a:3`);
    assert.ok(typeof none === "object" && /host:5000\/a:latest, host:5000\/a:2/.test(none.cause));
  });

  const wrong: readonly (readonly [given: string, images: readonly object[], cause: RegExp])[] = [
    [
      "a layer that is not there",
      [{ Config: "c.json", Layers: ["3/layer.tar"] }],
      /"3\/layer.tar" is not in the archive/,
    ],
    ["a layer outside of the archive", [{ Config: "c.json", Layers: ["../../etc/passwd"] }], /is not in the archive/],
    ["a configuration that is not there", [{ Config: "d.json", Layers: [] }], /"d.json" is not in the archive/],
    ["a list of something else", [{ Layers: [] }], /not a list of images/],
    ["links in a circle", [{ Config: "loop", Layers: [] }], /"loop" is not in the archive/],
  ];
  for (const [given, images, cause] of wrong)
    test(`a problem for ${given}`, async () => {
      const file = archive(images, [{ name: "loop", flag: "2", link: "loop" }]);
      const problem = await resolved(`docker-archive:${file}`);
      assert.ok(typeof problem === "object" && cause.test(problem.cause), JSON.stringify(problem));
    });
});

describe("what skopeo writes", () => {
  test("is read back, from each transport", async (t) => {
    if (spawnSync("skopeo", ["--version"]).status !== 0) return t.skip("not here: needs skopeo");
    const directory = fresh();
    const [image] = writeLayout(directory, [{ layers: [[{ name: "configs/a", body: "text" }]], labels: { a: "b" } }]);
    const into = fresh();
    mkdirSync(join(into, "home"));
    const copy = (target: string): void => {
      const done = spawnSync("skopeo", ["copy", "--insecure-policy", `oci:${directory}`, target], {
        encoding: "utf8",
        env: { ...process.env, HOME: join(into, "home") },
      });
      assert.equal(done.status, 0, done.stderr);
    };
    copy(`oci:${into}/layout:name`);
    copy(`oci-archive:${into}/oci.tar:name`);
    copy(`docker-archive:${into}/docker.tar:example.com/a/b:1`);
    assert.equal(await resolved(`oci:${into}/layout:name`), image?.digest);
    assert.equal(await resolved(`oci-archive:${into}/oci.tar:name`), image?.digest);
    const saved = await opened(`docker-archive:${into}/docker.tar:example.com/a/b:1`);
    assert.ok(saved.ok);
    const [, config, layer] = await contents(saved.value);
    assert.equal((JSON.parse(String(config)) as { config: { Labels: object } }).config.Labels["a" as never], "b");
    assert.ok(layer?.includes("configs/a"));
    assert.ok(readdirSync(into).includes("docker.tar") && readFileSync(join(into, "docker.tar")).length > 0);
  });
});
