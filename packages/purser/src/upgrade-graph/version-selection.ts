import { parseVersion } from "@purser/kubernetes/version";
import { parseMastermindsRange } from "../version-range.ts";
import { compareNewestFirst, precedenceOf } from "./bundle-order.ts";
import type { GraphBundle } from "./graph-bundle.ts";
import type { UpgradeGraph } from "./upgrade-graph.ts";

/**
 * Bundles that people mean by a text, newest first: the name of a bundle, a version (`1.2.0`, `v1.2.0`, `1.2.0+1`),
 * the beginning of one (`1.2`), or a range as OLM v1 reads them (`>=1.2 <1.4`).
 */
export function selectBundles({ bundles }: UpgradeGraph, text: string): readonly GraphBundle[] {
  const wanted = text.trim();
  const named = bundles.filter(({ name }) => name === wanted);
  if (named.length > 0) return named;
  const exact = wanted.replace(/^v/, "");
  if (parseVersion(exact).ok) {
    const written = bundles.filter(({ version }) => version === exact);
    if (written.length > 0) return written;
    const precedence = precedenceOf(exact);
    return bundles.filter(
      (each) => each.precedence !== undefined && compareNewestFirst(each.precedence, precedence) === 0,
    );
  }
  if (/^\d+(\.\d+)?$/.test(exact)) {
    const parts = exact.split(".");
    return bundles.filter(({ precedence }) => {
      if (precedence === undefined) return false;
      const { major, minor } = precedence.version;
      return [major, minor].slice(0, parts.length).join(".") === parts.map((part) => BigInt(part)).join(".");
    });
  }
  const range = parseMastermindsRange(wanted);
  if (!range.ok) return [];
  return bundles.filter(({ precedence }) => precedence !== undefined && range.value.includes(precedence.version));
}
