import { resolve } from "node:path";

const ownScripts: ReadonlySet<string | undefined> = new Set(["purser", "start"]);

/**
 * The folder in which somebody typed `npm run purser` or `npm start` of this package, undefined for every other start:
 * npm runs scripts in the folder of their package.json, and relative paths would land there.
 */
export function folderOfCaller(env: Readonly<Record<string, string | undefined>>, ownRoot: string): string | undefined {
  const { INIT_CWD: caller, npm_lifecycle_event: script, npm_package_json: manifest } = env;
  if (caller === undefined || caller === "" || manifest === undefined || !ownScripts.has(script)) return undefined;
  return resolve(manifest) === resolve(ownRoot, "package.json") ? caller : undefined;
}

/** How to type commands of this program in the shell that started it: where npm did, there is no `purser` on the PATH. */
export function ownCommand(env: Readonly<Record<string, string | undefined>>, ownRoot: string): string {
  return folderOfCaller(env, ownRoot) === undefined ? "purser" : "npm run -s purser --";
}
