import type { Place } from "@purser/kubernetes/place";
import type { BundleDirectory } from "../bundle-files.ts";
import { contentFaults } from "./content.ts";
import { formatFaults } from "./format.ts";
import { loadBundle } from "./loaded-bundle.ts";
import { ruleWords } from "./rules.ts";
import { runValidator, type ValidatorName, type ValidatorOptions } from "./suites.ts";

/** A finding with everything that a person needs to act on it. */
export interface BundleFinding {
  readonly rule: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly cause: string;
  readonly remedy: string;
  readonly place: Place;
}

/**
 * All findings of the suites named and of the checks of format and content, by place, each once. Pure.
 * @param root the directory as the user named it; stands in texts and places
 */
export function judgeBundle(
  files: BundleDirectory,
  root: string,
  suites: readonly ValidatorName[],
  options: ValidatorOptions,
): readonly BundleFinding[] {
  const findings: BundleFinding[] = [];
  const add = (rule: string, severity: BundleFinding["severity"], message: string, place: Place | undefined): void => {
    const file = place?.file === undefined ? root : `${root}/${place.file}`;
    findings.push({ rule, severity, message, ...ruleWords(rule), place: { ...place, file } });
  };
  const loaded = loadBundle(files, root);
  for (const { rule, message, place } of formatFaults(files, root)) add(rule, "error", message, place);
  for (const { rule, message, place } of contentFaults(files, root)) {
    // What the validators say of CSV and CRDs they say with more.
    const isRepeated = loaded.ok && /^(csv|crd|annotation|registry)-/.test(rule) && rule !== "crd-api-version";
    if (!isRepeated) add(rule, "error", message, place);
  }
  if (!loaded.ok) add("bundle-load", "error", loaded.problem.message, loaded.problem.place);
  else {
    for (const suite of suites) {
      for (const { issues } of runValidator(suite, loaded.value, options)) {
        for (const { rule, level, detail, field, place } of issues) {
          const where = field === undefined || detail.startsWith(field) ? "" : `${field}: `;
          add(rule, level === "Error" ? "error" : "warning", `${where}${detail}`, place);
        }
      }
    }
  }
  const key = ({ message, severity, place }: BundleFinding): string => JSON.stringify([message, severity, place]);
  const distinct = new Map<string, BundleFinding>();
  // Suites share checks; the first to find something names the rule.
  for (const finding of findings) if (!distinct.has(key(finding))) distinct.set(key(finding), finding);
  return [...distinct.values()].toSorted(byPlace);
}

function byPlace(a: BundleFinding, b: BundleFinding): number {
  const [left = "", right = ""] = [a.place.file, b.place.file];
  if (left !== right) return left < right ? -1 : 1;
  return (a.place.line ?? 0) - (b.place.line ?? 0);
}
