import type { Clock } from "@purser/kubernetes/clock";
import type { Digest } from "@purser/kubernetes/digest";
import { done, failed } from "@purser/kubernetes/result";
import { type BundleRequest, isLocalStandIn } from "../../catalog/content.ts";
import type { ImageAcceptance } from "../../catalog/image-acceptance.ts";
import { bundlePath, isDirectory } from "./bundle-directory.ts";
import { fingerprint } from "../fingerprint.ts";
import type { ParsedBundles } from "./parsed-bundles.ts";
import type { Look, SourceProblem, SourceReader } from "../source-reader.ts";

/** A directory with `manifests/` and `metadata/` of a bundle; what every source of bundles ends in. */
export interface BundlePlace {
  /** Of the files. */
  readonly digest: Digest;
  readonly directory: string;
  /** The image that the files came from; the store of images keeps it while the bundle is in use. */
  readonly image?: Digest;
  /** How the signature policy accepted that image; absent without a policy. */
  readonly accepted?: ImageAcceptance;
}

/**
 * A bundle that lies in `<directory>/<package>/<version>` of the first directory that has one. Its mark is that directory with
 * the fingerprint of its files. Directories stand in for a registry: while none has the bundle, its image is pulled.
 * @param image what pulls; absent: nothing is pulled
 */
export function bundleInDirectories(
  request: BundleRequest,
  directories: readonly string[],
  parsed: ParsedBundles,
  image: Timed | undefined,
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
    async look(before, signal): Promise<Look<BundlePlace> | undefined> {
      const { mark } = before;
      const directory = await firstDirectory(request, directories);
      if (directory === undefined && image !== undefined)
        return withDirectories(await image.look(before, signal), request, directories);
      if (directory === undefined)
        return mark === absent ? undefined : { mark: absent, found: failed(notFound(request, directories)) };
      // The first look leaves all reading to the thread.
      if (mark !== undefined && mark === markOf(directory, await fingerprint(directory))) return undefined;
      return find(directory);
    },
    pauseMs: () => 0,
  };
}

/** A source that is asked in every round, and looks only when its own pause is over. */
interface Timed {
  look: SourceReader<BundlePlace>["look"];
}

/** Lets a source be asked more often than it wants to look. */
export function timed(reader: SourceReader<BundlePlace>, clock: Clock): Timed {
  let dueAt = 0;
  return {
    async look(before, signal): Promise<Look<BundlePlace> | undefined> {
      if (clock.now() < dueAt) return undefined;
      const look = await reader.look(before, signal);
      dueAt = clock.now() + (reader.pauseMs(0) ?? Number.POSITIVE_INFINITY);
      return look?.found?.ok === false ? { ...look, found: failed({ retryAt: dueAt, ...look.found.problem }) } : look;
    },
  };
}

const absent = "absent";
const markOf = (directory: string, print: string): string => `${directory}\n${print}`;

async function firstDirectory(
  { packageName, version }: BundleRequest,
  directories: readonly string[],
): Promise<string | undefined> {
  for (const directory of directories) {
    const path = bundlePath(directory, packageName, version);
    if (path !== undefined && (await isDirectory(path))) return path;
  }
  return undefined;
}

/** A failed pull says that a directory would do, too. */
function withDirectories(
  look: Look<BundlePlace> | undefined,
  { packageName, version }: BundleRequest,
  directories: readonly string[],
): Look<BundlePlace> | undefined {
  if (look?.found?.ok !== false) return look;
  const { cause, ...problem } = look.found.problem;
  const missing = `${packageName}/${version} is not in ${directories.join(", ")}`;
  return { ...look, found: failed({ ...problem, cause: `${cause}, and ${missing}` }) };
}

function notFound({ reference, packageName, version }: BundleRequest, directories: readonly string[]): SourceProblem {
  const [first = "DIR"] = directories;
  const path = `${first}/${packageName}/${version}`;
  const why = isLocalStandIn(reference) ? "its reference names a directory" : "this process does not pull images";
  const image = reference === "" ? "" : ` (${reference})`;
  const cause = `bundle ${packageName} ${version}${image} is not available: ${why}`;
  if (directories.length === 0)
    return {
      cause: `${cause}, and no bundle directory is given`,
      remedy: `Unpack the bundle image into ${path}/ and start with --bundles ${first}.`,
      isFinal: true,
    };
  return {
    cause: `${cause}, and it is not in ${directories.join(", ")}`,
    remedy: `Unpack the bundle image into ${path}/ (manifests/ and metadata/); it is found within 5 seconds.`,
  };
}
