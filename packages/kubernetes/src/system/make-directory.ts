import { dirname } from "node:path";

/**
 * Creates the directory and its missing parents. Node's own `recursive` option does not terminate where the system
 * reports ENOENT for a directory below an existing one, as `/proc` does.
 * @throws the system's error
 */
export async function makeDirectory(path: string, mode?: number): Promise<void> {
  // Most commands create no directory and need not load this module.
  const { mkdir, stat } = process.getBuiltinModule("node:fs/promises");
  const make = (): Promise<unknown> => mkdir(path, mode === undefined ? {} : { mode });
  const settle = async (error: unknown): Promise<void> => {
    const isThere = codeOf(error) === "EEXIST" && (await stat(path)).isDirectory();
    if (!isThere) throw error;
  };
  try {
    await make();
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || dirname(path) === path) return settle(error);
    await makeDirectory(dirname(path), mode);
    await make().catch(settle);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
