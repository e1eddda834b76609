import { compareBytes } from "@purser/kubernetes/text/documents";
import type { LayerEntry } from "../../src/image/build/directory-entries.ts";
import type { RootFile } from "./root-files.ts";

/** Entries of a layer in byte order of their paths, each after the directories that hold it. */
export function layerEntries(files: readonly RootFile[]): readonly LayerEntry[] {
  const entries = new Map<string, LayerEntry>();
  for (const file of files.toSorted((a, b) => compareBytes(a.path, b.path))) {
    const parts = file.path.split("/");
    for (let depth = 1; depth < parts.length; depth++) {
      const path = parts.slice(0, depth).join("/");
      if (!entries.has(path)) entries.set(path, { path });
    }
    entries.set(file.path, entryOf(file));
  }
  return [...entries.values()];
}

function entryOf(file: RootFile): LayerEntry {
  const { path } = file;
  switch (file.kind) {
    case "file":
      return {
        path,
        file: { source: file.bytes, size: file.bytes.length },
        mode: file.executable === true ? 0o755 : 0o644,
      };
    case "link":
      return { path, link: file.target };
    case "directory":
      return { path, mode: file.mode };
  }
}
