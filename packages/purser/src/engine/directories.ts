import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

const nonEmpty = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

/** The default data directory of `purser up`: `PURSER_DATA_DIR`, else `purser` in the XDG data directory. */
export function defaultDataDirectory(env: Environment): string {
  return (
    nonEmpty(env["PURSER_DATA_DIR"]) ??
    join(nonEmpty(env["XDG_DATA_HOME"]) ?? join(homedir(), ".local", "share"), "purser")
  );
}

/** The directory of catalog indexes: `PURSER_CACHE_DIR`, else `purser` in the XDG cache directory. It can be deleted at any time. */
export function defaultCacheDirectory(env: Environment): string {
  return (
    nonEmpty(env["PURSER_CACHE_DIR"]) ?? join(nonEmpty(env["XDG_CACHE_HOME"]) ?? join(homedir(), ".cache"), "purser")
  );
}
