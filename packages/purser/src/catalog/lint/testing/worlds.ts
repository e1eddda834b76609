import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonValue } from "@purser/kubernetes/json";
import { crdBreaks } from "../../../review/catalog-lint/crd-breaks.ts";
import { done } from "@purser/kubernetes/result";
import { readYaml } from "@purser/kubernetes/text/documents";
import { viewOf } from "../../catalog-view.ts";
import { againstFindings } from "../findings/against-findings.ts";
import { checkCatalog } from "../check-catalog.ts";
import type { JudgedFinding } from "../finding.ts";
import { judge } from "../judge.ts";
import { locateFindings } from "../findings/locate-findings.ts";
import { ruleOf, ruleTable } from "../rules.ts";
import { softFindings } from "../findings/soft-findings.ts";

/** Pieces of the base text and what stands there instead. */
type Change = readonly (readonly [from: string, to: string])[];

export interface World {
  readonly rule: string;
  readonly at?: string;
  readonly also?: readonly string[];
  readonly change?: Change;
  readonly spare?: Change;
  readonly old?: Change;
  /** Number of names to skip, instead of a change. */
  readonly skips?: number;
  readonly spareSkips?: number;
}

export function readWorlds(): { readonly base: string; readonly worlds: readonly World[] } {
  const read = readYaml(readFileSync(join(import.meta.dirname, "rule-worlds.yaml"), "utf8"));
  assert.ok(read.ok && isJsonObject(read.value));
  const { base, worlds } = read.value as { readonly [key: string]: JsonValue };
  assert.ok(typeof base === "string" && Array.isArray(worlds));
  return { base, worlds: worlds as unknown as readonly World[] };
}

export function changed(base: string, change: Change): string {
  return change.reduce((text, [from, to]) => {
    assert.equal(text.split(from).length, 2, `${JSON.stringify(from)} stands once in the base`);
    return text.replace(from, () => to);
  }, base);
}

export function skipping(base: string, count: number): string {
  const names = Array.from({ length: count }, (_, index) => `foo.v0.${index}.0`);
  return changed(base, [["  replaces: foo.v1.0.0\n", `  replaces: foo.v1.0.0\n  skips: [${names.join(", ")}]\n`]]);
}

/** All findings of a catalog text, advice included and rules that are off turned on, with their places. */
export function findingsIn(text: string, options: { readonly old?: string } = {}): readonly JudgedFinding[] {
  const file = "foo.yaml";
  const { blobs, findings } = checkCatalog([done({ file, text })]);
  const isSound = findings.every(({ rule }) => ruleOf(rule)?.kind === "soft");
  const view = viewOf(blobs);
  const old =
    options.old === undefined ? undefined : viewOf(checkCatalog([done({ file: "old.yaml", text: options.old })]).blobs);
  const advice = isSound
    ? [...softFindings(view, [crdBreaks]), ...(old === undefined ? [] : againstFindings(view, old))]
    : [];
  const severities = new Map(ruleTable.map(({ id, severity }) => [id, severity === "off" ? "warn" : severity]));
  const located = locateFindings([...findings, ...advice], (name) => (name === file ? text : undefined));
  return judge(located, { severities });
}
