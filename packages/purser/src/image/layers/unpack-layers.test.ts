import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { type RawEntry, tarArchive, tarEntry } from "../testing/tar-archive.ts";
import { readRecord } from "../store/image-record.ts";
import { defaultUnpackLimits, UnpackError, type UnpackLimits } from "./unpack-limits.ts";
import { unpackLayers } from "./unpack-layers.ts";

const scratch = mkdtempSync(join(tmpdir(), "unpack-layers-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
let count = 0;

const plainType = "application/vnd.oci.image.layer.v1.tar";
const gzipType = `${plainType}+gzip`;
const zstdType = `${plainType}+zstd`;

interface Layer {
  readonly bytes: Buffer;
  readonly mediaType: string;
  readonly diffId?: string;
}
const plain = (...entries: RawEntry[]): Layer => ({ bytes: tarArchive(entries), mediaType: plainType });

/** Unpacks the directory `configs` of layers in files or in memory; returns where it went. */
async function unpack(
  layers: readonly Layer[],
  limits: Partial<UnpackLimits> = {},
  place: "file" | "memory" = "file",
): Promise<{ into: string; bytes: number }> {
  const directory = join(scratch, String(count++));
  const into = join(directory, "into");
  mkdirSync(into, { recursive: true });
  const stored = layers.map(({ bytes, ...layer }, index) => {
    if (place === "memory") return { base64: bytes.toString("base64"), ...layer };
    const file = join(directory, `layer-${index}`);
    writeFileSync(file, bytes);
    return { file, ...layer };
  });
  const directories = { kind: "catalog", required: [["configs"]], optional: [], directory: ["configs"] } as const;
  const { bytes } = await unpackLayers({
    layers: stored,
    directories,
    labels: { l: "1" },
    into,
    limits: { ...defaultUnpackLimits, ...limits },
  });
  return { into, bytes };
}

/** Paths below the unpacked root with their contents or targets. */
function shown(into: string): Readonly<Record<string, string>> {
  const root = join(into, "root");
  return Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .map((entry): [string, string] => {
        const path = join(entry.parentPath, entry.name);
        const text = entry.isDirectory()
          ? "/"
          : entry.isSymbolicLink()
            ? `-> ${readlinkSync(path)}`
            : readFileSync(path, "utf8");
        return [path.slice(root.length + 1), text];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const refused = (kind: UnpackError["kind"], text: RegExp) => (error: unknown) =>
  error instanceof UnpackError && error.kind === kind && text.test(error.message);

describe("unpackLayers", () => {
  const archive = tarArchive([{ name: "configs/a", body: "text" }]);
  const half = Math.floor(archive.length / 2);
  const compressed: readonly (readonly [string, Layer])[] = [
    ["plain", { bytes: archive, mediaType: plainType }],
    ["gzip", { bytes: gzipSync(archive), mediaType: gzipType }],
    ["zstd", { bytes: zstdCompressSync(archive), mediaType: zstdType }],
    ["gzip under the media type of zstd", { bytes: gzipSync(archive), mediaType: zstdType }],
    ["gzip under the media type of a plain tar", { bytes: gzipSync(archive), mediaType: plainType }],
    [
      "gzip in two members",
      {
        bytes: Buffer.concat([gzipSync(archive.subarray(0, half)), gzipSync(archive.subarray(half))]),
        mediaType: gzipType,
      },
    ],
    [
      "zstd in two frames",
      {
        bytes: Buffer.concat([zstdCompressSync(archive.subarray(0, half)), zstdCompressSync(archive.subarray(half))]),
        mediaType: zstdType,
      },
    ],
    [
      "zstd with a skippable frame first and last",
      { bytes: Buffer.concat([skippable(), zstdCompressSync(archive), skippable()]), mediaType: zstdType },
    ],
    ["a layer of Docker", { bytes: gzipSync(archive), mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip" }],
    [
      "a foreign layer of Docker",
      { bytes: gzipSync(archive), mediaType: "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip" },
    ],
    [
      "a non-distributable layer",
      { bytes: gzipSync(archive), mediaType: "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip" },
    ],
  ];
  for (const [given, layer] of compressed)
    test(`reads ${given}`, async () => {
      for (const place of ["file", "memory"] as const)
        assert.deepEqual(shown((await unpack([layer], {}, place)).into), { configs: "/", "configs/a": "text" });
    });

  test("layers come one above the other", async () => {
    const { into } = await unpack([
      plain({ name: "configs/a", body: "1" }, { name: "configs/b", body: "1" }, { name: "configs/old/x", body: "1" }),
      plain({ name: "configs/.wh.a" }, { name: "configs/b", body: "2" }),
      plain({ name: "configs/old/new", body: "3" }, { name: "configs/old/.wh..wh..opq" }),
    ]);
    assert.deepEqual(shown(into), { configs: "/", "configs/b": "2", "configs/old": "/", "configs/old/new": "3" });
  });

  test("only what was unpacked and its record stay in the directory, and nobody may write it", async () => {
    const { into, bytes } = await unpack([
      plain({ name: "configs/a", body: "text" }, { name: "etc/b", body: "other" }),
    ]);
    assert.deepEqual(readdirSync(into).sort(), ["image.json", "root"]);
    assert.equal(bytes, 4);
    assert.deepEqual(readRecord(into), { labels: { l: "1" }, directory: ["configs"], bytes: 4 });
    assert.equal(statSync(into).mode & 0o777, 0o500);
    assert.equal(statSync(join(into, "root/configs/a")).mode & 0o777, 0o400);
    assert.equal(statSync(join(into, "root/configs")).mode & 0o777, 0o500);
    assert.equal(statSync(join(into, "root")).mode & 0o777, 0o500);
  });

  test("every file and directory is on disk when the image is complete", async (t) => {
    if (process.platform !== "linux") return t.skip("not here: needs Linux (/proc)");
    const synced: string[] = [];
    const sync = t.mock.method(fs, "fsync", (file: number, done: (error: Error | null) => void) => {
      synced.push(readlinkSync(`/proc/self/fd/${file}`));
      done(null);
    });
    // Named imports follow the replaced function only then.
    syncBuiltinESMExports();
    const { into } = await unpack([
      plain({ name: "configs/a", body: "1" }, { name: "configs/b/c", body: "2" }, { name: "etc/b", body: "other" }),
    ]);
    assert.deepEqual(synced.map((path) => path.slice(into.length)).sort(), [
      "",
      "/image.json",
      "/root",
      "/root/configs",
      "/root/configs/a",
      "/root/configs/b",
      "/root/configs/b/c",
    ]);
    sync.mock.mockImplementation((_: number, done: (error: Error | null) => void) =>
      done(new Error("the disk refuses")),
    );
    await assert.rejects(unpack([plain({ name: "configs/a", body: "1" })]), /the disk refuses/);
    sync.mock.restore();
    syncBuiltinESMExports();
  });

  test("no entry is written through a link, whatever its order", async () => {
    const outside = join(scratch, "outside");
    mkdirSync(outside);
    const link = { name: "configs/l", flag: "2", link: outside };
    const through = { name: "configs/l/evil", body: "x" };
    for (const layers of [[plain(link, through)], [plain(link), plain(through)], [plain(through, link)]])
      await assert.rejects(unpack(layers), refused("limit", /lies below "configs\/l"|leads out/));
    assert.deepEqual(readdirSync(outside), []);
  });

  test("a link inside the directory is relative and leads to the file", async () => {
    const { into } = await unpack([
      plain({ name: "configs/a/x", body: "text" }, { name: "configs/l", flag: "2", link: "/configs/a/x" }),
    ]);
    assert.equal(shown(into)["configs/l"], "-> a/x");
    assert.ok(lstatSync(join(into, "root/configs/l")).isSymbolicLink());
    assert.equal(readFileSync(join(into, "root/configs/l"), "utf8"), "text");
  });

  test("hard links are one file on the disk", async () => {
    const { into, bytes } = await unpack([
      plain({ name: "configs/a", body: "text" }, { name: "configs/b", flag: "1", link: "configs/a" }),
    ]);
    assert.equal(statSync(join(into, "root/configs/a")).ino, statSync(join(into, "root/configs/b")).ino);
    assert.equal(bytes, 4);
  });

  test("a hard link to a file outside of the directory is refused", async () => {
    const layer = plain({ name: "etc/a", body: "x" }, { name: "configs/b", flag: "1", link: "etc/a" });
    await assert.rejects(unpack([layer]), refused("limit", /hard link/));
  });

  test("a wanted directory that is a link, a file or absent is missing", async () => {
    for (const entry of [
      { name: "configs", flag: "2", link: "data" },
      { name: "configs", body: "x" },
      { name: "data/a" },
    ])
      await assert.rejects(unpack([plain(entry)]), refused("content", /no directory "\/configs"/));
    await assert.rejects(unpack([]), refused("content", /no directory/));
  });

  const zeros = Buffer.alloc(4 * 2 ** 20);
  const limits: readonly (readonly [
    given: string,
    layers: readonly Layer[],
    limits: Partial<UnpackLimits>,
    text: RegExp,
  ])[] = [
    [
      "a bomb",
      [{ bytes: gzipSync(tarArchive([{ name: "x", body: zeros }])), mediaType: gzipType }],
      { ratioFreeBytes: 2 ** 20 },
      /more than 200 times larger/,
    ],
    [
      "a bomb in zstd",
      [{ bytes: zstdCompressSync(tarArchive([{ name: "x", body: zeros }])), mediaType: zstdType }],
      { ratioFreeBytes: 2 ** 20 },
      /more than 200 times larger/,
    ],
    ["too much in one layer", [plain({ name: "x", body: zeros })], { inflatedBytes: 2 ** 20 }, /larger than 1 MiB/],
    [
      "too much in two layers",
      [plain({ name: "x", body: zeros }), plain({ name: "x", body: zeros })],
      { inflatedBytes: 6 * 2 ** 20 },
      /larger than 6 MiB/,
    ],
    ["too large a file", [plain({ name: "configs/x", body: zeros })], { fileBytes: 2 ** 20 }, /has 4194304 bytes/],
    [
      "too much to write",
      [plain({ name: "configs/x", body: "abc" }, { name: "configs/x", body: "abc" })],
      { writtenBytes: 5 },
      /more than 5 bytes/,
    ],
    [
      "too many entries",
      [plain({ name: "x" }, { name: "y" }), plain({ name: "z" })],
      { entries: 2 },
      /more than 2 entries/,
    ],
    [
      "too many entries to write, parents without an entry and replaced files included",
      [plain({ name: "configs/a/b", body: "1" }), plain({ name: "configs/a/b", body: "2" })],
      { writtenEntries: 3 },
      /the directories of the image have more than 3 entries/,
    ],
    ["too many layers", [plain(), plain(), plain()], { layers: 2 }, /more than 2 layers/],
  ];
  for (const [given, layers, changed, text] of limits)
    test(`refuses ${given}`, async () => {
      await assert.rejects(unpack(layers, changed), refused("limit", text));
    });

  test("entries outside of the directories are not counted as entries to write", async () => {
    const { into } = await unpack([plain({ name: "configs/a", body: "1" }, { name: "etc/a" }, { name: "etc/b" })], {
      writtenEntries: 2,
    });
    assert.deepEqual(shown(into), { configs: "/", "configs/a": "1" });
  });

  test("an image that is refused for its number of small files has written none of them", async () => {
    const entries = Array.from({ length: 100 }, (_, index) => ({ name: `configs/${index}`, body: "text" }));
    await assert.rejects(unpack([plain(...entries)], { writtenEntries: 50 }), refused("limit", /more than 50 entries/));
    assert.deepEqual(readdirSync(join(scratch, String(count - 1), "into")), []);
  });

  test("files of every size get their names and contents, more than fit in memory too", async () => {
    const bodies = Array.from({ length: 200 }, (_, index) => Buffer.alloc(index % 2 === 0 ? 65_536 : 65_537, index));
    const { into } = await unpack([
      plain(
        ...bodies.map((body, index) => ({ name: `configs/${index}`, body })),
        ...["0", "1", "198"].map((index) => ({ name: `configs/link-${index}`, flag: "1", link: `configs/${index}` })),
        { name: "configs/0", body: "replaced" },
        { name: "configs/1", body: "replaced" },
      ),
    ]);
    const root = join(into, "root/configs");
    for (const [index, body] of bodies.entries())
      if (index > 1) assert.ok(readFileSync(join(root, String(index))).equals(body), String(index));
    for (const index of [0, 1, 198])
      assert.ok(readFileSync(join(root, `link-${index}`)).equals(bodies[index] ?? Buffer.of()));
    for (const index of [0, 1]) assert.equal(readFileSync(join(root, String(index)), "utf8"), "replaced");
    assert.equal(statSync(join(root, "198")).ino, statSync(join(root, "link-198")).ino);
    assert.equal(statSync(join(root, "198")).mode & 0o777, 0o400);
    assert.deepEqual(readdirSync(into).sort(), ["image.json", "root"]);
  });

  const padded = Buffer.concat([archive, Buffer.alloc(100_000)]);
  for (const [given, bytes] of [
    ["plain", padded],
    ["gzip", gzipSync(padded)],
    ["zstd", zstdCompressSync(padded)],
  ] as const)
    test(`a layer has the digest that the configuration names for its content, behind the end of the archive too: ${given}`, async () => {
      const mediaType = given === "plain" ? plainType : `${plainType}+${given}`;
      for (const algorithm of ["sha256", "sha512"]) {
        const digestOf = (content: Buffer): string =>
          `${algorithm}:${createHash(algorithm).update(content).digest("hex")}`;
        const { into } = await unpack([
          { bytes, mediaType, diffId: digestOf(padded) },
          {
            ...plain({ name: "configs/b", body: "b" }),
            diffId: digestOf(tarArchive([{ name: "configs/b", body: "b" }])),
          },
        ]);
        assert.deepEqual(shown(into), { configs: "/", "configs/a": "text", "configs/b": "b" });
        await assert.rejects(
          unpack([plain(), { bytes, mediaType, diffId: digestOf(archive) }]),
          (error: unknown) =>
            error instanceof UnpackError &&
            error.kind === "invalid" &&
            error.message ===
              `layer 2 of 2 has the digest ${digestOf(padded)} after decompression, but rootfs.diff_ids of the image configuration names ${digestOf(archive)}`,
        );
      }
    });

  test("a small layer that inflates to much is read as a stream, whole", async () => {
    const body = Buffer.alloc(5 * 2 ** 20, "a");
    const layer = { bytes: gzipSync(tarArchive([{ name: "configs/a", body }])), mediaType: gzipType };
    for (const place of ["file", "memory"] as const) {
      const { into, bytes } = await unpack([layer], {}, place);
      assert.equal(bytes, body.length);
      assert.ok(readFileSync(join(into, "root/configs/a")).equals(body));
    }
  });

  test("contents without a name of their own leave nothing behind", async () => {
    const { into } = await unpack([
      plain(
        { name: "configs/a", body: "old" },
        { name: "configs/a", body: "new" },
        { name: "configs/b", body: "both" },
        { name: "configs/c", flag: "1", link: "configs/b" },
      ),
    ]);
    assert.deepEqual(readdirSync(into).sort(), ["image.json", "root"]);
    assert.equal(readFileSync(join(into, "root/configs/a"), "utf8"), "new");
    assert.equal(readFileSync(join(into, "root/configs/c"), "utf8"), "both");
  });

  test("ends at the limit of entries without reading the rest", async () => {
    const entry = tarEntry({ name: "x" });
    const layer = { bytes: gzipSync(Buffer.alloc(1_000_000 * 512, entry), { level: 1 }), mediaType: gzipType };
    await assert.rejects(unpack([layer], { entries: 1000 }), refused("limit", /more than 1000 entries/));
  });

  const broken: readonly (readonly [given: string, layer: Layer, text: RegExp])[] = [
    ["a plain tar under the media type of gzip", { bytes: archive, mediaType: gzipType }, /is not compressed/],
    ["a web page", { bytes: Buffer.from("<html>".repeat(99)), mediaType: plainType }, /wrong checksum/],
    ["cut gzip", { bytes: gzipSync(archive).subarray(0, 60), mediaType: gzipType }, /cannot be decompressed/],
    [
      "cut zstd",
      { bytes: zstdCompressSync(archive).subarray(0, 60), mediaType: zstdType },
      /cannot be decompressed|cut off/,
    ],
    [
      "gzip with a broken bit",
      { bytes: flipped(gzipSync(archive)), mediaType: gzipType },
      /cannot be decompressed|checksum/,
    ],
    [
      "a chart",
      { bytes: archive, mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip" },
      /not a layer of a file system/,
    ],
  ];
  for (const [given, layer, text] of broken)
    test(`refuses ${given}`, async () => {
      for (const place of ["file", "memory"] as const)
        await assert.rejects(unpack([layer], {}, place), refused("invalid", text));
    });

  test("gives what GNU tar extracts, for each of its formats", async (t) => {
    if (spawnSync("tar", ["--version"]).stdout?.toString().includes("GNU tar") !== true)
      return t.skip("not here: needs GNU tar");
    await Promise.all(
      ["v7", "oldgnu", "gnu", "ustar", "pax"].map(async (format) => {
        const from = join(scratch, `from-${format}`);
        // v7 has room for 99 bytes.
        const deep = format === "v7" ? "configs/a" : `configs/${"x".repeat(90)}/${"y".repeat(60)}`;
        mkdirSync(join(from, deep), { recursive: true });
        writeFileSync(join(from, deep, "file"), "text");
        writeFileSync(join(from, "configs/\u00fc"), "name");
        const archived = join(scratch, `${format}.tar`);
        const made = spawnSync("tar", ["--format", format, "-cf", archived, "-C", from, "."], { encoding: "utf8" });
        assert.equal(made.status, 0, made.stderr);
        const { into } = await unpack([{ bytes: readFileSync(archived), mediaType: plainType }]);
        assert.equal(readFileSync(join(into, "root", deep, "file"), "utf8"), "text");
        assert.ok(existsSync(join(into, "root/configs/\u00fc")));
      }),
    );
  });

  test("refuses the sparse files that GNU tar makes, and reads what stands beside them", async (t) => {
    if (spawnSync("tar", ["--version"]).stdout?.toString().includes("GNU tar") !== true)
      return t.skip("not here: needs GNU tar");
    const from = join(scratch, "sparse");
    mkdirSync(join(from, "configs"), { recursive: true });
    mkdirSync(join(from, "data"));
    writeFileSync(join(from, "configs/a"), "text");
    for (const place of ["data", "configs"]) {
      const made = spawnSync(
        "sh",
        ["-c", `for i in $(seq 0 2 60); do echo x | dd of=${place}/s bs=64k seek=$i conv=notrunc; done`],
        { cwd: from },
      );
      assert.equal(made.status, 0);
      for (const format of [
        ["gnu"],
        ["pax", "--sparse-version=0.0"],
        ["pax", "--sparse-version=0.1"],
        ["pax", "--sparse-version=1.0"],
      ]) {
        const archived = join(scratch, "sparse.tar");
        spawnSync("tar", ["-S", "--format", ...format, "-cf", archived, "-C", from, "data", "configs"]);
        const layer = { bytes: readFileSync(archived), mediaType: plainType };
        assert.ok(layer.bytes.length < 2 ** 20, "the archive is sparse");
        if (place === "data")
          assert.deepEqual(shown((await unpack([layer])).into), { configs: "/", "configs/a": "text" });
        else await assert.rejects(unpack([layer]), refused("limit", /sparse/));
      }
    }
  });
});

/** A frame of zstd that holds no content. */
function skippable(): Buffer {
  return Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]), Buffer.from("info")]);
}

function flipped(bytes: Buffer): Buffer {
  bytes[bytes.length - 6] = (bytes[bytes.length - 6] ?? 0) ^ 0xff;
  return bytes;
}
