import type { BundleSummary, PackageSummary } from "../catalog/catalog-index.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import type { Remedy } from "../explanation/explanation.ts";
import { compareVersions, parseTolerantVersion } from "@purser/kubernetes/version";

/** An installed bundle that a decision leaves where it is. */
export interface Installed {
  readonly api: "v0" | "v1";
  readonly reference: string;
  readonly bundle: string;
  readonly version: string;
  /** Name of the catalog as people write it. */
  readonly catalog: string;
  /** The package in the catalog's current content. */
  readonly content: PackageSummary;
  /** Channels that upgrades are looked for in; empty for all of them. */
  readonly channels: readonly string[];
}

/** Where an installation stands in its catalog, when nothing moves it. */
export interface Standing {
  /** `head`: no newer bundle; `behind`: a newer bundle without an upgrade edge; `missing`: the bundle is in no channel that is searched. */
  readonly kind: "head" | "behind" | "missing";
  readonly text: string;
  readonly facts: Readonly<Record<string, JsonValue>>;
  readonly remedies: readonly Remedy[];
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];

/** Newest first; versions that cannot be read come last. */
function newestFirst(bundles: readonly BundleSummary[]): readonly BundleSummary[] {
  return bundles.toSorted((one, other) => {
    const [a, b] = [parseTolerantVersion(one.version), parseTolerantVersion(other.version)];
    if (!a.ok || !b.ok) return Number(b.ok) - Number(a.ok);
    return compareVersions(b.value, a.value);
  });
}

function isNewer(bundle: BundleSummary, version: string): boolean {
  const [mine, its] = [parseTolerantVersion(version), parseTolerantVersion(bundle.version)];
  return mine.ok && its.ok && compareVersions(its.value, mine.value) > 0;
}

/** Whether an installation is at the head, behind it, or on a bundle that is not in the catalog any more. */
export function standingOf(installed: Installed): Standing {
  const { bundle, version, catalog, content, channels, reference } = installed;
  const all = content.channels.flatMap((channel) => channel.bundles);
  const inScope = channels.length === 0 ? all : all.filter(({ channel }) => channels.includes(channel));
  const scope = channels.length === 0 ? `package ${content.name}` : `channel ${channels.join(", ")}`;
  const where = `${scope}${channels.length === 0 ? "" : ` of package ${content.name}`} in catalog ${catalog}`;
  const [newest] = newestFirst(inScope.filter((other) => isNewer(other, version)));
  const elsewhere = unique(all.filter(({ name }) => name === bundle).map(({ channel }) => channel));
  const facts = {
    installed: bundle,
    version,
    catalog,
    package: content.name,
    channels: channels.length === 0 ? content.channels.map(({ name }) => name) : channels,
    newest: newest?.name ?? null,
  };
  const ask = (other: BundleSummary): Remedy => ({
    summary: `why not ${other.name}`,
    command: `purser explain ${reference} --why ${other.name}`,
  });
  if (!inScope.some(({ name }) => name === bundle)) {
    const lost =
      elsewhere.length === 0
        ? `catalog ${catalog} no longer has it`
        : `${scope} of catalog ${catalog} does not have it; channel ${elsewhere.join(", ")} does`;
    const [head] = newestFirst(inScope);
    return {
      kind: "missing",
      text: `${bundle} is installed, and ${lost}: it keeps running, and is upgraded only to a bundle whose entry names ${bundle} in replaces or skips, or whose skipRange holds ${version}`,
      facts: { ...facts, elsewhere },
      remedies: [
        ...(head === undefined ? [] : [ask(head)]),
        { summary: `Put ${bundle} back into the catalog, or let an entry name it in skips or skipRange` },
        ...(installed.api === "v1"
          ? [
              {
                summary: "Move without an upgrade edge, at your own risk",
                command: `purser set ${reference} --upgrade-constraint-policy SelfCertified`,
              },
            ]
          : []),
      ],
    };
  }
  if (newest !== undefined)
    return {
      kind: "behind",
      text: `${bundle} is installed, and stays although ${where} has ${newest.name}`,
      facts,
      remedies: [ask(newest)],
    };
  const heads = inScope.filter(({ name, isChannelHead }) => name === bundle && isChannelHead);
  const position =
    heads.length === 0 ? "the newest" : `the head of channel ${unique(heads.map(({ channel }) => channel)).join(", ")}`;
  const [other] = newestFirst(all.filter((candidate) => isNewer(candidate, version)));
  return {
    kind: "head",
    text: `${bundle} is installed, version ${version}: ${position} of package ${content.name} in catalog ${catalog}, with nothing newer there`,
    facts: { ...facts, elsewhere: other?.channel ?? null },
    remedies:
      other === undefined
        ? []
        : [{ summary: `channel ${other.channel} has ${other.name}`, command: ask(other).command ?? "" }],
  };
}
