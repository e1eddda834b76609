import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import { escapeValues } from "@purser/kubernetes/text/control-characters";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { PackageSummary } from "../../catalog/catalog-index.ts";
import type { PackageFacts } from "../../catalog/package-facts.ts";
import { drawText } from "../../diagram/text-drawing.ts";
import type { PackageSource } from "../../discovery/offers.ts";
import { type BundleDetails, riskyRights, ruleWords } from "../../discovery/package-details.ts";
import { headOf } from "../../discovery/package-facts.ts";
import type { PackageLifecycle } from "../../discovery/package-lifecycle.ts";
import { counted, shellWord } from "../../explanation/summary.ts";
import type { UpgradeGraph } from "../../upgrade-graph/upgrade-graph.ts";
import { formatAge } from "../output/duration.ts";
import { type Shown, shown } from "../output/shown.ts";
import { fitTable } from "../output/table.ts";
import type { Terminal } from "../output/terminal.ts";
import { lifecycleLines, supportWords } from "./lifecycle-text.ts";
import { type InstalledHere, nextOf } from "./installed-next.ts";

/** A package with the source and the bundle that were chosen. */
export interface ShownPackage {
  readonly summary: PackageSummary;
  readonly facts: PackageFacts;
  readonly source: PackageSource;
  readonly sourceLabel: string;
  readonly graph: UpgradeGraph;
  /** Where the chosen bundle was found. */
  readonly channel: string;
  /** Undefined when the channel has no single head. */
  readonly details?: BundleDetails;
  readonly lifecycle: PackageLifecycle;
  readonly installed: readonly InstalledHere[];
}

/** As `YYYY-MM-DD`. */
const today = (): string => new Date(systemClock.now()).toISOString().slice(0, 10);

/** Parts that `show` prints in place of the overview. */
export const views = [
  { flag: "versions", summary: "list every version with its channels" },
  { flag: "graph", summary: "the upgrade graph" },
  { flag: "apis", summary: "list the APIs that it provides" },
  { flag: "permissions", summary: "list the permissions that it requires" },
  { flag: "dependencies", summary: "list the packages and APIs that it requires" },
  { flag: "lifecycle", summary: "how long each version is supported, as the catalog states it" },
  { flag: "images", summary: "list the images that it runs" },
  { flag: "examples", summary: "print an example of each of its custom resources, as YAML" },
] as const;
type View = (typeof views)[number]["flag"];

/** The overview of a package, or the parts that were asked for, one below the other. */
export function packageText(one: ShownPackage, chosen: readonly View[], terminal: Terminal, isWide: boolean): Shown {
  const width = isWide ? Infinity : (terminal.width ?? Infinity);
  if (chosen.length === 0) return shown(...overview(one, width, terminal));
  const parts = chosen.map((view) => {
    const lines = viewLines(one, view, width);
    return chosen.length === 1 ? lines : [terminal.paint("strong", view), ...lines];
  });
  return shown(...parts.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines])));
}

/** The heading has no label; a further line of the same label has an empty one. */
type Line = readonly [label: string | undefined, text: string, aside?: string];

function overview(one: ShownPackage, width: number, terminal: Terminal): readonly string[] {
  const { summary, facts, details, source, sourceLabel } = one;
  const { name } = summary;
  const description = details?.description;
  const age = source.readAt === undefined ? "" : `, ${formatAge(source.readAt, systemClock.now())} old`;
  const title = facts.displayName === "" ? name : `${facts.displayName} (${name})`;
  const by = facts.provider === "" ? "" : `  by ${facts.provider}`;
  const images = description?.relatedImages ?? [];
  const support = supportWords(one.lifecycle, details?.version ?? "", today());
  const lines: readonly Line[] = [
    [details?.version === headVersion(one) ? "latest" : "version", versionLine(one)],
    ...deprecationLines(one),
    ...installedLines(one),
    ["modes", modesLine(description?.installModes), kubeLine(description?.minKubeVersion)],
    [
      "asks for",
      permissionLine(details),
      (details?.permissions ?? []).length === 0 ? "" : `purser show ${shellWord(name)} --permissions`,
    ],
    ["provides", (details?.provides ?? []).map(({ kind }) => kind).join(", ") || "no API"],
    ["needs", (details?.requires ?? []).join("; ") || "no other package"],
    ["images", imagesLine(images)],
    ...(support === undefined ? [] : [["support", support] as const]),
  ];
  const heading: Line = [undefined, `${terminal.paint("strong", title)}${by}`, `source ${sourceLabel}${age}`];
  const asideAt = Math.max(
    0,
    ...[heading, ...lines].flatMap(([, text, aside = ""]) => (aside === "" ? [] : [text.length])),
  );
  return [heading, ...lines].flatMap(([label, text, aside = ""]) => {
    const start = label === undefined ? "" : `  ${label.padEnd(10)} `;
    const pad = " ".repeat(Math.max(0, (label === undefined ? 13 : 0) + Math.min(asideAt, 60) - text.length));
    const whole = `${start}${text}${aside === "" ? "" : `${pad}  ${aside}`}`;
    return whole.length <= width || aside === "" ? [whole] : [`${start}${text}`, `${" ".repeat(13)}${aside}`];
  });
}

function headVersion({ summary, channel }: ShownPackage): string | undefined {
  return headOf(summary.channels.find(({ name }) => name === channel))?.version;
}

function versionLine({ summary, channel, details }: ShownPackage): string {
  const mark = (name: string): string => {
    const deprecation = summary.channels.find((each) => each.name === name)?.deprecation;
    const marks = [
      ...(name === summary.defaultChannel ? ["default"] : []),
      ...(deprecation === undefined ? [] : ["deprecated"]),
    ];
    return marks.length === 0 ? name : `${name} (${marks.join(", ")})`;
  };
  const others = summary.channels.map(({ name }) => name as string).filter((name) => name !== channel);
  const also = others.length === 0 ? "" : `; also ${others.map(mark).join(", ")}`;
  return `${details?.version ?? "none"} in ${mark(channel)}${also}`;
}

function deprecationLines({ summary, channel, details }: ShownPackage): readonly Line[] {
  const channelText = summary.channels.find(({ name }) => name === channel)?.deprecation;
  const bundleText = summary.channels
    .flatMap(({ bundles }) => bundles)
    .find(({ name }) => name === details?.name)?.deprecation;
  return [
    ["package", summary.deprecation],
    [`channel ${channel}`, channelText],
    [`version ${details?.version ?? ""}`, bundleText],
  ].flatMap(([what = "", text]): readonly Line[] =>
    text === undefined
      ? []
      : [["deprecated", `${what}${text === "" ? "" : `: ${text.replaceAll(/\s+/g, " ").trim()}`}`]],
  );
}

function installedLines({ installed, graph, summary }: ShownPackage): readonly Line[] {
  if (installed.length === 0)
    return [["installed", "no", `purser install ${shellWord(summary.name)} -n operators --create-namespace`]];
  return installed.map((one, at) => {
    const { words, command } = nextOf(one, graph);
    const place = one.namespace === undefined ? `ext/${one.name}` : one.namespace;
    return [at === 0 ? "installed" : "", `${place} ${one.version ?? ""}`.trim() + words, command] as const;
  });
}

const modeNames: Readonly<Record<string, string>> = {
  AllNamespaces: "all namespaces",
  OwnNamespace: "own",
  SingleNamespace: "single",
  MultiNamespace: "several",
};

type Modes = NonNullable<BundleDetails["description"]>["installModes"];

function modesLine(modes: Modes): string {
  const supported = (modes ?? []).filter((mode) => mode.supported).map(({ type }) => type as string);
  const order = Object.keys(modeNames);
  const known = order.filter((mode) => supported.includes(mode)).map((mode) => modeNames[mode] ?? mode);
  return known.length === 0 ? "not stated by the catalog" : known.join(", ");
}

function kubeLine(version: string | undefined): string {
  return version === undefined || version === "" ? "" : `needs Kubernetes ${version} or newer`;
}

const unknownRights = "not stated by the catalog, which holds no install strategy";

function permissionLine(details: BundleDetails | undefined): string {
  const rules = details?.permissions;
  if (rules === undefined) return unknownRights;
  const cluster = rules.filter(({ scope }) => scope === "cluster").length;
  const own = rules.length - cluster;
  const counts = [
    ...(cluster === 0 ? [] : [counted(cluster, "cluster rule")]),
    ...(own === 0 ? [] : [`${counted(own, "rule")} in its namespaces`]),
  ];
  return [...(counts.length === 0 ? ["no rights"] : counts), ...riskyRights(rules)].join(", ");
}

function imagesLine(images: readonly string[]): string {
  if (images.length === 0) return "not stated by the catalog";
  const loose = images.filter((image) => !image.includes("@")).length;
  if (loose === 0) return images.length === 1 ? "1, pinned by digest" : `${images.length}, all pinned by digest`;
  return `${images.length}, ${loose} not pinned by digest`;
}

function viewLines(one: ShownPackage, view: View, width: number): readonly string[] {
  const { summary, details, graph, installed } = one;
  switch (view) {
    case "versions":
      return versionLines(one, width);
    case "graph": {
      const marks = new Map<string, readonly string[]>();
      for (const { bundle, namespace, name } of installed)
        if (bundle !== undefined) marks.set(bundle, [...(marks.get(bundle) ?? []), namespace ?? `ext/${name}`]);
      return drawText(escapeValues(graph), escapeValues({ rules: "both", installed: marks }), width).split("\n");
    }
    case "lifecycle":
      return lifecycleLines(summary.name, one.lifecycle, today(), width);
    case "apis": {
      const described = new Map(
        (details?.description?.customresourcedefinitions.owned ?? []).map((api) => [api.kind, api.description ?? ""]),
      );
      const provides = details?.provides ?? [];
      if (provides.length === 0) return ["It provides no API"];
      return fitTable(
        [
          { heading: "KIND" },
          { heading: "GROUP", rank: 1 },
          { heading: "VERSION", rank: 2 },
          { heading: "DESCRIPTION", isSentence: true },
        ],
        provides.map(({ group, version, kind }) => [
          kind,
          group,
          version,
          (described.get(kind) ?? "").replaceAll(/\s+/g, " ").trim(),
        ]),
        true,
        width,
      ).split("\n");
    }
    case "permissions": {
      const rules = details?.permissions;
      if (rules === undefined)
        return [
          unknownRights,
          ...(details === undefined ? [] : [`purser bundle render ${shellWord(details.image)} --namespace NAMESPACE`]),
        ];
      if (rules.length === 0) return ["It requires no permissions"];
      return fitTable(
        [
          { heading: "SCOPE" },
          { heading: "ACCOUNT", rank: 1 },
          { heading: "VERBS", isSentence: true },
          { heading: "ON", isSentence: true },
        ],
        rules.map(({ scope, account, rule }) => [scope, account, ruleWords(rule).verbs, ruleWords(rule).on]),
        true,
        width,
      ).split("\n");
    }
    case "dependencies":
      return (details?.requires ?? []).length === 0 ? ["It requires no other package"] : (details?.requires ?? []);
    case "images": {
      const images = details?.description?.relatedImages ?? [];
      return [`bundle  ${details?.image || "none"}`, ...images.map((image) => `runs    ${image}`)];
    }
    case "examples": {
      const examples = details?.examples ?? [];
      if (examples.length === 0) return ["# Its catalog gives no examples"];
      return examples.flatMap((example, at) => [
        ...(at === 0 ? [] : ["---"]),
        ...writeYaml(example).trimEnd().split("\n"),
      ]);
    }
  }
  return [summary.name];
}

function versionLines({ graph, summary, installed }: ShownPackage, width: number): readonly string[] {
  const rows = graph.bundles
    .filter(({ kind }) => kind === "bundle")
    .map(({ name, version, deprecation }) => {
      const channels = summary.channels.filter(({ bundles }) => bundles.some((bundle) => bundle.name === name));
      const heads = channels.filter((channel) => headOf(channel)?.name === name);
      const notes = [
        ...(heads.length === 0 ? [] : [`head of ${heads.map((channel) => channel.name).join(", ")}`]),
        ...installed
          .filter(({ bundle }) => bundle === name)
          .map((own) => `installed ${own.namespace ?? `ext/${own.name}`}`),
        ...(deprecation === undefined
          ? []
          : [`deprecated${deprecation === "" ? "" : `: ${deprecation.split("\n")[0]}`}`]),
      ];
      return [version, channels.map((channel) => channel.name).join(", "), name, notes.join("; ")];
    });
  return fitTable(
    [
      { heading: "VERSION" },
      { heading: "CHANNELS", rank: 2 },
      { heading: "BUNDLE", rank: 1 },
      { heading: "NOTES", isSentence: true },
    ],
    rows,
    true,
    width,
  ).split("\n");
}
