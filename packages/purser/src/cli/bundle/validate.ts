import { counted } from "../../explanation/summary.ts";
import { shown } from "../output/shown.ts";
import { gzipSync } from "node:zlib";
import type { BundleDirectory } from "../../bundle/bundle-files.ts";
import { type BundleFinding, judgeBundle } from "../../bundle/validators/judge-bundle.ts";
import { defaultValidators, type ValidatorName, validatorNames } from "../../bundle/validators/suites.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import type { Place } from "@purser/kubernetes/place";
import { plainJson } from "@purser/kubernetes/json";
import { type Invocation, listOption, type Outcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";
import { type LocalContent, shownRoot } from "../image/local-content.ts";
import { readLocalBundle } from "./bundle-reference.ts";
import { indexFileAt } from "./index-file.ts";

/** Validates a bundle. @throws UsageError for an unknown suite */
export function validateLocalBundle(invocation: Invocation, bundle: LocalContent): Outcome {
  const { reference } = bundle;
  const suites = suitesOf(listOption(invocation, "suite"));
  const files = readLocalBundle(bundle);
  if (!files.ok) return { explanation: files.problem };
  if (!files.value.files.some(({ path }) => /^(manifests|metadata)\//.test(path)))
    return { explanation: noBundle(reference) };
  const dockerfile = textOption(invocation, "dockerfile");
  const judged = judgeBundle(files.value, shownRoot(bundle).replace(/\/+$/, ""), suites, {
    sizes: sizesOf(files.value),
    indexFile: dockerfile === undefined ? { kind: "notGiven" } : indexFileAt(dockerfile),
    kubernetes: textOption(invocation, "kubernetes") ?? "",
  });
  const findings = judged.map((finding) => ({ ...finding, place: placeInBundle(bundle, finding.place) }));
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  const data = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "BundleReport",
    bundle: reference,
    suites,
    summary: { errors, warnings },
    findings: findings.map((finding) => plainJson(finding)),
  };
  const total = `${counted(errors, "error")}, ${counted(warnings, "warning")}`;
  const tint = errors > 0 ? "bad" : warnings > 0 ? "attention" : "good";
  const { terminal } = invocation;
  const lines = findings.flatMap((finding) => findingText(terminal, finding));
  return {
    exitCode: errors > 0 ? exitCodes.findings : exitCodes.done,
    data,
    human: shown(...lines, `${terminal.paint(tint, total)} in ${reference}`),
  };
}

/** One cause, where every validator would report what it misses. */
function noBundle(reference: string): Explanation {
  const text = "a bundle keeps its files in manifests/ and metadata/, and there are none";
  return {
    code: "BundleInvalid",
    summary: `${reference} holds no bundle: ${text}`,
    facts: { bundle: reference },
    derivation: [{ relation: "fact", subject: reference, text }],
    remedies: [{ summary: "if it holds a catalog, check that", command: `purser catalog validate ${reference}` }],
  };
}

/** A place of an image is a path of the image. */
function placeInBundle({ reference, image }: LocalContent, place: Place): Place {
  const prefix = `${reference}/`;
  return image !== undefined && place.file?.startsWith(prefix) === true
    ? { ...place, file: place.file.slice(prefix.length) }
    : place;
}

function suitesOf(given: readonly string[]): readonly ValidatorName[] {
  if (given.includes("all")) return validatorNames.filter((name) => name !== "operatorhub");
  const chosen = new Set<ValidatorName>(defaultValidators);
  for (const word of given) {
    const name = validatorNames.find((known) => known === word);
    if (name !== undefined) chosen.add(name);
    else if (word !== "default") {
      const [near] = nearestNames(word, [...validatorNames, "all"]);
      const known = [...validatorNames, "all"].join(", ");
      throw new UsageError(
        `there is no suite ${JSON.stringify(word)}; suites are ${known}`,
        near === undefined ? undefined : `--suite ${near}`,
      );
    }
  }
  return [...chosen];
}

function sizesOf({ files }: BundleDirectory): { raw: number; compressed: number } {
  const manifests = files.filter(({ path }) => path.startsWith("manifests/")).map(({ bytes }) => bytes);
  const raw = manifests.reduce((sum, { length }) => sum + length, 0);
  // OLM stores the content as base64 of gzip.
  const compressed = Math.ceil(gzipSync(Buffer.concat(manifests)).length / 3) * 4;
  return { raw, compressed };
}

function findingText(
  terminal: Terminal,
  { rule, severity, message, cause, remedy, place }: BundleFinding,
): readonly string[] {
  const where = [place.file, place.line, place.column].filter((part) => part !== undefined).join(":");
  const tint = severity === "error" ? "bad" : "attention";
  return [
    `${terminal.paint("strong", where)}  ${terminal.paint(tint, severity)}  ${rule}  ${message}`,
    `   why  ${cause}`,
    `   do   ${remedy}`,
  ];
}
