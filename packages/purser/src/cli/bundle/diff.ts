import { shown } from "../output/shown.ts";
import { escapeValues } from "@purser/kubernetes/text/control-characters";
import { diffBundles, diffParts } from "../../bundle/diff/bundle-diff.ts";
import { formatBundleDiff, formatBundleDiffMarkdown } from "../../bundle/diff/diff-text.ts";
import { nameOf } from "../../bundle/directory/first-object.ts";
import { parseBundleDirectory, type ParsedBundle } from "../../bundle/directory/parse-directory.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import { plainJson } from "@purser/kubernetes/json";
import { failed, type Result } from "@purser/kubernetes/result";
import { checkCrdUpgrade } from "../../review/crd-upgrade-safety.ts";
import { flagOption, type Invocation, listOption, type Outcome, textOption } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import type { LocalContent } from "../image/local-content.ts";
import { invalidFrom, readLocalBundle } from "./bundle-reference.ts";

/** Compares two bundles. */
export function diffLocalBundles(invocation: Invocation, older: LocalContent, newer: LocalContent): Outcome {
  const old = parse(older);
  if (!old.ok) return { explanation: old.problem };
  const next = parse(newer);
  if (!next.ok) return { explanation: next.problem };
  const only = listOption(invocation, "only");
  const changes = diffBundles(
    old.value,
    next.value,
    only.length === 0 ? diffParts : diffParts.filter((part) => only.includes(part)),
  );
  const breaking =
    only.length === 0 || only.includes("crds")
      ? breakingCrds(old.value, next.value)
      : new Map<string, readonly string[]>();
  const exitCode = flagOption(invocation, "exit-code") && changes.length > 0 ? exitCodes.changes : exitCodes.done;
  if (textOption(invocation, "output") === "markdown")
    return { exitCode, verbatim: formatBundleDiffMarkdown(changes, breaking) };
  const data = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "BundleDiff",
    from: old.value.name,
    to: next.value.name,
    changes: changes.map((change) => plainJson(change)),
    breaking: [...breaking].map(([crd, messages]) => ({ crd, messages })),
  };
  return {
    exitCode,
    data,
    human: shown(...formatBundleDiff(escapeValues(changes), escapeValues(breaking)).split("\n")),
  };
}

function parse(bundle: LocalContent): Result<ParsedBundle, Explanation> {
  const files = readLocalBundle(bundle);
  if (!files.ok) return files;
  const parsed = parseBundleDirectory(files.value);
  return parsed.ok ? parsed : failed(invalidFrom(bundle.reference, [parsed.problem]));
}

/** CRDs whose new version would reject objects that are stored under the old one. */
function breakingCrds(old: ParsedBundle, next: ParsedBundle): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const crds = ({ objects }: ParsedBundle) =>
    objects.map(({ object }) => object).filter((object) => object["kind"] === "CustomResourceDefinition");
  for (const crd of crds(next)) {
    const before = crds(old).find((other) => nameOf(other) === nameOf(crd));
    const refusal = before === undefined ? undefined : checkCrdUpgrade(before, crd);
    if (refusal !== undefined) found.set(nameOf(crd), refusal.messages);
  }
  return found;
}
