import { nearestNames } from "../../../explanation/nearest-name.ts";
import type { Remedy } from "../../../explanation/explanation.ts";
import { listOf, shellWord } from "../../../explanation/summary.ts";
import type { Scope } from "../catalogs-in-scope.ts";
import { sameKey } from "../catalogs-in-scope.ts";
import type { Cause } from "./cause.ts";
import { subscriptionName } from "./derivation.ts";
import type { Finding } from "./finding.ts";
import type { CatalogKey, NamespaceInput } from "../input.ts";
import { catalogsOffering, nearestPackages } from "../offers.ts";
import { deleteSubscription, patchSubscription } from "./remedies.ts";

type Missing = Extract<Cause, { readonly kind: "missing" }>;

const keyText = ({ namespace, name }: CatalogKey): string => `${namespace}/${name}`;

function useCatalog({ subscription }: Missing, key: CatalogKey): Remedy {
  return patchSubscription(subscription, `Use catalog ${keyText(key)}`, {
    source: key.name,
    sourceNamespace: key.namespace,
  });
}

function usable(scope: Scope, keys: readonly CatalogKey[]): readonly CatalogKey[] {
  return keys.filter(({ namespace }) => scope.namespaces.includes(namespace));
}

/** Removes the annotation from the OperatorGroup that excludes the global catalogs. */
function includeGlobal(input: NamespaceInput): Remedy {
  const group =
    input.operatorGroups.find(({ metadata }) => metadata.namespace === input.namespace)?.metadata.name ?? "";
  return {
    summary: "Let the namespace use the global catalogs",
    command: `kubectl annotate operatorgroups.operators.coreos.com ${shellWord(group)} -n ${shellWord(input.namespace)} olm.operatorframework.io/exclude-global-namespace-resolution-`,
  };
}

function missingCatalog(input: NamespaceInput, scope: Scope, cause: Missing): Finding {
  const { spec } = cause.subscription;
  const key = { namespace: spec.sourceNamespace, name: spec.source };
  const name = subscriptionName(cause.subscription);
  const known = input.catalogs.find((catalog) => sameKey(catalog.key, key));
  const inReach = usable(
    scope,
    input.catalogs.map((catalog) => catalog.key),
  );
  const offering = usable(scope, catalogsOffering(input, spec.name)).filter((offer) => !sameKey(offer, key));
  const nearest = nearestNames(
    spec.source,
    inReach.map((catalog) => catalog.name),
  );
  const alternatives =
    offering.length > 0
      ? offering
      : inReach.filter((catalog) => nearest.includes(catalog.name) && !sameKey(catalog, key));
  const remedies = alternatives.slice(0, 3).map((catalog) => useCatalog(cause, catalog));
  const excluded =
    known !== undefined && key.namespace === input.globalNamespace && !scope.namespaces.includes(key.namespace);
  const facts = { catalog: keyText(key), catalogs: inReach.map(keyText), nearest };
  const faulty = faultyPackage(input, scope, cause);
  if (faulty !== undefined) return faulty;
  if (known !== undefined && inReach.some((catalog) => sameKey(catalog, key)) && known.content.kind === "present")
    return {
      code: "PackageNotFound",
      summary: `Subscription ${name} asks for package ${spec.name} of catalog ${keyText(key)}, which offers no bundle for this namespace`,
      facts: { ...facts, wanted: spec.name, nearest: [] },
      remedies: remedies.length > 0 ? remedies : [deleteSubscription(cause.subscription)],
    };
  return {
    code: "CatalogNotFound",
    summary:
      known === undefined
        ? `Subscription ${name} names catalog ${keyText(key)}, which does not exist`
        : `Subscription ${name} names catalog ${keyText(key)}, which ${excluded ? `the OperatorGroup of ${input.namespace} excludes` : `is outside namespaces ${listOf(scope.namespaces)}`}`,
    facts,
    remedies: [
      ...(excluded ? [includeGlobal(input)] : []),
      ...(remedies.length > 0 || excluded ? remedies : [deleteSubscription(cause.subscription)]),
    ],
  };
}

/** The fault for which the catalog's index leaves the package out; undefined when there is none. */
function faultyPackage(input: NamespaceInput, scope: Scope, cause: Missing): Finding | undefined {
  const { spec } = cause.subscription;
  const key = { namespace: spec.sourceNamespace, name: spec.source };
  const content = input.catalogs.find((catalog) => sameKey(catalog.key, key))?.content;
  const faults = content?.kind === "present" ? content.index.faults : undefined;
  const fault = faults?.find(({ packageName }) => packageName === spec.name);
  if (fault === undefined) return undefined;
  return {
    code: "CatalogInvalid",
    summary: `Subscription ${subscriptionName(cause.subscription)} asks for package ${spec.name}, which cannot be used in catalog ${keyText(key)}: ${fault.cause}`,
    facts: { wanted: spec.name, catalog: keyText(key), fault: fault.cause },
    remedies: [
      {
        summary: `Correct package ${spec.name} in catalog ${keyText(key)}; to see the source of its content`,
        command: `purser source show ${shellWord(keyText(key))}`,
      },
      ...usable(scope, catalogsOffering(input, spec.name))
        .slice(0, 2)
        .map((other) => useCatalog(cause, other)),
    ],
  };
}

const nameAPackage: Remedy = {
  summary: "Set spec.name to a package of the catalog; to list them",
  command: "purser search",
};

function missingPackage(input: NamespaceInput, scope: Scope, cause: Missing): Finding {
  const { spec } = cause.subscription;
  if (spec.name === "")
    return {
      code: "PackageNotFound",
      summary: `Subscription ${subscriptionName(cause.subscription)} has no spec.name: it names no package of catalog ${spec.sourceNamespace}/${spec.source}`,
      facts: { wanted: "", nearest: [], elsewhere: [] },
      remedies: [nameAPackage, deleteSubscription(cause.subscription)],
    };
  const faulty = faultyPackage(input, scope, cause);
  if (faulty !== undefined) return faulty;
  const elsewhere = catalogsOffering(input, spec.name);
  const nearest = elsewhere.length > 0 ? [] : nearestPackages(input, spec.name);
  const remedies = [
    ...usable(scope, elsewhere)
      .slice(0, 2)
      .map((key) => useCatalog(cause, key)),
    ...nearest.map(({ name }) => patchSubscription(cause.subscription, `Ask for package ${name}`, { name })),
  ];
  const hidden = elsewhere.slice(0, 1).map((key): Remedy => ({
    summary: `Make the content of ${keyText(key)} a catalog of ${listOf(scope.namespaces, 2, "or")} (purser source add); to see its source`,
    command: `purser source show ${shellWord(keyText(key))}`,
  }));
  const hint =
    elsewhere.length > 0
      ? `; ${listOf(elsewhere.map(keyText))} has it`
      : nearest.length > 0
        ? `; did you mean ${listOf(
            nearest.map(({ name }) => name),
            3,
            "or",
          )}?`
        : "";
  return {
    code: "PackageNotFound",
    summary: `Subscription ${subscriptionName(cause.subscription)} asks for package ${spec.name}, which catalog ${spec.sourceNamespace}/${spec.source} does not have${hint}`,
    facts: {
      wanted: spec.name,
      nearest: nearest.map(({ name, catalogs }) => ({ name, catalogs })),
      elsewhere: elsewhere.map(keyText),
    },
    remedies: remedies.length > 0 ? remedies : [...hidden, deleteSubscription(cause.subscription)],
  };
}

function missingChannel(scope: Scope, cause: Missing): Finding {
  const { spec } = cause.subscription;
  const key = { namespace: spec.sourceNamespace, name: spec.source };
  const snapshot = scope.catalogs.find(({ origin }) => sameKey(origin.key, key));
  const channels = snapshot?.channelNames(spec.name) ?? [];
  const defaultChannel = snapshot?.defaultChannel(spec.name) ?? "";
  const nearest = nearestNames(spec.channel ?? "", channels);
  const choices = [...new Set([...nearest, ...(defaultChannel === "" ? [] : [defaultChannel])])].slice(0, 3);
  return {
    code: "ChannelNotFound",
    summary: `Subscription ${subscriptionName(cause.subscription)} asks for channel ${spec.channel ?? ""} of package ${spec.name}, which has ${listOf(channels, 4)}`,
    facts: { wanted: spec.channel ?? "", package: spec.name, channels, default: defaultChannel, nearest },
    remedies: choices.map((channel) =>
      patchSubscription(
        cause.subscription,
        `Use channel ${channel}${channel === defaultChannel ? " (the default)" : ""}`,
        {
          channel,
        },
      ),
    ),
  };
}

function missingVersion(scope: Scope, cause: Missing): Finding {
  const { spec } = cause.subscription;
  const wanted = spec.startingCSV ?? "";
  const key = { namespace: spec.sourceNamespace, name: spec.source };
  const entries = scope.catalogs.find(({ origin }) => sameKey(origin.key, key))?.entriesNow(spec.name) ?? [];
  const inChannel = entries.filter(({ channel }) => (spec.channel ?? "") === "" || channel === spec.channel);
  const nearest = nearestNames(
    wanted,
    inChannel.map(({ name }) => name),
  );
  const channels = [...new Set(entries.filter(({ name }) => name === wanted).map(({ channel }) => channel))];
  return {
    code: "VersionNotFound",
    summary: `Subscription ${subscriptionName(cause.subscription)} starts from ${wanted}, which channel ${spec.channel ?? ""} of package ${spec.name} does not have`,
    facts: { wanted, nearest, channels },
    remedies: [
      ...channels.map((channel) =>
        patchSubscription(cause.subscription, `Use channel ${channel}, which has ${wanted}`, { channel }),
      ),
      ...nearest.map((name) => patchSubscription(cause.subscription, `Start from ${name}`, { startingCSV: name })),
      patchSubscription(cause.subscription, "Start from the head of the channel", { startingCSV: null }),
    ].slice(0, 3),
  };
}

/** A Subscription whose request names something that does not exist. */
export function explainMissing(input: NamespaceInput, scope: Scope, cause: Missing): Finding {
  switch (cause.stage) {
    case "catalog":
      return missingCatalog(input, scope, cause);
    case "package":
      return missingPackage(input, scope, cause);
    case "channel":
      return missingChannel(scope, cause);
    case "startingCSV":
      return missingVersion(scope, cause);
  }
}
