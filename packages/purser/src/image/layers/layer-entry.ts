import type { ImagePath } from "./wanted-directories.ts";
import { imagePath, unwritablePath } from "./entry-path.ts";

/** What the decision about an entry looks at. */
export interface LayerEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "symlink" | "link" | "device";
  /** True for files stored without their holes, in any of the formats of GNU tar. */
  readonly isSparse: boolean;
  /** Bytes of the content. */
  readonly size: number;
  readonly target: string;
}

/** What becomes of one entry of a layer. */
export type EntryDecision =
  | { readonly kind: "ignore" }
  | { readonly kind: "refuse"; readonly cause: string }
  | { readonly kind: "file" | "directory"; readonly path: ImagePath }
  | { readonly kind: "symlink"; readonly path: ImagePath; readonly target: string }
  /** Another name of a file that an entry before it or a lower layer brought. */
  | { readonly kind: "link"; readonly path: ImagePath; readonly target: ImagePath }
  /** Something that is not written (a device, a file where a directory has to be) takes the place of what lower layers have. */
  | { readonly kind: "remove"; readonly path: ImagePath }
  /** `.wh.NAME`: what lower layers have at the path does not exist. */
  | { readonly kind: "whiteout"; readonly path: ImagePath }
  /** `.wh..wh..opq`: what lower layers have in the directory does not exist. */
  | { readonly kind: "opaque"; readonly path: ImagePath };

export interface EntryRules {
  readonly directories: readonly ImagePath[];
  readonly fileBytes: number;
  readonly pathBytes: number;
  readonly depth: number;
}

const ignore = { kind: "ignore" } as const;
const whiteoutPrefix = ".wh.";
/** Bookkeeping of aufs in old images, except for the opaque marker. */
const metaPrefix = ".wh..wh.";
const opaqueMarker = ".wh..wh..opq";

/**
 * Decides about one entry by its header alone. Entries outside of the wanted directories are ignored whatever they are,
 * except for names with `..` or NUL: no image needs them, so the whole image is refused.
 */
export function decideEntry(entry: LayerEntry, rules: EntryRules): EntryDecision {
  const found = imagePath(entry.name);
  const refuse = (cause: string): EntryDecision => ({ kind: "refuse", cause: `entry ${quoted(entry.name)}: ${cause}` });
  if (!found.ok) return refuse(found.problem);
  const path = found.value;
  if (path.slice(0, -1).some((element) => element.startsWith(whiteoutPrefix))) return ignore;
  const last = path.at(-1) ?? "";
  if (last.startsWith(whiteoutPrefix)) return decideMarker(path.slice(0, -1), last, rules.directories, refuse);
  if (!isRelated(path, rules.directories)) return ignore;
  const unwritable = unwritablePath(path, rules);
  if (unwritable !== undefined) return refuse(unwritable);
  const isInside = rules.directories.some((directory) => path.length > directory.length && startsWith(path, directory));
  switch (entry.kind) {
    case "directory":
      return { kind: "directory", path };
    case "device":
      return { kind: "remove", path };
    case "symlink":
      return { kind: "symlink", path, target: entry.target };
    case "link": {
      if (!isInside) return { kind: "remove", path };
      const target = imagePath(entry.target);
      return target.ok ? { kind: "link", path, target: target.value } : refuse(`hard link: ${target.problem}`);
    }
    case "file":
      if (!isInside) return { kind: "remove", path };
      if (entry.isSparse) return refuse("sparse files are not supported");
      if (entry.size > rules.fileBytes)
        return refuse(`the file has ${entry.size} bytes, more than the ${rules.fileBytes} allowed`);
      return { kind: "file", path };
  }
}

function decideMarker(
  parent: ImagePath,
  name: string,
  directories: readonly ImagePath[],
  refuse: (cause: string) => EntryDecision,
): EntryDecision {
  if (name === opaqueMarker) return isRelated(parent, directories) ? { kind: "opaque", path: parent } : ignore;
  if (name.startsWith(metaPrefix)) return ignore;
  const hidden = name.slice(whiteoutPrefix.length);
  if (hidden === "" || hidden === "." || hidden === "..") return refuse("the whiteout names no file");
  const path = [...parent, hidden];
  return isRelated(path, directories) ? { kind: "whiteout", path } : ignore;
}

/** Lies in a wanted directory, is one, or leads to one. */
function isRelated(path: ImagePath, directories: readonly ImagePath[]): boolean {
  return directories.some((directory) => startsWith(path, directory) || startsWith(directory, path));
}

function startsWith(path: ImagePath, start: ImagePath): boolean {
  return start.length <= path.length && start.every((element, index) => path[index] === element);
}

/** As JSON and cut, because the name comes from the archive. */
export function quoted(name: string): string {
  const text = JSON.stringify(name);
  return text.length > 200 ? `${text.slice(0, 200)}..."` : text;
}
