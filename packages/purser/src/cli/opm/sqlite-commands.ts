import type { OpmAnswer } from "../../catalog/opm/answer.ts";
import type { FlagSpec } from "./flags.ts";
import type { OpmCommand } from "./opm-command.ts";

/**
 * A command that upstream has deprecated with SQLite catalogs. It accepts upstream's flags and is refused with the
 * equivalent command for file-based catalogs.
 */
function sqliteCommand(path: string, instead: string, flags: readonly FlagSpec[], hidden = false): OpmCommand {
  return {
    path,
    usage: "",
    summary: `works on SQLite catalogs, which are not supported; ${instead}`,
    flags,
    words: [0, 0],
    ...(hidden ? { hidden: true as const } : {}),
    notice: "SQLite catalogs and their commands are deprecated and not supported; use file-based catalogs",
    run: (): OpmAnswer => ({
      exit: 1,
      stdout: "",
      stderr: `Error: opm ${path} works on SQLite catalogs, which are not supported: ${instead}\n`,
    }),
  };
}

const debug: FlagSpec = { name: "debug", summary: "accepted, no effect" };
const hiddenDebug: FlagSpec = { ...debug, hidden: true };
const text = (name: string, short: string | undefined, value: string, initial?: string): FlagSpec => ({
  name,
  ...(short === undefined ? {} : { short }),
  value,
  ...(initial === undefined ? {} : { initial }),
  summary: "accepted, no effect",
});
const list = (name: string, short: string, required = false): FlagSpec => ({
  ...text(name, short, "A,B"),
  type: "list",
  ...(required ? { required: true as const } : {}),
});
const on = (name: string, hidden = false): FlagSpec => ({
  name,
  summary: "accepted, no effect",
  ...(hidden ? { hidden: true as const } : {}),
});
const needed = (flag: FlagSpec): FlagSpec => ({ ...flag, required: true });

const permissive = on("permissive");
const image: readonly FlagSpec[] = [
  on("generate"),
  text("out-dockerfile", "d", "FILE"),
  text("binary-image", "i", "IMAGE"),
  text("tag", "t", "IMAGE"),
];
const fromIndex = text("from-index", "f", "IMAGE");
const tools: readonly FlagSpec[] = [
  text("container-tool", "c", "TOOL"),
  text("build-tool", "u", "TOOL"),
  text("pull-tool", "p", "TOOL"),
];
const podman = text("container-tool", "c", "TOOL", "podman");
const database = text("database", "d", "FILE", "bundles.db");
const mode = text("mode", undefined, "MODE", "replaces");
const forAdding: readonly FlagSpec[] = [
  mode,
  on("overwrite-latest", true),
  { ...on("enable-alpha"), hidden: "unless alpha" },
];

const addToCatalog = "add the output of `opm render BUNDLE` to the catalog's directory, or expand a template of it";
const prune = "`purser catalog prune` keeps named packages of a directory";
const removePackage = "delete the directory of the package from the catalog, and check with `opm validate`";
const nothingStranded = "a file-based catalog with stranded bundles is invalid; `opm validate` names them";
const deprecate = "add an olm.deprecations blob to the catalog";

export const sqliteCommands: readonly OpmCommand[] = [
  sqliteCommand("index add", addToCatalog, [
    hiddenDebug,
    ...image,
    fromIndex,
    list("bundles", "b", true),
    ...tools,
    permissive,
    ...forAdding,
  ]),
  sqliteCommand("index rm", removePackage, [
    hiddenDebug,
    ...image,
    needed(fromIndex),
    list("operators", "o", true),
    ...tools,
    permissive,
  ]),
  sqliteCommand("index prune", prune, [
    hiddenDebug,
    ...image,
    needed(fromIndex),
    list("packages", "p", true),
    podman,
    permissive,
  ]),
  sqliteCommand("index prune-stranded", nothingStranded, [hiddenDebug, ...image, needed(fromIndex), podman]),
  sqliteCommand(
    "index deprecatetruncate",
    deprecate,
    [hiddenDebug, ...image, fromIndex, list("bundles", "b", true), ...tools, permissive, on("allow-package-removal")],
    true,
  ),
  sqliteCommand("index export", "bundles of a file-based catalog are images; unpack those that are named", [
    hiddenDebug,
    needed(text("index", "i", "IMAGE")),
    list("package", "p"),
    text("download-folder", "f", "DIR", "downloaded"),
    text("container-tool", "c", "TOOL", "none"),
    { ...list("xpackage", "o"), hidden: true },
  ]),
  sqliteCommand("registry add", addToCatalog, [
    debug,
    database,
    list("bundle-images", "b"),
    permissive,
    text("ca-file", undefined, "FILE"),
    text("container-tool", "c", "TOOL", "none"),
    ...forAdding,
  ]),
  sqliteCommand("registry rm", removePackage, [debug, database, list("packages", "o", true), permissive]),
  sqliteCommand("registry prune", prune, [debug, database, list("packages", "p", true), permissive]),
  sqliteCommand("registry prune-stranded", nothingStranded, [debug, database]),
  sqliteCommand(
    "registry deprecatetruncate",
    deprecate,
    [
      debug,
      text("database", "d", "FILE", "index.db"),
      list("bundle-images", "b"),
      permissive,
      on("allow-package-removal"),
    ],
    true,
  ),
  sqliteCommand("registry serve", "`opm serve DIR` serves the same API from a file-based catalog", [
    debug,
    database,
    text("port", "p", "PORT", "50051"),
    text("termination-log", "t", "FILE", "/dev/termination-log"),
    on("skip-migrate"),
    text("timeout-seconds", undefined, "SECONDS", "infinite"),
  ]),
];
