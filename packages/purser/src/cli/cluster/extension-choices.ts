import { type LabelSelector, parseLabelSelector, type Requirement } from "@purser/kubernetes/apis/selector";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ClusterExtension, ClusterExtensionSpec } from "../../apis/v1/cluster-extension.ts";
import { dependenciesAnnotation } from "../../apis/v1/labels.ts";
import { dependencyModes } from "../../resolver/v1/dependency-modes.ts";
import { type Invocation, listOption, type OptionSpec, textOption, UsageError } from "../command.ts";

/** Whether new CRDs that would break stored objects are refused. */
export const crdSafetyOption: OptionSpec = {
  flags: "--crd-upgrade-safety ENFORCEMENT",
  summary: "v1: Strict (default) refuses CRDs that would break stored objects, None does not check",
};

/** Flags of a new ClusterExtension beside package, version, channel and catalog. */
export const extensionChoiceOptions: readonly OptionSpec[] = [
  { flags: "--catalog-selector LABELS", summary: "v1: from ClusterCatalogs with these labels, such as tier=own,!beta" },
  {
    flags: "--upgrade-constraint-policy POLICY",
    summary:
      "v1: CatalogProvided (default), or SelfCertified: any version, whether the catalog allows the upgrade or not",
    choices: ["CatalogProvided", "SelfCertified"],
  },
  { ...crdSafetyOption, choices: ["Strict", "None"] },
  {
    flags: "--dependencies MODE",
    summary:
      "v1: what is done about packages that it requires: refuse it (verify), name them (propose), or install them too",
    choices: [...dependencyModes],
  },
  { flags: "--label KEY=VALUE", summary: "a label of the new ClusterExtension", repeatable: true },
];

/** What the flags add to a new ClusterExtension. @throws UsageError */
export function withChoices(extension: ClusterExtension, invocation: Invocation): ClusterExtension {
  const { metadata, spec } = extension;
  const catalog = spec?.source.catalog;
  const policy = textOption(invocation, "upgrade-constraint-policy");
  const enforcement = textOption(invocation, "crd-upgrade-safety");
  const mode = textOption(invocation, "dependencies");
  const selector = selectorOf(invocation);
  if (selector !== undefined && catalog?.selector !== undefined)
    throw new UsageError("--catalog-selector and --from-source exclude each other", "leave one of them out");
  const labels = listOption(invocation, "label").map((text): readonly [string, string] => {
    const at = text.indexOf("=");
    if (at < 1) throw new UsageError(`--label "${text}" is not KEY=VALUE`, "write it as tier=own");
    return [text.slice(0, at), text.slice(at + 1)];
  });
  if (spec === undefined || catalog === undefined) return extension;
  const chosen = {
    ...catalog,
    ...(selector === undefined ? {} : { selector }),
    ...(policy === undefined ? {} : { upgradeConstraintPolicy: policy }),
  } as ClusterExtensionSpec["source"]["catalog"];
  const install = { install: { preflight: { crdUpgradeSafety: { enforcement } } } } as Pick<
    ClusterExtensionSpec,
    "install"
  >;
  return {
    ...extension,
    metadata: {
      ...metadata,
      ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }),
      ...(mode === undefined ? {} : { annotations: { [dependenciesAnnotation]: mode } }),
    },
    spec: {
      ...spec,
      source: { ...spec.source, ...(chosen === undefined ? {} : { catalog: chosen }) },
      ...(enforcement === undefined ? {} : install),
    },
  };
}

function selectorOf(invocation: Invocation): LabelSelector | undefined {
  const text = textOption(invocation, "catalog-selector");
  return text === undefined ? undefined : catalogSelector(text);
}

/** The value of `--catalog-selector`. @throws UsageError */
export function catalogSelector(text: string): LabelSelector {
  const parsed = parseLabelSelector(text);
  if (!parsed.ok)
    throw new UsageError(`--catalog-selector "${text}": ${parsed.problem.message}`, "write it as tier=own");
  if (parsed.value.length === 0)
    throw new UsageError("--catalog-selector is empty", "leave it out to select every catalog");
  return { matchExpressions: parsed.value.map((requirement) => expressionOf(requirement, text)) };
}

function expressionOf(requirement: Requirement, text: string): NonNullable<LabelSelector["matchExpressions"]>[number] {
  const { key } = requirement;
  switch (requirement.operator) {
    case "in":
      return { key, operator: "In", values: requirement.values };
    case "notIn":
      return { key, operator: "NotIn", values: requirement.values };
    case "exists":
      return { key, operator: "Exists" };
    case "doesNotExist":
      return { key, operator: "DoesNotExist" };
    case "greater":
    case "less":
      throw new UsageError(`--catalog-selector "${text}": a selector of catalogs has no < and >`, "name the values");
  }
}

/** The field `spec.install` that `--crd-upgrade-safety` asks for; undefined without the flag. @throws UsageError */
export function crdSafetyField(invocation: Invocation): JsonObject | undefined {
  const enforcement = textOption(invocation, "crd-upgrade-safety");
  if (enforcement === undefined) return undefined;
  if (enforcement !== "Strict" && enforcement !== "None")
    throw new UsageError(`--crd-upgrade-safety "${enforcement}" is neither Strict nor None`);
  return { preflight: { crdUpgradeSafety: { enforcement } } };
}
