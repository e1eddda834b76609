// node packages/purser/build/monitoring/main.ts: writes deploy/monitoring/ anew.
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { monitoringFiles } from "./files.ts";

const folder = resolve(import.meta.dirname, "../../../../deploy/monitoring");
mkdirSync(folder, { recursive: true });
for (const [name, text] of monitoringFiles) {
  writeFileSync(resolve(folder, name), text);
  console.log(`${name}: ${Buffer.byteLength(text)} bytes`);
}
