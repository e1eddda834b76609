import type { CatalogText } from "../loading/load.ts";
import { applyEdits } from "./edits/apply-edits.ts";
import type { Edit } from "./edits/edit.ts";
import type { Finding } from "./finding.ts";

export interface FixedFile {
  readonly file: string;
  readonly before: string;
  readonly text: string;
  readonly edits: readonly Edit[];
}

/** Files with the fixes of all findings; unchanged files are left out. */
export function fixFiles(files: readonly CatalogText[], findings: readonly Finding[]): readonly FixedFile[] {
  const edits = findings.flatMap(({ fix }) => fix ?? []);
  return files.flatMap(({ file, text }): FixedFile[] => {
    const own = edits.filter((edit) => edit.file === file);
    if (own.length === 0) return [];
    const fixed = applyEdits(file, text, own);
    return fixed.text === text ? [] : [{ file, before: text, text: fixed.text, edits: fixed.done }];
  });
}

/** What an edit did, in words. */
export function editWords(edit: Edit): string {
  switch (edit.kind) {
    case "setMember":
      return `set ${edit.pointer}/${edit.key} to ${edit.value}`;
    case "removeMember":
    case "removeItem":
      return `removed ${edit.pointer}`;
    case "appendItem":
      return `added ${JSON.stringify(edit.value)} to ${edit.pointer}/${edit.key}`;
    case "joinDocument":
      return "removed a separator line behind comments";
  }
}
