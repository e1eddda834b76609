import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { paxEntry, type RawEntry, tarArchive, tarEntry } from "../testing/tar-archive.ts";
import type { ByteReader } from "./byte-reader.ts";
import { tarEntries } from "./tar-entries.ts";
import { UnpackError } from "./unpack-limits.ts";

/** Gives at most `step` bytes at a time, so that every boundary falls somewhere in between. */
function readerOf(bytes: Buffer, step = 700): ByteReader {
  let at = 0;
  const read = async (length: number): Promise<Buffer> =>
    bytes.subarray(at, (at += Math.min(length, bytes.length - at)));
  return {
    read,
    some: (length) => read(Math.min(length, step)),
    skip: async (length) => (await read(length)).length === length,
    close: () => undefined,
  };
}

async function read(archive: Buffer): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const entry of tarEntries(readerOf(archive))) {
    let content = "";
    if (!entry.name.startsWith("skip")) for await (const part of entry.content()) content += part.toString("latin1");
    const target = entry.target === "" ? "" : ` -> ${entry.target}`;
    found.push(
      `${entry.kind} ${entry.name}${target}${entry.isSparse ? " sparse" : ""}${content === "" ? "" : ` = ${content}`}`,
    );
  }
  return found;
}

const long = `${"folder/".repeat(40)}file`;
const number256 = (value: number): string => {
  const field = Buffer.alloc(12);
  field[0] = 0x80;
  field.writeUIntBE(value, 6, 6);
  return field.toString("latin1");
};
/** A header of the old GNU format for a sparse file; extended by `blocks` further blocks of its map. */
function sparse(name: string, blocks: number, body: string): Buffer {
  const header = tarEntry({
    name,
    flag: "S",
    size: body.length,
    patch: { 257: Buffer.from("ustar  \0"), 482: Buffer.of(blocks > 0 ? 1 : 0) },
  });
  const map = Array.from({ length: blocks }, (_, index) => {
    const block = Buffer.alloc(512, 0x37);
    block[504] = index < blocks - 1 ? 1 : 0;
    return block;
  });
  return Buffer.concat([header, ...map, Buffer.from(body), Buffer.alloc(-body.length & 511)]);
}

const archives: readonly (readonly [
  given: string,
  archive: Buffer | readonly RawEntry[],
  shows: readonly string[] | RegExp,
])[] = [
  [
    "files and directories",
    [
      { name: "a/", flag: "5" },
      { name: "a/b", body: "text" },
    ],
    ["directory a/", "file a/b = text"],
  ],
  [
    "a file of exactly one block",
    [{ name: "a", body: "x".repeat(512) }, { name: "b" }],
    [`file a = ${"x".repeat(512)}`, "file b"],
  ],
  [
    "content that is not read",
    [
      { name: "skip", body: "x".repeat(2000) },
      { name: "b", body: "y" },
    ],
    ["file skip", "file b = y"],
  ],
  [
    "links",
    [
      { name: "s", flag: "2", link: "/x" },
      { name: "h", flag: "1", link: "y" },
    ],
    ["symlink s -> /x", "link h -> y"],
  ],
  [
    "devices",
    [
      { name: "c", flag: "3" },
      { name: "b", flag: "4" },
      { name: "p", flag: "6" },
    ],
    ["device c", "device b", "device p"],
  ],
  ["a file that is stored in one piece", [{ name: "a", flag: "7", body: "x" }], ["file a = x"]],
  ["a file of the oldest format", [{ name: "a", flag: "\0", body: "x" }], ["file a = x"]],
  ["a directory of the oldest format", [{ name: "a/", flag: "\0" }, { name: "b" }], ["directory a/", "file b"]],
  ["a directory of the oldest format with content", [{ name: "a/", body: "x" }], /a directory with content/],
  ["a name in two parts", [{ name: "b", patch: { 345: Buffer.from("a".repeat(150)) } }], [`file ${"a".repeat(150)}/b`]],
  [
    "a long name of GNU",
    [
      { name: "././@LongLink", flag: "L", body: `${long}\0` },
      { name: "cut", body: "x" },
    ],
    [`file ${long} = x`],
  ],
  [
    "a long target of GNU",
    [
      { name: "././@LongLink", flag: "K", body: `${long}\0` },
      { name: "l", flag: "2", link: "cut" },
    ],
    [`symlink l -> ${long}`],
  ],
  ["a PAX path", [paxEntry({ path: long }), { name: "cut", body: "x" }, { name: "b" }], [`file ${long} = x`, "file b"]],
  ["a PAX target", [paxEntry({ linkpath: long }), { name: "l", flag: "1", link: "cut" }], [`link l -> ${long}`]],
  [
    "a PAX size",
    [paxEntry({ size: "3" }), { name: "a", size: 0, body: "abc" }, { name: "b" }],
    ["file a = abc", "file b"],
  ],
  ["a size in base 256", [{ name: "a", size: number256(3), body: "abc" }, { name: "b" }], ["file a = abc", "file b"]],
  ["a global header", [paxEntry({ path: "evil" }, "g"), { name: "a" }, { name: "b" }], ["file a", "file b"]],
  ["a NUL in a PAX path", [paxEntry({ path: "a\0b" }), { name: "x" }], ["file a\0b"]],
  ["bytes that are not UTF-8", [{ name: Buffer.from([0x61, 0xff]) }], ["file a\uFFFD"]],
  [
    "a sparse file of PAX",
    [
      paxEntry({ "GNU.sparse.major": "1", "GNU.sparse.realsize": "9999999999" }),
      { name: "a", body: "x" },
      { name: "b" },
    ],
    ["file a sparse = x", "file b"],
  ],
  [
    "a sparse file of GNU",
    Buffer.concat([sparse("a", 0, "x"), tarEntry({ name: "b" })]),
    ["file a sparse = x", "file b"],
  ],
  [
    "a sparse file with a long map",
    Buffer.concat([sparse("a", 3, "x"), tarEntry({ name: "b" })]),
    ["file a sparse = x", "file b"],
  ],
  ["a sparse file whose map is cut off", sparse("a", 3, "").subarray(0, 1024), /cut off/],
  ["an archive without a trailer", tarEntry({ name: "a", body: "x" }), ["file a = x"]],
  ["an archive without the last padding", tarEntry({ name: "a", body: "x" }).subarray(0, 513), ["file a = x"]],
  ["an archive with one block of trailer", Buffer.concat([tarEntry({ name: "a" }), Buffer.alloc(512)]), ["file a"]],
  ["whatever stands behind the trailer", Buffer.concat([tarArchive([{ name: "a" }]), Buffer.from("junk")]), ["file a"]],
  ["an empty archive", Buffer.alloc(1024), []],
  ["nothing at all", Buffer.alloc(0), []],
  [
    "an archive that goes on behind its end",
    Buffer.concat([Buffer.alloc(512), tarEntry({ name: "a" })]),
    /goes on behind its end/,
  ],
  ["a cut header", tarEntry({ name: "a" }).subarray(0, 100), /cut off/],
  ["cut content", tarEntry({ name: "a", body: "x".repeat(600) }).subarray(0, 700), /cut off/],
  ["cut content that nobody reads", tarEntry({ name: "skip", body: "x".repeat(600) }).subarray(0, 700), /cut off/],
  ["a long name without its entry", [{ name: "l", flag: "L", body: "x" }], /cut off/],
  ["a cut long name", tarEntry({ name: "l", flag: "L", body: "x".repeat(600) }).subarray(0, 700), /cut off/],
  ["a name of 2 MiB", [{ name: "l", flag: "L", body: "x".repeat(2 ** 21) }, { name: "a" }], /more than 1 MiB/],
  ["a name of an exabyte", [{ name: "l", flag: "L", size: number256(2 ** 40), body: "x" }, { name: "a" }], /no size/],
  [
    "many headers for one entry",
    [...Array.from({ length: 10 }, () => paxEntry({ comment: "x" })), { name: "a" }],
    /more than 1 MiB/,
  ],
  ["a negative size", [{ name: "a", size: "\xff".repeat(12) }], /broken|impossible/],
  ["a size that is no number", [{ name: "a", size: "hello\0" }], /broken/],
  ["a size beyond the archive", [{ name: "a", size: number256(2 ** 47), body: "x" }], /cut off/],
  ["an unknown type", [{ name: "a", flag: "V" }], /unknown type "V"/],
  ["a directory of an incremental backup", [{ name: "a", flag: "D", body: "x" }], /unknown type "D"/],
  ["no archive", Buffer.from("<html>".repeat(200)), /wrong checksum/],
];

describe("tarEntries", () => {
  for (const [given, archive, shows] of archives)
    test(given, async () => {
      const bytes = Buffer.isBuffer(archive) ? archive : tarArchive(archive);
      if (shows instanceof RegExp)
        await assert.rejects(read(bytes), (error) => error instanceof UnpackError && shows.test(error.message));
      else assert.deepEqual(await read(bytes), shows);
    });

  test("a broken bit of a header is noticed", async () => {
    const archive = tarArchive([{ name: "a", body: "x" }]);
    archive[3] = (archive[3] ?? 0) ^ 1;
    await assert.rejects(read(archive), /wrong checksum/);
  });

  test("headers are counted, also those of long names", async () => {
    let headers = 0;
    const archive = tarArchive([paxEntry({ path: "b" }), { name: "a" }, { name: "c" }]);
    for await (const entry of tarEntries(readerOf(archive), () => headers++)) assert.ok(entry.name);
    assert.equal(headers, 3);
  });
});
