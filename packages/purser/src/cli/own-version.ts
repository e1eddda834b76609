import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../engine/package-folder.ts";

/** The version in this package's manifest. */
export function ownVersion(): string {
  const manifest = JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8")) as {
    readonly version: string;
  };
  return manifest.version;
}
