import type { NormalForm } from "./normal-form.ts";

/** All leaves by path. */
function leaves(value: unknown, path = ""): readonly (readonly [string, string])[] {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return [[path, JSON.stringify(value)]];
  return entries.flatMap(([key, held]) => leaves(held, `${path}/${key}`));
}

/** Describes where two responses differ; long texts are cut to the differing part. */
export function differenceText(real: NormalForm, ours: NormalForm): string {
  const [left, right] = [new Map(leaves(real)), new Map(leaves(ours))];
  const lines = (mine: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>, mark: string): string[] =>
    [...mine]
      .filter(([path, text]) => other.get(path) !== text)
      .slice(0, 8)
      .map(([path, text]) => `    ${mark} ${path} = ${excerpt(text, other.get(path))}`);
  return [...lines(left, right, "real"), ...lines(right, left, "ours")].join("\n");
}

function excerpt(text: string, other = ""): string {
  let same = 0;
  while (same < text.length && text[same] === other[same]) same++;
  const from = same < 200 ? 0 : same - 80;
  return `${from > 0 ? "…" : ""}${text.slice(from, from + 500)}`;
}
