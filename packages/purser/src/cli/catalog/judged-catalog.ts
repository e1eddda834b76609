import type { CatalogText } from "../../catalog/loading/load.ts";
import type { CatalogBlob } from "../../catalog/model.ts";
import { type CatalogView, viewOf } from "../../catalog/catalog-view.ts";
import { againstFindings } from "../../catalog/lint/findings/against-findings.ts";
import { checkCatalog } from "../../catalog/lint/check-catalog.ts";
import type { Finding, JudgedFinding } from "../../catalog/lint/finding.ts";
import { judge } from "../../catalog/lint/judge.ts";
import { locateFindings } from "../../catalog/lint/findings/locate-findings.ts";
import { ruleOf, type Severity } from "../../catalog/lint/rules.ts";
import { softFindings } from "../../catalog/lint/findings/soft-findings.ts";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { crdBreaks } from "../../review/catalog-lint/crd-breaks.ts";
import type { Result } from "@purser/kubernetes/result";

export interface Judging {
  /** Whether the advisory rules run too. */
  readonly soft: boolean;
  readonly severities: ReadonlyMap<string, Severity>;
  /** Warnings count as errors. */
  readonly strict: boolean;
  /** An older catalog to compare with. */
  readonly against?: CatalogView;
}

export interface JudgedCatalog {
  readonly findings: readonly JudgedFinding[];
  readonly errors: number;
  readonly warnings: number;
  readonly packages: number;
  readonly bundles: number;
  readonly blobs: readonly CatalogBlob[];
}

export type CatalogTexts = () => Iterable<Result<CatalogText, CatalogProblem>>;

/** All findings of the rules for a catalog, with places. Files with findings are read again to compute the places. */
export function judgeCatalog(texts: CatalogTexts, { soft, severities, strict, against }: Judging): JudgedCatalog {
  const { blobs, findings } = checkCatalog(texts());
  const advice = soft ? adviceOn(blobs, findings, against) : [];
  const judged = judge([...findings, ...advice], { severities });
  const wanted = new Set(judged.flatMap(({ place }) => place.file ?? []));
  const found = judge(locateFindings(judged, textsByFile(texts, wanted)), { severities }).map((finding) =>
    strict && finding.severity === "warn" ? { ...finding, severity: "error" as const } : finding,
  );
  const errors = found.filter(({ severity }) => severity === "error").length;
  return {
    findings: found,
    errors,
    warnings: found.length - errors,
    packages: blobs.filter(({ content }) => content.kind === "package").length,
    bundles: blobs.filter(({ content }) => content.kind === "bundle").length,
    blobs,
  };
}

/** Findings of the advisory rules, for packages without errors only: for a broken package they would repeat its errors. */
function adviceOn(
  blobs: readonly CatalogBlob[],
  findings: readonly Finding[],
  against: CatalogView | undefined,
): readonly Finding[] {
  const broken = new Set(
    findings.flatMap(({ rule, packageName }) => (ruleOf(rule)?.kind === "hard" ? [packageName] : [])),
  );
  const view = viewOf(blobs);
  const sound = { ...view, packages: new Map([...view.packages].filter(([name]) => !broken.has(name))) };
  return [...softFindings(sound, [crdBreaks]), ...(against === undefined ? [] : againstFindings(sound, against))];
}

/** Looks up the text of a file. */
function textsByFile(texts: CatalogTexts, wanted: ReadonlySet<string>): (file: string) => string | undefined {
  if (wanted.size === 0) return () => undefined;
  const held = new Map<string, string>();
  for (const text of texts()) if (text.ok && wanted.has(text.value.file)) held.set(text.value.file, text.value.text);
  return (file) => held.get(file);
}
