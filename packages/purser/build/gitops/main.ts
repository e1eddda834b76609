// node packages/purser/build/gitops/main.ts: writes deploy/gitops/ anew.
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { gitopsFiles } from "./files.ts";

const folder = resolve(import.meta.dirname, "../../../../deploy/gitops");
mkdirSync(folder, { recursive: true });
for (const [name, text] of gitopsFiles) {
  writeFileSync(resolve(folder, name), text);
  console.log(`${name}: ${Buffer.byteLength(text)} bytes`);
}
