import type { CacheFolder } from "../engine/cache-folder.ts";
import { openCacheFolder } from "../engine/cache-folder.ts";
import { defaultCacheFolder } from "../engine/folders.ts";
import type { Terminal } from "./output/terminal.ts";

/** Opens the user's cache directory; when it cannot be used, a temporary one, with a message on stderr. */
export async function cacheFolderOf(terminal: Terminal): Promise<CacheFolder> {
  const wanted = defaultCacheFolder(terminal.env);
  const folder = await openCacheFolder(wanted);
  if (folder.refused !== undefined)
    terminal.err(
      `The cache directory "${wanted}" cannot be used (${folder.refused}): catalog indexes are built again for this run. PURSER_CACHE_DIR names another one.`,
    );
  return folder;
}
