import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { largestBundle } from "../content/bundle/largest-bundle.ts";
import { readBundleDirectory } from "./bundle-directory.ts";

const scratch = mkdtempSync(join(tmpdir(), "purser-bundle-directory-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** A new directory with these files. */
function directoryWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(scratch, "b-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
const problemOf = (root: string): string | undefined => {
  const read = readBundleDirectory(root);
  return read.ok ? undefined : read.problem;
};

test("the files of manifests and metadata are read in the order of their bytes, and nothing beside them", () => {
  const root = directoryWith({
    "metadata/annotations.yaml": "a",
    "manifests/b.yaml": "b",
    "manifests/B.yaml": "B",
    "manifests/below/c.yaml": "c",
    "tests/scorecard/config.yaml": "d",
    "manifests.yaml": "e",
    Dockerfile: "f",
  });
  symlinkSync(join(root, "manifests"), join(root, "manifests/below/again"));
  const read = readBundleDirectory(root);
  assert.ok(read.ok);
  assert.deepEqual(
    read.value.files.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]),
    [
      ["manifests/B.yaml", "B"],
      ["manifests/b.yaml", "b"],
      ["manifests/below/c.yaml", "c"],
      ["metadata/annotations.yaml", "a"],
    ],
  );
  assert.deepEqual(read.value.directories, ["manifests", "manifests/below", "manifests/below/again", "metadata"]);
});

test("the digest follows from paths and contents, wherever the directory lies", () => {
  const digest = (files: Readonly<Record<string, string>>): string => {
    const read = readBundleDirectory(directoryWith(files));
    return read.ok ? read.value.digest : assert.fail(read.problem);
  };
  const first = digest({ "manifests/a.yaml": "a", "manifests/b.yaml": "b" });
  assert.equal(digest({ "manifests/b.yaml": "b", "manifests/a.yaml": "a" }), first);
  assert.match(first, /^sha256:[0-9a-f]{64}$/);
  for (const other of [
    { "manifests/a.yaml": "a", "manifests/b.yaml": "c" },
    { "manifests/a.yaml": "a", "manifests/c.yaml": "b" },
    { "manifests/a.yaml": "ab", "manifests/b.yaml": "" },
  ])
    assert.notEqual(digest(other), first);
});

test("a bundle directory may be a link, and so may its two directories", () => {
  const root = directoryWith({ "manifests/a.yaml": "a" });
  const linked = mkdtempSync(join(scratch, "l-"));
  symlinkSync(root, join(linked, "bundle"));
  symlinkSync("manifests", join(root, "metadata"));
  const read = readBundleDirectory(join(linked, "bundle"));
  assert.deepEqual(read.ok && read.value.files.map(({ path }) => path), ["manifests/a.yaml", "metadata/a.yaml"]);
});

test("what is no bundle that can be read is refused with its place", async () => {
  const large = directoryWith({ "manifests/a.yaml": "", "manifests/b.yaml": "" });
  truncateSync(join(large, "manifests/a.yaml"), largestBundle + 1);
  assert.equal(problemOf(large), `${large} has more than ${largestBundle / 1024 / 1024} MiB or 10000 files`);
  const outside = directoryWith({ "manifests/a.yaml": "" });
  symlinkSync(join(large, "manifests/b.yaml"), join(outside, "manifests/link.yaml"));
  assert.equal(problemOf(outside), `${join(outside, "manifests/link.yaml")} is a link to a file outside of the bundle`);
  const socket = directoryWith({ "manifests/a.yaml": "" });
  const path = join(socket, "manifests/s");
  const server = createServer().listen(path);
  await once(server, "listening");
  assert.equal(problemOf(socket), `${path} is not a regular file`);
  server.close();
  const missing = join(scratch, "missing");
  assert.equal(problemOf(missing), `ENOENT: no such file or directory, lstat '${missing}'`);
});
