import { compareBytes } from "@purser/kubernetes/text/documents";
import type { BundleFile, BundleFiles } from "./bundle-files.ts";

/** The files directly in a directory of the bundle, in lexical order, and the directories among them. */
export interface Directory {
  readonly exists: boolean;
  readonly files: readonly { readonly name: string; readonly file: BundleFile }[];
  readonly folders: readonly string[];
}

/** @param folder with a final `/`, such as `manifests/` */
export function directory({ files }: BundleFiles, folder: string): Directory {
  const inside = files
    .filter(({ path }) => path.startsWith(folder))
    .map((file) => ({ name: file.path.slice(folder.length), file }))
    .toSorted((a, b) => compareBytes(a.name, b.name));
  const folders = inside.flatMap(({ name }) => (name.includes("/") ? [name.slice(0, name.indexOf("/"))] : []));
  return {
    exists: inside.length > 0,
    files: inside.filter(({ name }) => !name.includes("/")),
    folders: [...new Set(folders)],
  };
}

/** The file's text; a byte order mark is dropped, bytes that are no UTF-8 become U+FFFD. */
export function textOf({ bytes }: BundleFile): string {
  return new TextDecoder().decode(bytes);
}
