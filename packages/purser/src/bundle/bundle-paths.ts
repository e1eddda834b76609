import { compareBytes } from "@purser/kubernetes/text/documents";
import type { BundleFile, BundleFiles } from "./bundle-files.ts";

/** The files directly in a directory of the bundle, in lexical order, and the directories among them. */
export interface Directory {
  readonly exists: boolean;
  readonly files: readonly { readonly name: string; readonly file: BundleFile }[];
  readonly directories: readonly string[];
}

/** @param directory with a final `/`, such as `manifests/` */
export function listDirectory({ files }: BundleFiles, directory: string): Directory {
  const inside = files
    .filter(({ path }) => path.startsWith(directory))
    .map((file) => ({ name: file.path.slice(directory.length), file }))
    .toSorted((a, b) => compareBytes(a.name, b.name));
  const directories = inside.flatMap(({ name }) => (name.includes("/") ? [name.slice(0, name.indexOf("/"))] : []));
  return {
    exists: inside.length > 0,
    files: inside.filter(({ name }) => !name.includes("/")),
    directories: [...new Set(directories)],
  };
}

/** The file's text; a byte order mark is dropped, bytes that are no UTF-8 become U+FFFD. */
export function textOf({ bytes }: BundleFile): string {
  return new TextDecoder().decode(bytes);
}
