import type { CatalogText } from "../../catalog/load.ts";
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
  /** Whether the softer rules are asked as well. */
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

/** Everything that the rules say of a catalog, with places. Files are read again for the places of what was found. */
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

/** Advice about packages that are sound: what is said of a broken one would only repeat what breaks it. */
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

/** Texts of files as they are asked for; only one is held, since findings come file by file. */
function textsByFile(texts: CatalogTexts, wanted: ReadonlySet<string>): (file: string) => string | undefined {
  if (wanted.size === 0) return () => undefined;
  const held = new Map<string, string>();
  for (const text of texts()) if (text.ok && wanted.has(text.value.file)) held.set(text.value.file, text.value.text);
  return (file) => held.get(file);
}
