// Writes the table of metrics into docs/metrics.md; a test compares the page with the families.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { families } from "../src/metrics/families.ts";

const mark = "<!-- Written by `node packages/purser/build/metrics-page.ts`. -->\n";
const page = join(import.meta.dirname, "../../../docs/metrics.md");

/** The page with the table of every metric after its mark. */
export function metricsPage(text: string): string {
  const [before = ""] = text.split(mark);
  const rows = families.map(
    ({ name, kind, labels, help }) =>
      `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
  );
  return `${before}${mark}\n| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
}

if (import.meta.main) writeFileSync(page, metricsPage(readFileSync(page, "utf8")));
