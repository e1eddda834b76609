import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fingerprint, fingerprintNow } from "./fingerprint.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-fingerprint-"));
after(() => rmSync(directory, { recursive: true }));
const root = join(directory, "catalog");
for (let at = 0; at < 40; at++) {
  mkdirSync(join(root, `package-${at}`), { recursive: true });
  writeFileSync(join(root, `package-${at}`, "catalog.yaml"), `schema: olm.package\nname: p${at}\n`);
}
mkdirSync(join(root, "empty"));
symlinkSync("..", join(root, "package-0", "up"));
symlinkSync("nowhere", join(root, "package-0", "broken"));
symlinkSync("catalog", join(directory, "link"));

for (const path of ["catalog", "link", "catalog/package-1/catalog.yaml", "missing"]) {
  test(`a fingerprint of ${path} is the same whether or not other work may go on`, async () => {
    const now = fingerprintNow(join(directory, path));
    assert.equal(await fingerprint(join(directory, path)), now);
    assert.notEqual(now, "");
  });
}

const changes: readonly (readonly [what: string, change: () => void])[] = [
  ["a file is added", () => writeFileSync(join(root, "empty", "new"), "")],
  ["a file is written to", () => writeFileSync(join(root, "package-2", "catalog.yaml"), "schema: olm.package\n")],
  ["only the time of a file changes", () => utimesSync(join(root, "package-3", "catalog.yaml"), 1, 1)],
  ["a directory is removed", () => rmSync(join(root, "package-4"), { recursive: true })],
  ["what a link points at appears", () => writeFileSync(join(root, "package-0", "nowhere"), "x")],
];
for (const [what, change] of changes) {
  test(`a fingerprint changes when ${what}, and stays as it is when nothing changes`, () => {
    const before = fingerprintNow(root);
    assert.equal(fingerprintNow(root), before);
    change();
    assert.notEqual(fingerprintNow(root), before);
  });
}
