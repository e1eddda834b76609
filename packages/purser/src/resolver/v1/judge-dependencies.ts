import type { ClusterExtension } from "../../apis/v1/cluster-extension.ts";
import { dependenciesAnnotation, wantedByAnnotation } from "../../apis/v1/labels.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import type { Explanation, Remedy } from "../../explanation/explanation.ts";
import { listOf, shellWord, summaryOf } from "../../explanation/summary.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { type Proposal, type ProvidedThings, type UnmetRequirement, unmetRequirements } from "./dependencies.ts";
import { type DependencyMode, dependencyModes } from "./dependency-modes.ts";
import type { ExtensionOutcome, ResolvedExtension } from "./outcome.ts";
import { type WantedDependency, wantedDependency } from "./wanted-dependency.ts";

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
  /** Milliseconds since the epoch. */
  readonly now: number;
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
      /** Whether all that is missing is being installed, so that nobody has to do anything. */
      readonly isComing: boolean;
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
  const { extension, extensions, now } = world;
  const wanted = unmet.map(({ proposals: [only, ...others] }) =>
    mode === "install" && only !== undefined && others.length === 0
      ? wantedDependency(only, extension, extensions, now)
      : undefined,
  );
  const installs = new Map(
    wanted.flatMap((one) => (one?.kind === "new" ? [[one.name, extensionFor(one.proposal, extension)] as const] : [])),
  );
  const isComing = wanted.every((one) => one !== undefined && one.kind !== "stuck");
  const { name } = resolved.bundle;
  const upstream = `validating bundle ${goQuote(name)}: bundle ${goQuote(name)} has a dependency declared via property ${goQuote(first.property.type)} which is currently not supported`;
  const explanation = explainUnmet(
    { bundle: name, unmet, mode, wanted, isComing, policy: world.policy },
    extension,
    upstream,
  );
  return {
    kind: "unmet",
    outcome: { kind: "failed", isError: false, upstream, explanation },
    installs: [...installs.values()],
    isComing,
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
  /** What is installed for each of `unmet`; undefined where a person has to. */
  readonly wanted: readonly (WantedDependency | undefined)[];
  readonly isComing: boolean;
  readonly policy: DecidedMode | undefined;
}

function explainUnmet(
  { bundle, unmet, mode, wanted, isComing, policy }: Unmet,
  { metadata, spec }: ClusterExtension,
  upstream: string,
): Explanation {
  const name = metadata.name ?? "";
  const texts = unmet.map(({ text }) => text);
  const proposals = unmet.flatMap((one) => one.proposals);
  const known = [...new Map(wanted.flatMap((one) => (one === undefined ? [] : [[one.name, one] as const]))).values()];
  const stuck = known.flatMap((one) => (one.kind === "stuck" ? [one] : []));
  const coming = known.flatMap((one) => (one.kind === "stuck" ? [] : [one.name]));
  const next = [
    ...(coming.length === 0
      ? []
      : [`; ClusterExtension ${listOf(coming)} ${coming.length === 1 ? "is" : "are"} being installed for it`]),
    ...stuck.map((one) => `; ClusterExtension ${one.name}, which is to provide it, is stuck: ${one.cause}`),
    ...(mode === "propose" && proposals.length > 0 ? [`; to install: ${listOf(proposals.map(shown))}`] : []),
  ].join("");
  return {
    code: "DependencyMissing",
    // Shorter where more has to fit in.
    summary: summaryOf(
      known.length > 0
        ? `${bundle} requires ${listOf(texts)}${next}`
        : `ClusterExtension ${name} would get ${bundle}, which requires ${listOf(texts)}, and the cluster has none${next}`,
    ),
    facts: {
      extension: name,
      bundle,
      mode,
      isComing,
      ...(policy === undefined ? {} : { policy: policy.reference }),
      unmet: unmet.map((one) => ({ requires: one.text, proposals: one.proposals.map(shown) })),
    },
    derivation: unmet.map(({ text }) => ({
      relation: "requires",
      subject: bundle,
      text: `${bundle} requires ${text}`,
      upstream,
    })),
    remedies: isComing
      ? coming.map((one) => ({ summary: "Wait for it", command: `purser status ext/${shellWord(one)}` }))
      : [
          ...stuck.map(({ remedy }) => remedy),
          ...(wanted.includes(undefined)
            ? remediesOf(
                unmet.filter((_, index) => wanted[index] === undefined),
                name,
                spec?.namespace ?? "operators",
                policy,
              )
            : []),
        ],
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
