import type { Cell, Picture } from "./picture.ts";
import { versionLabel } from "./picture.ts";

/** Version and marks of a cell on one line. */
export function cellLabel({ rows }: Picture, { row, nodes, mark }: Cell): string {
  const words = mark.tags.map(({ text }) => text);
  const bundle = rows[row]?.bundles.find(({ name }) => name === nodes[0]?.name);
  const subject =
    nodes.length > 1
      ? `${nodes.length} versions`
      : bundle === undefined
        ? (nodes[0]?.name ?? "")
        : versionLabel(bundle);
  return words.length === 0 ? subject : `${subject} (${words.join(", ")})`;
}
