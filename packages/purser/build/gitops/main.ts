// node packages/purser/build/gitops/main.ts: writes deploy/gitops/ anew.
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { gitopsFiles } from "./files.ts";

const directory = resolve(import.meta.dirname, "../../../../deploy/gitops");
mkdirSync(directory, { recursive: true });
for (const [name, text] of gitopsFiles) {
  writeFileSync(resolve(directory, name), text);
  console.log(`${name}: ${Buffer.byteLength(text)} bytes`);
}
