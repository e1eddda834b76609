import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

const nonEmpty = (text: string | undefined): string | undefined => (text === "" ? undefined : text);

/** Where `purser up` keeps the local cluster unless told otherwise: `PURSER_DATA_DIR`, else the XDG data folder. */
export function defaultDataFolder(env: Environment): string {
  return (
    nonEmpty(env["PURSER_DATA_DIR"]) ??
    join(nonEmpty(env["XDG_DATA_HOME"]) ?? join(homedir(), ".local", "share"), "purser")
  );
}

/** Where catalog indexes are kept; may be deleted at any time. `PURSER_CACHE_DIR`, else the XDG cache folder. */
export function defaultCacheFolder(env: Environment): string {
  return (
    nonEmpty(env["PURSER_CACHE_DIR"]) ?? join(nonEmpty(env["XDG_CACHE_HOME"]) ?? join(homedir(), ".cache"), "purser")
  );
}
