import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { zstdFrames } from "./zstd-frames.ts";

const frame = (text: string): Buffer => zstdCompressSync(Buffer.from(text));
/** A frame without content. */
const skippable = Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]), Buffer.from("info")]);

async function* chunksOf(bytes: Buffer, step: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
}

async function inflated(bytes: Buffer, step: number): Promise<string> {
  let text = "";
  for await (const part of zstdFrames(chunksOf(bytes, step), 64 * 1024)) text += part.toString();
  return text;
}

const cases: readonly (readonly [given: string, frames: readonly Buffer[], text: string])[] = [
  ["one frame", [frame("abc")], "abc"],
  ["two frames", [frame("abc"), frame("def")], "abcdef"],
  [
    "many frames",
    Array.from({ length: 50 }, (_, index) => frame(`${index},`)),
    Array.from({ length: 50 }, (_, index) => `${index},`).join(""),
  ],
  ["a frame without content first", [skippable, frame("abc")], "abc"],
  ["a frame without content in between", [frame("abc"), skippable, frame("def")], "abcdef"],
  ["frames without content last", [frame("abc"), skippable, skippable], "abc"],
  ["an empty frame", [frame(""), frame("abc")], "abc"],
  ["frames larger than a chunk", [frame("x".repeat(300_000)), frame("y")], `${"x".repeat(300_000)}y`],
  ["no frame", [], ""],
];

describe("zstdFrames", () => {
  for (const [given, frames, text] of cases)
    test(`reads ${given}, wherever the chunks end`, async () => {
      for (const step of [1, 7, 12, 64 * 1024]) assert.equal(await inflated(Buffer.concat(frames), step), text);
    });

  for (const [given, bytes] of [
    ["a cut second frame", Buffer.concat([frame("abc"), frame("def").subarray(0, 6)])],
    ["junk behind a frame", Buffer.concat([frame("abc"), Buffer.from("junkjunk")])],
  ] as const)
    test(`rejects ${given}, wherever the chunks end`, async () => {
      for (const step of [1, 7, 64 * 1024]) await assert.rejects(inflated(bytes, step), { code: /^(Z_|ZSTD_)/ });
    });

  test("an error of the input ends it", async () => {
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield frame("abc").subarray(0, 5);
      throw new Error("no more");
    };
    await assert.rejects(async () => {
      for await (const part of zstdFrames(failing(), 1024)) assert.ok(part);
    }, /no more/);
  });

  test("a reader that stops early ends the input", async () => {
    let ended = false;
    const input = async function* (): AsyncGenerator<Buffer> {
      try {
        for (;;) yield frame("abc");
      } finally {
        ended = true;
      }
    };
    for await (const part of zstdFrames(input(), 1024)) if (part.length > 0) break;
    assert.ok(ended);
  });
});
