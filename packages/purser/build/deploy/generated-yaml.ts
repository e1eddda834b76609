import { dump } from "js-yaml";

/** First line of every file that is written. */
export const generated =
  "# Written by packages/purser/build/deploy/main.ts; change the description in packages/purser/src/deploy.\n";
/** A value as YAML. */
export const yamlOf = (given: unknown): string => dump(given, { lineWidth: -1, noRefs: true, quoteStyle: "double" });
