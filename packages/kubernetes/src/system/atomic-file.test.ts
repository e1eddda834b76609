import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createReadStream, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import { text } from "node:stream/consumers";
import { replacedFile, writeFileAtomically } from "./atomic-file.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-atomic-"));
after(() => rmSync(directory, { recursive: true }));

suite("a file that is written as a whole", () => {
  test("is replaced with the mode that was asked for, and leaves no draft", async () => {
    const path = join(directory, "plain/file");
    for (const content of ["first", "second"]) {
      await writeFileAtomically(path, content, 0o640);
      assert.equal(readFileSync(path, "utf8"), content);
    }
    assert.equal(lstatSync(path).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(join(directory, "plain")), ["file"]);
  });

  test("keeps a symbolic link as a link, and its target gets the text", async () => {
    const [link, target] = [join(directory, "link"), join(directory, "target")];
    writeFileSync(target, "old");
    symlinkSync("target", link);
    await writeFileAtomically(link, "new");
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.equal(readFileSync(target, "utf8"), "new");
  });

  test("is written into a pipe, which stays one", async () => {
    const pipe = join(directory, "pipe");
    execFileSync("mkfifo", [pipe]);
    const read = text(createReadStream(pipe));
    await writeFileAtomically(pipe, "through");
    assert.equal(await read, "through");
    assert.ok(lstatSync(pipe).isFIFO());
    assert.equal(replacedFile("/dev/null"), undefined);
  });

  test("that cannot be written leaves the old one and no draft", async () => {
    const path = join(directory, "kept/folder");
    await writeFileAtomically(join(path, "inside"), "old");
    await assert.rejects(writeFileAtomically(path, "new"), /EISDIR|ENOTEMPTY|EEXIST/);
    assert.equal(readFileSync(join(path, "inside"), "utf8"), "old");
    assert.deepEqual(readdirSync(join(directory, "kept")), ["folder"]);
  });
});
