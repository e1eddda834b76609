// Before `npm pack`: the pages of the repository that the published package shows, and those that help texts name.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const own = resolve(import.meta.dirname, "..");
const top = join(own, "../..");
for (const name of ["README.md", "LICENSE"]) copyFileSync(join(top, name), join(own, name));
rmSync(join(own, "docs"), { recursive: true, force: true });
mkdirSync(join(own, "docs"));
for (const name of readdirSync(join(top, "docs")))
  if (/\.(md|json)$/.test(name)) copyFileSync(join(top, "docs", name), join(own, "docs", name));
