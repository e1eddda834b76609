import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildIndex } from "../../catalog-store/build.ts";
import { openIndex, type StoredIndex } from "../../catalog-store/open.ts";
import { readCatalogFile, walkCatalog } from "../../catalog-store/read/walk-directory.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { goFileError } from "../../catalog-store/read/go-file-error.ts";
import { isDirectory } from "../bundle-directory.ts";
import { cacheBuildProblem } from "./serve-refusal.ts";

/** The subdirectory of purser's index; the subdirectories of upstream's two cache formats are not touched. */
const ownDirectory = "purser.v1";
const upstreamDirectories: readonly (readonly string[])[] = [["pogreb.v1"], ["cache", "digest"]];
const indexName = "catalog.index";

export interface ServeCache {
  /** The catalog directory. */
  readonly root: string;
  /** The cache directory; created when missing. */
  readonly directory: string;
  /** Refuse a cache that does not match the catalog instead of rebuilding it. */
  readonly enforceIntegrity: boolean;
  readonly signal: AbortSignal;
  /** Called with the reason when the cache is rebuilt. */
  readonly onRebuild?: (reason: string) => void;
}

/** Opens the index of a catalog from its cache; rebuilds it when allowed. The problem is upstream's error text. */
export async function openServeCache(cache: ServeCache): Promise<Result<StoredIndex, string>> {
  const unexpected = unexpectedContents(cache.directory);
  if (unexpected !== undefined) return failed(unexpected);
  const problem = integrityProblem(cache);
  if (cache.enforceIntegrity) {
    if (problem !== undefined) return failed(`integrity check failed: ${problem}`);
    const loaded = load(cache);
    return loaded.ok ? loaded : failed(`failed to load cache: ${loaded.problem}`);
  }
  if (problem !== undefined) {
    cache.onRebuild?.(problem);
    const rebuilt = await rebuild(cache);
    if (!rebuilt.ok) return failed(`failed to load or rebuild cache: failed to rebuild cache: ${rebuilt.problem}`);
  }
  const loaded = load(cache);
  return loaded.ok ? loaded : failed(`failed to load or rebuild cache: ${loaded.problem}`);
}

/** The refusal for a directory whose content is not a cache of purser or upstream; undefined when it can be used. */
function unexpectedContents(directory: string): string | undefined {
  if (!existsSync(directory)) return undefined;
  const names = readdirSync(directory).sort();
  const isCache = (...wanted: readonly string[]): boolean => wanted.every((name) => names.includes(name));
  if (names.length === 0 || isCache(ownDirectory) || upstreamDirectories.some((wanted) => isCache(...wanted)))
    return undefined;
  return `cache directory has unexpected contents: ${names.join(",")}`;
}

/** Why the cache does not match the current catalog; undefined when it does. */
function integrityProblem({ root, directory }: Pick<ServeCache, "root" | "directory">): string | undefined {
  const digestFile = join(directory, ownDirectory, "digest");
  let recorded: string;
  try {
    recorded = readFileSync(digestFile, "utf8").trim();
  } catch (error) {
    return `read existing cache digest: ${goFileError("open", digestFile, error)}`;
  }
  const computed = digestOf(root, join(directory, ownDirectory, indexName));
  if (!computed.ok) return computed.problem;
  if (computed.value === recorded) return undefined;
  return `cache requires rebuild: cache reports digest as ${goQuote(recorded)}, but computed digest is ${goQuote(computed.value)}`;
}

async function rebuild({ root, directory, signal }: ServeCache): Promise<Result<null, string>> {
  const own = join(directory, ownDirectory);
  if (existsSync(root) && !isDirectory(root)) return failed(`open ${root}: not a directory`);
  try {
    rmSync(own, { recursive: true, force: true });
    mkdirSync(own, { recursive: true });
    const built = await buildIndex({ directory: root, into: own, signal });
    if (!built.ok) return failed(cacheBuildProblem(root) ?? built.problem[0]?.message ?? "unknown problem");
    const opened = openIndex(built.value.file);
    if (!opened.ok) return failed(opened.problem.message);
    const refusal = opened.value.header.registryRefusal;
    opened.value.close();
    if (refusal !== undefined) {
      rmSync(own, { recursive: true, force: true });
      return failed(refusal);
    }
    const index = join(own, indexName);
    renameSync(built.value.file, index);
    const digest = digestOf(root, index);
    if (!digest.ok) return digest;
    writeFileSync(join(own, "digest"), digest.value);
    return done(null);
  } catch (error) {
    signal.throwIfAborted();
    return failed(goFileError("open", own, error));
  }
}

function load({ directory }: ServeCache): Result<StoredIndex, string> {
  const opened = openIndex(join(directory, ownDirectory, indexName));
  return opened.ok ? opened : failed(opened.problem.message);
}

/** A digest of 16 hexadecimal digits over the files of the catalog and its index. */
function digestOf(root: string, index: string): Result<string, string> {
  const hash = createHash("sha256");
  const add = (name: string, bytes: Uint8Array): void => {
    hash.update(`${name}\0${bytes.length}\0`);
    hash.update(bytes);
  };
  const files = walkCatalog(root);
  if (!files.ok) return failed(files.problem.message);
  for (const file of files.value) {
    const bytes = readCatalogFile(root, file, { followOutside: true });
    if (!bytes.ok) return failed(bytes.problem.message);
    add(file.below.join("/"), bytes.value);
  }
  try {
    add("index", readFileSync(index));
  } catch (error) {
    return failed(goFileError("open", index, error));
  }
  return done(hash.digest("hex").slice(0, 16));
}
