import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, createReadStream, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, suite, test } from "node:test";
import { writeFilesAtomically } from "./write-files.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-write-"));
after(() => rmSync(directory, { recursive: true }));

suite("files that a command writes together", () => {
  test("keep their mode and links, and new directories are made", () => {
    const [script, link] = [join(directory, "script"), join(directory, "link")];
    writeFileSync(script, "old");
    chmodSync(script, 0o755);
    symlinkSync("script", link);
    const added = join(directory, "made/for/it");
    writeFilesAtomically(
      new Map([
        [link, "new"],
        [added, "added"],
      ]),
    );
    assert.deepEqual(
      [script, added].map((path) => readFileSync(path, "utf8")),
      ["new", "added"],
    );
    assert.equal(lstatSync(script).mode & 0o777, 0o755);
    assert.ok(lstatSync(link).isSymbolicLink());
  });

  test("go into a pipe or device in place of replacing it", async () => {
    const pipe = join(directory, "pipe");
    execFileSync("mkfifo", [pipe]);
    const reader = text(createReadStream(pipe));
    await new Promise((next) => setImmediate(next));
    writeFilesAtomically(new Map([[pipe, "through"]]));
    assert.equal(await reader, "through");
    assert.ok(lstatSync(pipe).isFIFO());
  });

  test("are all left as they were when one cannot be written", async (context) => {
    const inside = join(directory, "all");
    mkdirSync(inside);
    const [first, socket] = [join(inside, "first"), join(directory, "socket")];
    writeFileSync(first, "old");
    const server = createServer().listen(socket);
    await once(server, "listening");
    context.after(() => server.close());
    const together = (other: string) => () =>
      writeFilesAtomically(
        new Map([
          [first, "new"],
          [other, "x"],
        ]),
      );
    assert.throws(together(join(first, "below")), /ENOTDIR|EEXIST/);
    assert.throws(together(socket), /ENXIO/);
    assert.equal(readFileSync(first, "utf8"), "old");
    assert.deepEqual(readdirSync(inside), ["first"]);
  });
});
