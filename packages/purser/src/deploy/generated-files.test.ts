import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { test } from "node:test";
import { deployFiles } from "../../build/deploy/files.ts";
import { rightsPage } from "../../build/deploy/rights-page.ts";

const root = resolve(import.meta.dirname, "../../../..");
const deploy = join(root, "deploy");
const regenerate = "run node packages/purser/build/deploy/main.ts";

test("deploy/ holds what the generator writes, and nothing else", () => {
  const found = ["base", "overlays", "helm"].flatMap((directory) =>
    readdirSync(join(deploy, directory), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(deploy, join(entry.parentPath, entry.name)).replaceAll("\\", "/")),
  );
  assert.deepEqual(found.toSorted(), [...deployFiles.keys()].toSorted(), regenerate);
});

for (const [path, content] of deployFiles)
  test(`deploy/${path} is what the generator writes`, () =>
    assert.equal(readFileSync(join(deploy, path), "utf8"), content, regenerate));

test("docs/rights.md is what the generator writes", () =>
  assert.equal(readFileSync(join(root, "docs/rights.md"), "utf8"), rightsPage, regenerate));
