// node packages/purser/build/deploy/main.ts: writes deploy/base, deploy/overlays, deploy/helm and docs/rights.md anew.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { deployFiles } from "./files.ts";
import { rightsPage } from "./rights-page.ts";

const root = resolve(import.meta.dirname, "../../../..");
for (const directory of ["base", "overlays", "helm"])
  rmSync(join(root, "deploy", directory), { recursive: true, force: true });
for (const [path, content] of deployFiles) {
  const file = join(root, "deploy", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
writeFileSync(join(root, "docs/rights.md"), rightsPage);
console.log(`${deployFiles.size} files in deploy, docs/rights.md`);
