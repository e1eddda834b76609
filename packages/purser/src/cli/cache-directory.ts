import type { CacheDirectory } from "../engine/cache-directory.ts";
import { openCacheDirectory } from "../engine/cache-directory.ts";
import { defaultCacheDirectory } from "../engine/directories.ts";
import type { Terminal } from "./output/terminal.ts";

/** Opens the user's cache directory; when it cannot be used, a temporary one, with a message on stderr. */
export async function cacheDirectoryOf(terminal: Terminal): Promise<CacheDirectory> {
  const wanted = defaultCacheDirectory(terminal.env);
  const directory = await openCacheDirectory(wanted);
  if (directory.refused !== undefined)
    terminal.err(
      `The cache directory "${wanted}" cannot be used (${directory.refused}): catalog indexes are built again for this run. PURSER_CACHE_DIR names another one.`,
    );
  return directory;
}
