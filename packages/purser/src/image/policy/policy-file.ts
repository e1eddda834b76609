import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { parsePolicy } from "./parse-policy.ts";
import type { Policy } from "./policy.ts";

/** The policy that applies, with the file it was read from; `policy` is undefined when no file exists. */
export type FoundPolicy =
  | { readonly file: string; readonly policy: Policy }
  | { readonly file?: undefined; readonly policy?: undefined };

/**
 * Where container tools look for a policy; the first file that exists counts.
 */
export function policyFiles(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const home = env["HOME"];
  const own = home === undefined || home === "" ? [] : [join(home, ".config/containers/policy.json")];
  return [...own, "/etc/containers/policy.json"];
}

/** Reads the first of `files` that exists. A file that cannot be read is a problem, never a reason to try the next. */
export async function readPolicy(files: readonly string[]): Promise<Result<FoundPolicy, string>> {
  for (const file of files) {
    let text: string;
    try {
      text = await readFile(file, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) continue;
      return failed(
        `the signature policy ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    const policy = parsePolicy(text);
    return policy.ok
      ? done({ file, policy: policy.value })
      : failed(`the signature policy ${file} is not valid: ${policy.problem}`);
  }
  return done({});
}
