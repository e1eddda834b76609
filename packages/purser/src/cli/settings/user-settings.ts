import { defaultCacheDirectory, defaultDataDirectory } from "../../engine/directories.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A setting of commands for people, which flags, variables and the user's file set. */
export interface UserSetting {
  /** Key in the file. */
  readonly name: string;
  readonly variable: string;
  readonly usual: (env: Environment) => string;
}

export const userSettings: readonly UserSetting[] = [
  { name: "output", variable: "PURSER_OUTPUT", usual: () => "table" },
  { name: "color", variable: "PURSER_COLOR", usual: () => "auto" },
  { name: "accessible", variable: "PURSER_ACCESSIBLE", usual: () => "" },
  { name: "no-hints", variable: "PURSER_NO_HINTS", usual: () => "" },
  { name: "compat", variable: "PURSER_COMPAT", usual: () => "" },
  { name: "feature-gates", variable: "PURSER_FEATURE_GATES", usual: () => "" },
  {
    name: "cache-dir",
    variable: "PURSER_CACHE_DIR",
    usual: (env) => defaultCacheDirectory({ ...env, PURSER_CACHE_DIR: "" }),
  },
  {
    name: "data-dir",
    variable: "PURSER_DATA_DIR",
    usual: (env) => defaultDataDirectory({ ...env, PURSER_DATA_DIR: "" }),
  },
];
