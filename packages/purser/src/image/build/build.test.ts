import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { unpackTar } from "modern-tar";
import { bundleImage } from "./bundle-image.ts";
import type { BuiltImage } from "./built-image.ts";
import { catalogImage } from "./catalog-image.ts";

let directory = "";
before(() => (directory = mkdtempSync(join(tmpdir(), "purser-build-"))));
after(() => rmSync(directory, { recursive: true, force: true }));
const { signal } = new AbortController();

function written(name: string, files: Readonly<Record<string, string>>, order = Object.keys(files)): string {
  for (const path of order) {
    const file = join(directory, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, files[path] ?? "");
  }
  return join(directory, name);
}

async function built(root: string): Promise<BuiltImage> {
  const image = await catalogImage(root, { signal });
  assert.ok(image.ok, image.ok ? "" : image.problem);
  return image.value;
}

const jsonOf = (bytes: Uint8Array): Readonly<Record<string, unknown>> =>
  JSON.parse(new TextDecoder().decode(bytes)) as Readonly<Record<string, unknown>>;

const catalog = { "foo/catalog.yaml": "schema: olm.package\n", "bar/catalog.json": "{}", ".indexignore": "*.md\n" };

test("a catalog image has the catalog below /configs, the label, fixed times and no other content", async () => {
  const { manifest, blobs } = await built(written("catalog", catalog));
  const [config, layer] = blobs;
  assert.ok(config !== undefined && layer !== undefined && blobs.length === 2);
  const entries = await unpackTar(gunzipSync(layer.bytes), { strict: true });
  assert.deepEqual(
    entries.map(({ header }) => [header.name, header.mode?.toString(8), header.uid, header.mtime?.getTime()]),
    [
      ["configs/", "755", 0, 0],
      ["configs/.indexignore", "644", 0, 0],
      ["configs/bar/", "755", 0, 0],
      ["configs/bar/catalog.json", "644", 0, 0],
      ["configs/foo/", "755", 0, 0],
      ["configs/foo/catalog.yaml", "644", 0, 0],
    ],
  );
  const { config: run, created, history } = jsonOf(config.bytes);
  assert.deepEqual(run, { Labels: { "operators.operatorframework.io.index.configs.v1": "/configs" } });
  assert.equal(created, "1970-01-01T00:00:00Z");
  assert.ok(Array.isArray(history) && history.length === 2);
  assert.deepEqual(jsonOf(manifest.bytes)["layers"], [layer.descriptor]);
  assert.deepEqual([...layer.bytes.subarray(0, 10)], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff]);
});

// Pins the bytes: a change of them changes the digest of every image that people have pushed.
test("the archive of a given catalog has the same digest in every version of purser", async () => {
  const { blobs } = await built(written("pinned", catalog));
  const { rootfs } = jsonOf(blobs[0]?.bytes ?? new Uint8Array());
  assert.deepEqual(rootfs, {
    type: "layers",
    diff_ids: ["sha256:b27f6850951d6d923974cf8ca9b76886b5c63373504e614bb9af15ef3e8e270e"],
  });
});

test("neither the order in which files were written nor their times and modes change the digest", async () => {
  const name = fc.stringMatching(/^[a-zäA-Z0-9._-]{1,12}$/).filter((text) => !/^\.+$/.test(text));
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.map((part) => `d${part}`));
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(path, fc.string()), {
        selector: ([parts]) => parts.join("/"),
        minLength: 1,
        maxLength: 8,
      }),
      fc.infiniteStream(fc.nat()),
      async (files, numbers) => {
        // A name that is a directory elsewhere gets an ending of its own.
        const content = Object.fromEntries(files.map(([parts, text]) => [`${parts.join("/")}.f`, text]));
        const order = Object.keys(content)
          .map((file) => [numbers.next().value ?? 0, file] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, file]) => file);
        const one = written(`one${++round}`, content);
        const other = written(`other${round}`, content, order);
        const [first = ""] = order;
        utimesSync(join(other, first), 1, 2);
        assert.equal((await built(one)).manifest.descriptor.digest, (await built(other)).manifest.descriptor.digest);
      },
    ),
    { numRuns: 25 },
  );
});

test("another name, another content and an additional empty directory each change the digest", async () => {
  const digests = new Set<string>();
  const root = written("changing", catalog);
  digests.add((await built(root)).manifest.descriptor.digest);
  writeFileSync(join(root, "foo/catalog.yaml"), "schema: olm.packagE\n");
  digests.add((await built(root)).manifest.descriptor.digest);
  mkdirSync(join(root, "empty"));
  digests.add((await built(root)).manifest.descriptor.digest);
  execFileSync("mv", [join(root, "empty"), join(root, "void")]);
  digests.add((await built(root)).manifest.descriptor.digest);
  assert.equal(digests.size, 4);
});

test("a link inside becomes a copy of its file; links that lead out or to directories are refused by name", async () => {
  const root = written("links", catalog);
  symlinkSync("foo/catalog.yaml", join(root, "linked.yaml"));
  const { blobs } = await built(root);
  const entries = await unpackTar(gunzipSync(blobs[1]?.bytes ?? new Uint8Array()));
  const linked = entries.find(({ header }) => header.name === "configs/linked.yaml");
  assert.equal(new TextDecoder().decode(linked?.data), catalog["foo/catalog.yaml"]);
  symlinkSync("foo", join(root, "z"));
  assert.deepEqual(await catalogImage(root, { signal }), {
    ok: false,
    problem: `${join(root, "z")} is a link to a directory`,
  });
  symlinkSync("/etc/hostname", join(root, "a"));
  assert.deepEqual(await catalogImage(root, { signal }), {
    ok: false,
    problem: `${join(root, "a")} is a link to a file outside of the directory`,
  });
});

test("a bundle image has one layer for each directory, scorecard tests only where there are some", async () => {
  const files = {
    "manifests/csv.yaml": "a: 1\n",
    "metadata/annotations.yaml": "b: 2\n",
    "tests/other/x": "",
    README: "",
  };
  const labels = { "z.example.com": "1", "operators.operatorframework.io.bundle.package.v1": "kiln" };
  const names = async (root: string): Promise<readonly (readonly string[])[]> => {
    const image = await bundleImage(root, labels, { signal });
    assert.ok(image.ok);
    const [config, ...layers] = image.value.blobs;
    assert.deepEqual(jsonOf(config?.bytes ?? new Uint8Array())["config"], { Labels: labels });
    return Promise.all(
      layers.map(async ({ bytes }) => (await unpackTar(gunzipSync(bytes))).map(({ header }) => header.name)),
    );
  };
  const two = [
    ["manifests/", "manifests/csv.yaml"],
    ["metadata/", "metadata/annotations.yaml"],
  ];
  assert.deepEqual(await names(written("bundle", files)), two);
  assert.deepEqual(await names(written("tested", { ...files, "tests/scorecard/config.yaml": "c: 3\n" })), [
    ...two,
    ["tests/", "tests/scorecard/", "tests/scorecard/config.yaml"],
  ]);
});

test("a path of 300 bytes and names in other scripts reach the archive unchanged", async () => {
  const long = `${"d".repeat(150)}/${"e".repeat(140)}/файл.yaml`;
  const { blobs } = await built(written("long", { [long]: "x" }));
  const entries = await unpackTar(gunzipSync(blobs[1]?.bytes ?? new Uint8Array()), { strict: true });
  assert.equal(entries.at(-1)?.header.name, `configs/${long}`);
});

test("an aborted build rejects and leaves no open file", async () => {
  const root = written("aborted", { big: "x".repeat(20_000_000) });
  const controller = new AbortController();
  const running = catalogImage(root, { signal: controller.signal, onProgress: () => controller.abort() });
  await assert.rejects(running, { name: "AbortError" });
  assert.deepEqual(readdirSync(root), ["big"]);
  assert.equal(readFileSync(join(root, "big"), "utf8").length, 20_000_000);
});
