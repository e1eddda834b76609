import { resolve } from "node:path";

const ownScripts: ReadonlySet<string | undefined> = new Set(["purser", "start"]);

/**
 * The working directory of the user who ran `npm run purser` or `npm start` of this package; undefined when the process
 * was started another way. npm runs scripts in the directory of package.json, so relative paths would be wrong there.
 */
export function directoryOfCaller(
  env: Readonly<Record<string, string | undefined>>,
  ownRoot: string,
): string | undefined {
  const { INIT_CWD: caller, npm_lifecycle_event: script, npm_package_json: manifest } = env;
  if (caller === undefined || caller === "" || manifest === undefined || !ownScripts.has(script)) return undefined;
  return resolve(manifest) === resolve(ownRoot, "package.json") ? caller : undefined;
}

/** The command prefix to print in hints: `purser`, or `npm run -s purser --` when npm started this process. */
export function ownCommand(env: Readonly<Record<string, string | undefined>>, ownRoot: string): string {
  return directoryOfCaller(env, ownRoot) === undefined ? "purser" : "npm run -s purser --";
}
