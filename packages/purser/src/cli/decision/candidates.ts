import { compareNewestFirst, precedenceOf } from "../../upgrade-graph/bundle-order.ts";
import { packagesOfExtension, packagesOfSubscription } from "../../engine/snapshot/decision-inputs.ts";
import type { Explanation, Reason } from "../../explanation/explanation.ts";
import type { Installation } from "../../installation/installation.ts";
import type { PackageSummary } from "../../catalog/catalog-index.ts";
import type { WhyBundle } from "../../resolver/why-bundle.ts";
import { formatTable } from "../output/table.ts";
import type { Subject } from "./decision-subject.ts";

/** A bundle that an installation could get, and the rule that chose or excluded it. */
export interface Candidate {
  readonly bundle: string;
  readonly version: string;
  readonly channels: readonly string[];
  readonly why: WhyBundle;
}

/** Each is a decision of its own. */
const mostCandidates = 60;

export interface Candidates {
  /** Newest first. */
  readonly shown: readonly Candidate[];
  /** Older ones that were not decided. */
  readonly leftOut: number;
}

/**
 * Every bundle of the package that the catalogs of an installation have, at most 60, newest first; of a whole namespace those of
 * all its Subscriptions.
 */
export function candidatesOf(
  subject: Subject,
  installation: Installation | undefined,
  why: (bundle: string) => WhyBundle,
): Candidates {
  const found = new Map<string, { readonly version: string; readonly channels: string[] }>();
  for (const { channels } of packagesOf(subject, installation))
    for (const { name: channel, bundles } of channels)
      for (const { name, version } of bundles) {
        const known = found.get(name);
        if (known === undefined) found.set(name, { version, channels: [channel] });
        else if (!known.channels.includes(channel)) known.channels.push(channel);
      }
  const sorted = [...found].toSorted(([, left], [, right]) =>
    compareNewestFirst(precedenceOf(left.version), precedenceOf(right.version)),
  );
  const followed = followedChannel(subject, installation);
  return {
    shown: sorted.slice(0, mostCandidates).map(([bundle, known]) => ({
      bundle,
      ...known,
      why: placed(why(bundle), known.channels, followed, installation),
    })),
    leftOut: Math.max(0, sorted.length - mostCandidates),
  };
}

/** The channel of the Subscription, where it names one. */
function followedChannel({ world, kind }: Subject, installation: Installation | undefined): string | undefined {
  if (kind !== "namespace" || installation === undefined) return undefined;
  const { namespace, name } = installation;
  return world.snapshot.subscriptions.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
    ?.spec.channel;
}

/** What nothing asks for, in the words of channels and upgrades. */
function placed(
  why: WhyBundle,
  channels: readonly string[],
  followed: string | undefined,
  installation: Installation | undefined,
): WhyBundle {
  if (why.kind !== "notAsked" || followed === undefined) return why;
  if (!channels.includes(followed)) return { ...why, text: `channel ${followed}, which is followed, does not have it` };
  const { version } = installation ?? {};
  return version === undefined ? why : { ...why, text: `channel ${followed} has no upgrade to it from ${version}` };
}

function packagesOf(subject: Subject, installation: Installation | undefined): readonly PackageSummary[] {
  const { world, assumed } = subject;
  if (subject.kind === "extension") return packagesOfExtension(world, subject.extension);
  const inNamespace = world.snapshot.subscriptions.filter(({ metadata }) => metadata.namespace === subject.namespace);
  // The one of a package that is not installed comes last.
  const asked = assumed
    ? inNamespace.slice(-1)
    : inNamespace.filter(({ metadata }) => installation === undefined || metadata.name === installation.name);
  return asked.flatMap((subscription) => packagesOfSubscription(world, subscription));
}

/** The candidates as a table; `--why` shows all reasons of one. */
export function candidateLines(candidates: Candidates): readonly string[] {
  const { shown, leftOut } = candidates;
  const [head, ...rows] = candidateRows(candidates);
  if (shown.length === 0) return ["No catalog of it has a bundle"];
  return [
    "",
    ...formatTable(head, rows).split("\n"),
    ...(leftOut === 0 ? [] : [`... ${leftOut} older: --why BUNDLE shows why one of them is not chosen`]),
  ];
}

/** The head of the table, then a row for each candidate. */
export function candidateRows({ shown }: Candidates): readonly [readonly string[], ...(readonly string[])[]] {
  return [
    ["CANDIDATE", "CHANNELS", "VERDICT", "WHY"],
    ...shown.map((one) => [one.bundle, one.channels.join(", "), ...verdict(one.why)]),
  ];
}

function verdict(why: WhyBundle): readonly [word: string, reason: string] {
  switch (why.kind) {
    case "chosen":
      return ["chosen", why.text];
    case "lessPreferred":
      return ["possible", why.text];
    case "notAsked":
      return ["not asked for", why.text];
    case "excluded":
      return ["excluded", excludedBecause(why.explanation)];
    case "undecided":
      return ["undecided", "nothing can be decided before the refusal above is resolved"];
  }
}

/** The first reason that excludes it, else the whole sentence. */
function excludedBecause({ derivation, summary }: Explanation): string {
  const within = (reasons: readonly Reason[]): string | undefined => {
    for (const { relation, text, because = [] } of reasons) {
      const found = relation === "excluded" ? text : within(because);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return within(derivation) ?? summary.replace(/^.*? cannot be chosen: /, "");
}
