import type { Explanation, Remedy } from "../../../explanation/explanation.ts";
import { listOf, shellWord, summaryOf } from "../../../explanation/summary.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Scope } from "../catalogs-in-scope.ts";
import type { Cause } from "./cause.ts";
import { derivationOf, namesOf, subscriptionName } from "./derivation.ts";
import type { Entry } from "../entry.ts";
import { formatGvk } from "../entry.ts";
import { explainMissing } from "./explain-missing.ts";
import type { Finding } from "./finding.ts";
import type { NamespaceInput } from "../input.ts";
import { nearMissesOf } from "./near-misses.ts";
import type { Predicate } from "../predicate.ts";
import { predicateWords } from "./predicate-words.ts";
import { adoptCsv, deleteCsv, deleteSubscription } from "./remedies.ts";

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];

/** What the conflict is about in one word, so that the requests involved can be named in the summary. */
function requestsOf(causes: readonly Cause[]): readonly string[] {
  return causes.flatMap((cause) => (cause.kind === "exists" ? subscriptionName(cause.subscription) : []));
}

function whoOf(causes: readonly Cause[]): string {
  const requests = requestsOf(causes);
  const unowned = causes.flatMap((cause) => (cause.kind === "unowned" ? cause.entry.name : []));
  const [first] = requests.length > 0 ? requests : unowned;
  if (first === undefined) return "The namespace";
  if (requests.length === 0) return `Installed operator ${first}`;
  return requests.length === 1 ? `Subscription ${first}` : `Subscriptions ${listOf(requests)}`;
}

const isStated = (predicate: Predicate): boolean =>
  predicate.kind === "api" || predicate.kind === "package" || predicate.kind === "label";

function explainRequirement(input: NamespaceInput, causes: readonly Cause[], unmet: readonly Requirement[]): Finding {
  const first = unmet.find(({ predicate }) => isStated(predicate)) ?? unmet[0];
  if (first === undefined) return explainClash(causes);
  const { entry, predicate } = first;
  const words = predicateWords(predicate);
  const requirements = unmet.map((requirement) => ({
    requiredBy: requirement.entry.name,
    requirement: predicateWords(requirement.predicate),
  }));
  if (!isStated(predicate)) {
    const message = predicate.kind === "cel" ? predicate.message : "";
    return {
      code: "ConstraintFailed",
      summary: `${whoOf(causes)} needs ${entry.name}, whose constraint no bundle meets: ${message === "" ? words : message}`,
      facts: { failureMessage: message, failing: words, requiredBy: entry.name, requirements },
      remedies: [
        {
          summary: `Ask the author of ${entry.packageName || entry.name} which operator meets its constraint, and add a catalog that has it`,
        },
      ],
    };
  }
  const nearMisses = nearMissesOf(input, predicate).map(({ bundle, catalog, why }) => ({ bundle, catalog, why }));
  const [nearest] = nearMisses;
  const near = nearest === undefined ? "" : `; nearest is ${nearest.bundle} of ${nearest.catalog}, but ${nearest.why}`;
  const remedies: Remedy[] = [{ summary: `Add a catalog that provides ${words}${near}` }];
  if (predicate.kind === "package" && nearMisses.length > 0)
    remedies.unshift({
      summary: `Choose another version of ${entry.packageName}: ${entry.name} accepts ${predicate.name} only in ${predicate.range.text}`,
      ...channelsOf(entry.packageName),
    });
  return {
    code: "DependencyMissing",
    summary: `${whoOf(causes)} needs ${words}${whoOf(causes).endsWith(` ${entry.name}`) ? "" : `, required by ${entry.name}`}, and no catalog in reach provides it`,
    facts: { requirement: words, requiredBy: entry.name, requirements, nearMisses },
    remedies,
  };
}

type Requirement = Extract<Cause, { readonly kind: "requires" }>;
type Clash = Extract<Cause, { readonly kind: "oneProvider" | "onePerPackage" }>;

/** Members of a clash that the conflict really is about: those that it mentions elsewhere, else all. */
function involved(causes: readonly Cause[], clash: Clash): readonly Entry[] {
  const mentioned = new Set<Entry>();
  for (const cause of causes) {
    if (cause.kind === "unowned") mentioned.add(cause.entry);
    if (cause.kind === "wants" || cause.kind === "requires")
      for (const candidate of cause.candidates) mentioned.add(candidate);
  }
  const found = clash.entries.filter((entry) => mentioned.has(entry));
  return found.length > 1 ? found : clash.entries;
}

function explainUniqueness(input: NamespaceInput, causes: readonly Cause[], clash: Clash): Finding {
  const members = involved(causes, clash);
  const names = namesOf(members);
  const subject = clash.kind === "oneProvider" ? `API ${formatGvk(clash.api)}` : `package ${clash.packageName}`;
  const facts: JsonObject = {
    ...(clash.kind === "oneProvider" ? { api: formatGvk(clash.api) } : { package: clash.packageName }),
    owners: members.map(({ name, origin }) => ({
      name,
      from: origin.installed ? "installed" : `${origin.key.namespace}/${origin.key.name}`,
    })),
  };
  const orphan = causes.find((cause) => cause.kind === "unowned")?.entry;
  if (orphan !== undefined) {
    const remedies: Remedy[] = [];
    // An operator of another package would provide the API a second time even with a Subscription of its own.
    const isRequested = input.subscriptions.some(
      ({ metadata, spec }) => metadata.namespace === input.namespace && spec.name === orphan.packageName,
    );
    if (isRequested)
      remedies.push(
        adoptCsv(
          input.namespace,
          orphan.name,
          `Adopt ${orphan.name}, so that the Subscription for its package owns it`,
        ),
      );
    remedies.push(deleteCsv(input.namespace, orphan.name));
    return {
      code: "OrphanedOperator",
      summary: `Installed ${orphan.name} has no Subscription and blocks ${whoOf(causes)}: both want ${subject}`,
      facts: { ...facts, csv: orphan.name, package: orphan.packageName },
      remedies,
    };
  }
  return {
    code: clash.kind === "oneProvider" ? "ApiConflict" : "PackageConflict",
    summary: `${whoOf(causes)} cannot be served${requestsOf(causes).length > 1 ? " together" : ""}: ${listOf(names)} ${names.length === 2 ? "both" : "all"} ${clash.kind === "oneProvider" ? "provide" : "belong to"} ${subject}`,
    facts,
    remedies: removals(causes),
  };
}

const removals = (causes: readonly Cause[]): readonly Remedy[] =>
  causes.flatMap((cause) => (cause.kind === "exists" ? [deleteSubscription(cause.subscription)] : [])).slice(-1);

function explainClash(causes: readonly Cause[]): Finding {
  const chains = causes.flatMap((cause) =>
    cause.kind === "requires" ? [{ requiredBy: cause.entry.name, requirement: predicateWords(cause.predicate) }] : [],
  );
  const words = chains.map(({ requiredBy, requirement }) => `${requiredBy} requires ${requirement}`);
  return {
    code: "DependencyConflict",
    summary: `${whoOf(causes)} cannot be served${requestsOf(causes).length > 1 ? " together" : ""}: ${words.length === 0 ? "the requirements exclude each other" : listOf(words, 2)}`,
    facts: { requests: requestsOf(causes), requirements: chains },
    remedies: removals(causes),
  };
}

function explainExcluded(
  causes: readonly Cause[],
  excluded: readonly Extract<Cause, { readonly kind: "held" | "deprecated" }>[],
): Finding {
  const held = excluded.find((cause) => cause.kind === "held");
  const bundles = unique(excluded.map(({ entry }) => entry.name));
  if (held !== undefined)
    return {
      code: held.hold.code,
      summary: `${whoOf(causes)} waits: ${listOf(bundles)} held back (${held.hold.reason})`,
      facts: { bundles, reason: held.hold.reason },
      remedies: [held.hold.remedy],
    };
  return {
    code: "ConstraintFailed",
    summary: `${whoOf(causes)} can only have ${listOf(bundles)}, which the catalog marks olm.deprecated`,
    facts: { deprecated: bundles },
    remedies: [
      {
        summary: "Choose another channel or package; its author has withdrawn this one",
        ...channelsOf(excluded[0]?.entry.packageName ?? ""),
      },
    ],
  };
}

/** Channels and versions of a package; nothing for a bundle whose package is not known. */
const channelsOf = (packageName: string): Pick<Remedy, "command"> =>
  packageName === "" ? {} : { command: `purser show ${shellWord(packageName)} --versions` };

function findingOf(input: NamespaceInput, scope: Scope, causes: readonly Cause[]): Finding {
  const missing = causes.find((cause) => cause.kind === "missing");
  if (missing !== undefined) return explainMissing(input, scope, missing);
  const clash = causes.find((cause) => cause.kind === "oneProvider" || cause.kind === "onePerPackage");
  const orphaned = causes.some((cause) => cause.kind === "unowned");
  if (clash !== undefined && orphaned) return explainUniqueness(input, causes, clash);
  const unmet = causes.filter((cause) => cause.kind === "requires").filter(({ candidates }) => candidates.length === 0);
  if (unmet.length > 0) return explainRequirement(input, causes, unmet);
  const excluded = causes.filter((cause) => cause.kind === "held" || cause.kind === "deprecated");
  if (excluded.length > 0) return explainExcluded(causes, excluded);
  const stuck = causes.find((cause) => cause.kind === "wants" && cause.candidates.length === 0);
  if (stuck?.kind === "wants")
    return {
      code: "VersionNotFound",
      summary: `${whoOf(causes)} finds no bundle to install: every entry of its channel is skipped by another`,
      facts: { package: stuck.subscription.spec.name, channel: stuck.subscription.spec.channel ?? "" },
      remedies: [
        {
          summary: "Choose another channel, or correct the skips in the catalog",
          ...channelsOf(stuck.subscription.spec.name),
        },
      ],
    };
  if (clash !== undefined && causes.every((cause) => cause.kind !== "requires"))
    return explainUniqueness(input, causes, clash);
  if (clash?.kind === "oneProvider") return explainUniqueness(input, causes, clash);
  return explainClash(causes);
}

/** The explanation of a minimal conflict, with its derivation and remedies. */
export function* explainConflict(
  input: NamespaceInput,
  scope: Scope,
  causes: readonly Cause[],
): Generator<undefined, Explanation> {
  const derivation = yield* derivationOf(causes);
  yield;
  const { code, summary, facts, remedies } = findingOf(input, scope, causes);
  const inNamespace = { namespace: input.namespace, ...facts } as Explanation["facts"];
  return { code, summary: summaryOf(summary), facts: inNamespace, derivation, remedies };
}
