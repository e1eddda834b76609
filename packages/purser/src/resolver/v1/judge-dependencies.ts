import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { dependenciesAnnotation, wantedByAnnotation } from "../../apis/v1/labels.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import type { Explanation, Remedy } from "../../explanation/explanation.ts";
import { listOf, shellWord, summaryOf } from "../../explanation/summary.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { type Proposal, type ProvidedThings, type UnmetRequirement, unmetRequirements } from "./dependencies.ts";
import { type DependencyMode, dependencyModes } from "./dependency-modes.ts";
import type { ExtensionOutcome, ResolvedExtension } from "./outcome.ts";

export interface DependencyWorld {
  readonly extension: ClusterExtension;
  readonly provided: ProvidedThings;
  /** Readable catalogs that the extension may use. */
  readonly catalogs: readonly CatalogIndex[];
  /** Every ClusterExtension of the cluster. */
  readonly extensions: readonly ClusterExtension[];
  /** Unless the annotation of the extension says otherwise. */
  readonly mode: DependencyMode;
  /** What an update policy says, which decides before both. */
  readonly policy?: DecidedMode;
}

export interface DecidedMode {
  readonly mode: DependencyMode;
  /** `ClusterUpdatePolicy NAME`. */
  readonly reference: string;
}

export type JudgedExtension =
  | { readonly kind: "met" }
  | {
      readonly kind: "unmet";
      readonly outcome: Extract<ExtensionOutcome, { readonly kind: "failed" }>;
      /** ClusterExtensions to create, with the mode `install`. */
      readonly installs: readonly ClusterExtension[];
    };

/** The mode of the annotation, else the given one; an unknown word of the annotation counts as `verify`. */
function dependencyModeOf({ metadata }: ClusterExtension, otherwise: DependencyMode): DependencyMode {
  const text = metadata.annotations?.[dependenciesAnnotation];
  return text === undefined ? otherwise : (dependencyModes.find((mode) => mode === text) ?? "verify");
}

/**
 * Whether the cluster has what a resolved bundle requires. With `install`, a requirement that exactly one package of the
 * catalogs can meet makes a ClusterExtension of that package, in the namespace of the one that requires it.
 */
export function judgeDependencies(resolved: ResolvedExtension, world: DependencyWorld): JudgedExtension {
  const requires = resolved.requires ?? [];
  const unmet = unmetRequirements(
    requires,
    world.provided,
    world.catalogs,
    world.extension.spec?.source.catalog?.packageName,
  );
  const [first] = unmet;
  if (first === undefined) return { kind: "met" };
  const mode = world.policy?.mode ?? dependencyModeOf(world.extension, world.mode);
  const wanted = mode === "install" ? unmet.flatMap(({ proposals }) => (proposals.length === 1 ? proposals : [])) : [];
  const held = new Map(world.extensions.map((one) => [one.metadata.name ?? "", one]));
  const installs = new Map<string, ClusterExtension>();
  for (const proposal of wanted)
    if (!held.has(proposal.packageName)) installs.set(proposal.packageName, extensionFor(proposal, world.extension));
  const { name } = resolved.bundle;
  const upstream = `validating bundle ${goQuote(name)}: bundle ${goQuote(name)} has a dependency declared via property ${goQuote(first.property.type)} which is currently not supported`;
  const explanation = explainUnmet(
    { bundle: name, unmet, mode, wanted, policy: world.policy },
    world.extension,
    upstream,
  );
  return {
    kind: "unmet",
    outcome: { kind: "failed", isError: false, upstream, explanation },
    installs: [...installs.values()],
  };
}

function extensionFor({ packageName, version }: Proposal, { metadata, spec }: ClusterExtension): ClusterExtension {
  const selector = spec?.source.catalog?.selector;
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: {
      name: packageName,
      annotations: { [wantedByAnnotation]: metadata.name ?? "", [dependenciesAnnotation]: "install" },
    },
    spec: {
      namespace: spec?.namespace ?? "",
      source: {
        sourceType: "Catalog",
        catalog: {
          packageName,
          ...(version === undefined ? {} : { version }),
          ...(selector === undefined ? {} : { selector }),
        },
      },
    },
  };
}

interface Unmet {
  readonly bundle: string;
  readonly unmet: readonly UnmetRequirement[];
  readonly mode: DependencyMode;
  /** Of the mode `install`: what is or was created. */
  readonly wanted: readonly Proposal[];
  readonly policy: DecidedMode | undefined;
}

function explainUnmet(
  { bundle, unmet, mode, wanted, policy }: Unmet,
  { metadata, spec }: ClusterExtension,
  upstream: string,
): Explanation {
  const name = metadata.name ?? "";
  const texts = unmet.map(({ text }) => text);
  const proposals = unmet.flatMap((one) => one.proposals);
  const isOnItsWay = wanted.length > 0;
  const next = isOnItsWay
    ? `; ClusterExtension ${listOf(wanted.map(({ packageName }) => packageName))} is being installed for it`
    : mode === "propose" && proposals.length > 0
      ? `; to install: ${listOf(proposals.map(shown))}`
      : "";
  return {
    code: "DependencyMissing",
    summary: summaryOf(
      `ClusterExtension ${name} would get ${bundle}, which requires ${listOf(texts)}, and the cluster has none${next}`,
    ),
    facts: {
      extension: name,
      bundle,
      mode,
      ...(policy === undefined ? {} : { policy: policy.reference }),
      unmet: unmet.map((one) => ({ requires: one.text, proposals: one.proposals.map(shown) })),
    },
    derivation: unmet.map(({ text }) => ({
      relation: "requires",
      subject: bundle,
      text: `${bundle} requires ${text}`,
      upstream,
    })),
    remedies: isOnItsWay
      ? [{ summary: "Wait for it", command: `purser status ext/${shellWord(wanted[0]?.packageName ?? "")}` }]
      : remediesOf(unmet, name, spec?.namespace ?? "operators", policy),
  };
}

const shown = ({ packageName, version }: Proposal): string =>
  version === undefined ? packageName : `${packageName} ${version}`;

function remediesOf(
  unmet: readonly UnmetRequirement[],
  extension: string,
  namespace: string,
  policy: DecidedMode | undefined,
): readonly Remedy[] {
  const installs = unmet.flatMap(({ text, isRule, proposals }) =>
    proposals.map((proposal): Remedy => ({
      summary: `Install ${proposal.packageName}, which ${isRule === true ? "satisfies" : "provides"} ${text}`,
      command: `purser install ${installable(proposal)} -n ${shellWord(namespace)} --as-extension`,
    })),
  );
  if (installs.length === 0) return [{ summary: "Add a catalog that has it, or install it without a catalog" }];
  const isOne = unmet.every(({ proposals }) => proposals.length === 1);
  const patch = { metadata: { annotations: { [dependenciesAnnotation]: "install" } } };
  return [
    ...installs.slice(0, 3),
    // The annotation has no effect beside a policy.
    ...(isOne && policy === undefined
      ? [
          {
            summary: "Have it installed",
            command: `kubectl annotate clusterextensions.olm.operatorframework.io ${shellWord(extension)} ${dependenciesAnnotation}=install --overwrite`,
            patch,
          },
        ]
      : []),
  ];
}

const installable = ({ packageName, version }: Proposal): string =>
  shellWord(version === undefined ? packageName : `${packageName}@${version}`);
