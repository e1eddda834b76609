import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import {
  createReadStream,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import type { BuiltImage } from "./built-image.ts";
import { catalogImage } from "./catalog-image.ts";
import { parseTarget } from "./image-target.ts";
import { archiveTarget, layoutTarget } from "./layout-writer.ts";
import { startLocalRegistry } from "./testing/local-registry.ts";
import { missingTools } from "./testing/tools-on-path.ts";

let directory = "";
before(() => (directory = mkdtempSync(join(tmpdir(), "purser-layout-"))));
after(() => rmSync(directory, { recursive: true, force: true }));
const { signal } = new AbortController();
const run = promisify(execFile);

async function image(content: string): Promise<BuiltImage> {
  const root = mkdtempSync(join(directory, "catalog-"));
  writeFileSync(join(root, "catalog.yaml"), content);
  const built = await catalogImage(root, { signal });
  assert.ok(built.ok);
  return built.value;
}

async function put(path: string, content: BuiltImage, name: string): Promise<void> {
  const written = await layoutTarget(path, `oci:${path}`).put(content, name, { signal });
  assert.ok(written.ok, written.ok ? "" : written.problem.cause);
}

const indexOf = (path: string): readonly (readonly [digest: string, name: string | undefined])[] => {
  const { manifests } = JSON.parse(readFileSync(join(path, "index.json"), "utf8")) as {
    readonly manifests: readonly { readonly digest: string; readonly annotations?: Readonly<Record<string, string>> }[];
  };
  return manifests.map(({ digest, annotations }) => [digest, annotations?.["org.opencontainers.image.ref.name"]]);
};

test("an image is added to a layout, and replaces only the image of the same name", async () => {
  const path = join(directory, "added");
  const [one, two, three] = [await image("one"), await image("two"), await image("three")];
  await put(path, one, "a");
  await put(path, two, "b");
  await put(path, three, "");
  await put(path, three, "a");
  assert.deepEqual(indexOf(path), [
    [two.manifest.descriptor.digest, "b"],
    [three.manifest.descriptor.digest, undefined],
    [three.manifest.descriptor.digest, "a"],
  ]);
  const blobs = [one, two, three].flatMap(({ blobs: held, manifest }) => [...held, manifest]);
  const expected = new Set(blobs.map(({ descriptor }) => descriptor.digest.replace("sha256:", "")));
  assert.deepEqual(readdirSync(join(path, "blobs/sha256")).toSorted(), [...expected].toSorted());
  assert.deepEqual(readdirSync(path).toSorted(), ["blobs", "index.json", "oci-layout"]);
});

test("a damaged blob of the right name is replaced when its size differs", async () => {
  const path = join(directory, "damaged");
  const one = await image("one");
  const [config] = one.blobs;
  await put(path, one, "");
  const file = join(path, "blobs", (config?.descriptor.digest ?? "").replace(":", "/"));
  writeFileSync(file, "short");
  await put(path, one, "");
  assert.deepEqual(new Uint8Array(readFileSync(file)), config?.bytes);
});

for (const [what, content] of [
  ["text", "hello"],
  ["a list", "[]"],
  ["other members", '{"manifests": 1}'],
] as const)
  test(`a directory whose index.json holds ${what} is refused and stays as it is`, async () => {
    const path = join(directory, `foreign ${what}`);
    mkdirSync(path);
    writeFileSync(join(path, "index.json"), content);
    const written = await layoutTarget(path, `oci:${path}`).put(await image("x"), "", { signal });
    assert.equal(
      written.ok ? "" : written.problem.cause,
      `cannot write to oci:${path}: ${path}/index.json is not the index of an OCI layout`,
    );
    assert.deepEqual(readdirSync(path), ["index.json"]);
    assert.equal(readFileSync(join(path, "index.json"), "utf8"), content);
  });

test("a path below a file is a problem that names the reference", async () => {
  const path = join(directory, "file");
  writeFileSync(path, "");
  const written = await layoutTarget(join(path, "x"), "oci:x").put(await image("x"), "", { signal });
  assert.match(written.ok ? "" : written.problem.cause, /^cannot write to oci:x: ENOTDIR/);
});

test("an archive of the same image has the same bytes, and replaces the file that is there", async () => {
  const content = await image("archived");
  const files = ["a.tar", "b.tar"].map((name) => join(directory, "archives", name));
  for (const file of [...files, files[0] ?? ""]) {
    const target = archiveTarget(file, `oci-archive:${file}`);
    assert.ok((await target.put(content, "v1", { signal })).ok);
    assert.ok((await target.finish(signal)).ok);
    await target.close();
  }
  const [a, b] = files.map((file) => readFileSync(file));
  assert.deepEqual(a, b);
  assert.deepEqual(readdirSync(join(directory, "archives")), ["a.tar", "b.tar"]);
});

test("an archive goes into a pipe, which is not replaced", async () => {
  const content = await image("piped");
  const pipe = join(directory, "pipe");
  execFileSync("mkfifo", [pipe]);
  const read = buffer(createReadStream(pipe));
  const target = archiveTarget(pipe, `oci-archive:${pipe}`);
  assert.ok((await target.put(content, "v1", { signal })).ok);
  assert.ok((await target.finish(signal)).ok);
  await target.close();
  assert.match((await read).toString("latin1"), /index\.json/);
  assert.ok(lstatSync(pipe).isFIFO());
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith(".purser")),
    [],
  );
});

test("an archive that is not finished leaves no file", async () => {
  const target = archiveTarget(join(directory, "unfinished", "a.tar"), "oci-archive:a.tar");
  assert.ok((await target.put(await image("x"), "", { signal })).ok);
  await target.close();
  assert.deepEqual(readdirSync(join(directory, "unfinished")), []);
});

const targets: readonly (readonly [reference: string, expected: unknown])[] = [
  ["oci:out", { kind: "layout", path: "out", name: "" }],
  ["oci:./a/b:v1", { kind: "layout", path: "./a/b", name: "v1" }],
  ["oci-archive:a.tar:quay.io/a/b:v1", { kind: "archive", path: "a.tar", name: "quay.io/a/b:v1" }],
  ["quay.io/a/b:v1", { kind: "registry", host: "quay.io", repository: "a/b", name: "v1" }],
  ["docker://localhost:5000/b:v1", { kind: "registry", host: "localhost:5000", repository: "b", name: "v1" }],
  ["localhost/b:v1", { kind: "registry", host: "localhost", repository: "b", name: "v1" }],
  ["docker.io/b:v1", { kind: "registry", host: "docker.io", repository: "library/b", name: "v1" }],
  ["oci:", "it names no path"],
  ["oci::v1", "it names no path"],
  ["oci:a:..\nb", 'the name "..\\nb" holds characters that names may not hold'],
  ["catalog:v1", "it names no registry"],
  ["acme/catalog:v1", "it names no registry"],
  ["quay.io/a/b", "it names no tag"],
  [`quay.io/a/b@sha256:${"0".repeat(64)}`, "a digest follows from the content"],
  ["quay.io/A/b:v1", "invalid reference format: repository name must be lowercase"],
  ["quay.io/a b:v1", "invalid reference format"],
];
for (const [reference, expected] of targets)
  test(`${JSON.stringify(reference)} is ${typeof expected === "string" ? "refused" : "a target"}`, () => {
    const parsed = parseTarget(reference);
    if (parsed.ok) return assert.deepEqual(parsed.value, expected);
    assert.equal(parsed.problem.cause, `cannot write to ${JSON.stringify(reference)}: ${String(expected)}`);
  });

test(
  "skopeo reads layouts and archives, and a registry gets the same bytes from it",
  {
    skip: missingTools("skopeo", "docker-registry"),
  },
  async () => {
    const content = await image("read by skopeo");
    const { digest } = content.manifest.descriptor;
    const path = join(directory, "skopeo");
    await put(path, content, "v1");
    await put(path, await image("another"), "v2");
    const archive = archiveTarget(join(directory, "skopeo.tar"), "oci-archive:skopeo.tar");
    assert.ok((await archive.put(content, "v1", { signal })).ok && (await archive.finish(signal)).ok);
    await archive.close();
    const registry = await startLocalRegistry();
    try {
      for (const [index, source] of [`oci:${path}:v1`, `oci-archive:${join(directory, "skopeo.tar")}:v1`].entries()) {
        const to = `docker://${registry.host}/catalogs/${index}:v1`;
        await run("skopeo", ["copy", "--insecure-policy", "--dest-tls-verify=false", source, to]);
        const inspected = await run("skopeo", ["inspect", "--tls-verify=false", to]);
        const { Digest, Labels } = JSON.parse(inspected.stdout) as {
          readonly Digest: string;
          readonly Labels: unknown;
        };
        assert.equal(Digest, digest);
        assert.deepEqual(Labels, { "operators.operatorframework.io.index.configs.v1": "/configs" });
        const back = join(directory, `back${index}`);
        await run("skopeo", ["copy", "--insecure-policy", "--src-tls-verify=false", to, `oci:${back}`]);
        for (const { descriptor, bytes } of [...content.blobs, content.manifest]) {
          const held = readFileSync(join(back, "blobs", descriptor.digest.replace(":", "/")));
          assert.deepEqual(new Uint8Array(held), new Uint8Array(bytes));
        }
      }
    } finally {
      await registry.stop();
    }
  },
);
