import type { Digest } from "@purser/kubernetes/digest";
import { done, failed } from "@purser/kubernetes/result";
import type { BundleRequest } from "../catalog/content.ts";
import { bundlePath, isDirectory } from "./bundle-folder.ts";
import { fingerprint } from "./fingerprint.ts";
import type { ParsedBundles } from "./parsed-bundles.ts";
import type { Look, SourceProblem, SourceReader } from "./source-reader.ts";

/** A directory with `manifests/` and `metadata/` of a bundle; what every source of bundles ends in. */
export interface BundlePlace {
  readonly digest: Digest;
  readonly directory: string;
}

/**
 * A bundle that lies in `<folder>/<package>/<version>` of the first folder that has one. Its mark is that directory with
 * the fingerprint of its files.
 */
export function bundleInFolders(
  request: BundleRequest,
  folders: readonly string[],
  parsed: ParsedBundles,
): SourceReader<BundlePlace> {
  async function find(directory: string): Promise<Look<BundlePlace>> {
    try {
      const found = await parsed.find(directory);
      const mark = markOf(directory, found.fingerprint);
      if (!found.digest.ok) return { mark, found: failed(found.digest.problem) };
      return { mark, found: done({ digest: found.digest.value, directory }) };
    } catch (error) {
      const cause = `bundle directory ${directory} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
      const remedy = `Make ${directory} smaller or readable; it is looked at again within 5 seconds.`;
      return { mark: "", found: failed({ cause, remedy }) };
    }
  }

  return {
    async look({ mark }): Promise<Look<BundlePlace> | undefined> {
      const directory = await firstDirectory(request, folders);
      if (directory === undefined)
        return mark === absent ? undefined : { mark: absent, found: failed(notFound(request, folders)) };
      // The first look leaves all reading to the thread.
      if (mark !== undefined && mark === markOf(directory, await fingerprint(directory))) return undefined;
      return find(directory);
    },
    pauseMs: () => 0,
  };
}

const absent = "absent";
const markOf = (directory: string, print: string): string => `${directory}\n${print}`;

async function firstDirectory(
  { packageName, version }: BundleRequest,
  folders: readonly string[],
): Promise<string | undefined> {
  for (const folder of folders) {
    const path = bundlePath(folder, packageName, version);
    if (path !== undefined && (await isDirectory(path))) return path;
  }
  return undefined;
}

function notFound({ reference, packageName, version }: BundleRequest, folders: readonly string[]): SourceProblem {
  const [first = "DIR"] = folders;
  const path = `${first}/${packageName}/${version}`;
  const cause = `bundle ${packageName} ${version} (${reference}) cannot be pulled: this version reads bundles from folders only`;
  if (folders.length === 0)
    return {
      cause: `${cause}, and no bundle folder is given`,
      remedy: `Unpack the bundle image into ${path}/ and start with --bundles ${first}.`,
      isFinal: true,
    };
  return {
    cause: `${cause}, and it is not in ${folders.join(", ")}`,
    remedy: `Unpack the bundle image into ${path}/ (manifests/ and metadata/); it is found within 5 seconds.`,
  };
}
