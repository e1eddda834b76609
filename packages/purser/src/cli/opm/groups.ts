/** A group of commands, such as `opm alpha`. */
export interface OpmGroup {
  /** The words after `opm`; "" for `opm` itself. */
  readonly path: string;
  readonly summary: string;
  /** What the group does without a command, as in upstream: nothing, or print its help. */
  readonly alone: "nothing" | "help";
  /** Shown by help with HELP_ALPHA=true only. */
  readonly alpha?: true;
}

export const groups: readonly OpmGroup[] = [
  { path: "", summary: "work with file-based catalogs and bundles", alone: "nothing" },
  { path: "alpha", summary: "commands that may change or be removed in any release", alone: "nothing", alpha: true },
  { path: "alpha bundle", summary: "bundles: metadata, images, checks", alone: "help" },
  { path: "alpha list", summary: "tables of what a catalog holds", alone: "help" },
  { path: "alpha convert-template", summary: "turn catalogs into templates", alone: "help" },
  { path: "completion", summary: "scripts with which shells complete this command line", alone: "help" },
  { path: "generate", summary: "files that belong to a catalog", alone: "help" },
  { path: "index", summary: "images of SQLite catalogs (deprecated)", alone: "help" },
  { path: "registry", summary: "databases of SQLite catalogs (deprecated)", alone: "help" },
];
