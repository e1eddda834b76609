import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { parseBlangRange } from "../../version-range.ts";
import { compareVersions, parseVersion, type Version } from "@purser/kubernetes/version";
import { goSort } from "../schemas/go-sort.ts";
import type { CatalogEntry } from "../model.ts";
import { logged, type OpmAnswer } from "./answer.ts";
import { filterChannel, type GraphChannel, type GraphFilter, versionOf } from "./graph-filter.ts";
import { readSources, type RenderSource } from "./read-sources.ts";
import { asRendered } from "./rendered-order.ts";

export interface GraphOptions extends GraphFilter {
  /** Marks entries that OLM v0 does not install because others skip them, and the edges that lead nowhere then. */
  readonly drawV0Semantics?: boolean;
}

/** A drawing in mermaid's language, and warnings for skip ranges that cannot be read. */
export interface Mermaid {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** `opm alpha render-graph`; the catalog need not be valid. */
export function opmRenderGraph(sources: readonly RenderSource[], options: GraphOptions): OpmAnswer {
  const blobs = readSources(sources);
  if (!blobs.ok) return logged(blobs.problem);
  const drawn = mermaidOf(blobs.value.map(asRendered), options);
  if (!drawn.ok) return logged(drawn.problem);
  return { exit: 0, stdout: drawn.value.text, stderr: drawn.value.warnings.map((line) => `${line}\n`).join("") };
}

/** The upgrade graph of a catalog as upstream draws it; links are numbered in upstream's order of channels. */
export function mermaidOf(blobs: readonly CatalogEntry[], options: GraphOptions): Result<Mermaid, string> {
  const versions = versionsOf(blobs);
  if (!versions.ok) return versions;
  const { minimumEdge } = options;
  if (minimumEdge !== undefined && !versions.value.has(minimumEdge))
    return failed(`unknown minimum edge name: ${goQuote(minimumEdge)}`);
  return done(new Drawing(blobs, versions.value, options).draw());
}

/** Versions of all bundles by name; the first of several bundles of one name counts. */
function versionsOf(blobs: readonly CatalogEntry[]): Result<ReadonlyMap<string, Version>, string> {
  const versions = new Map<string, Version>();
  for (const { content, name } of blobs) {
    if (content.kind !== "bundle" || versions.has(name)) continue;
    if (content.propertyProblem !== undefined)
      return failed(`parse properties for bundle ${goQuote(name)}: ${content.propertyProblem.message}`);
    const [first, second] = content.versions;
    // Also of none upstream says that there are several.
    if (first === undefined || second !== undefined)
      return failed(`bundle ${goQuote(name)} has multiple "olm.package" properties, expected exactly 1`);
    const version = parseVersion(first.version);
    if (!version.ok)
      return failed(
        `bundle ${goQuote(name)} has invalid version ${goQuote(first.version)}: ${version.problem.message}`,
      );
    versions.set(name, version.value);
  }
  return done(versions);
}

const classes = ["deprecated", "deprecatedskipped", "skipped"] as const;
type Class = (typeof classes)[number];

class Drawing {
  readonly #versions: ReadonlyMap<string, Version>;
  readonly #options: GraphOptions;
  readonly #channels: readonly GraphChannel[];
  readonly #deprecated = {
    packages: new Set<string>(),
    channels: new Set<string>(),
    bundles: new Set<string>(),
  };
  readonly #packages = new Map<string, string[]>();
  readonly #warnings: string[] = [];
  /** Upstream names an entry that stands in two channels of one name twice. */
  readonly #classes = new Map<Class, string[]>(classes.map((name) => [name, []]));
  readonly #channelStyles: string[] = [];
  readonly #dashed: number[] = [];
  #packageStyle: string | undefined;
  #links = 0;

  constructor(blobs: readonly CatalogEntry[], versions: ReadonlyMap<string, Version>, options: GraphOptions) {
    this.#versions = versions;
    this.#options = options;
    const channels: GraphChannel[] = [];
    for (const { content, packageName, name } of blobs) {
      if (content.kind === "channel") channels.push({ packageName, name, entries: content.entries });
      if (content.kind !== "deprecations") continue;
      for (const entry of content.entries) {
        if (entry.schema === "olm.package") this.#deprecated.packages.add(packageName);
        else if (entry.schema === "olm.channel") this.#deprecated.channels.add(entry.name);
        else if (entry.schema === "olm.bundle") this.#deprecated.bundles.add(entry.name);
      }
    }
    goSort(channels, (a, b) => compareBytes(a.name, b.name) < 0);
    this.#channels = channels;
  }

  draw(): Mermaid {
    const { minimumEdge } = this.#options;
    const floorPackage =
      minimumEdge === undefined
        ? undefined
        : this.#channels.find(({ entries }) => entries.some(({ name }) => name === minimumEdge))?.packageName;
    for (const channel of this.#channels) {
      const kept = filterChannel(channel, this.#options, this.#versions, floorPackage);
      if (kept !== undefined) this.#channel(kept);
    }
    const packages = [...this.#packages].sort(([a], [b]) => compareBytes(a, b));
    const lines = [
      "graph LR",
      "  classDef deprecated fill:#E8960F",
      "  classDef skipped stroke:#FF0000,stroke-width:4px",
      "  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px",
      ...packages.flatMap(([name, body]) => [
        `  %% package ${goQuote(name)}`,
        `  subgraph ${goQuote(name)}`,
        ...body,
        "  end",
      ]),
      ...(this.#packageStyle === undefined ? [] : [`style ${this.#packageStyle} fill:#989695`]),
      ...this.#channelStyles.map((id) => `style ${id} fill:#DCD0FF`),
      ...[...this.#classes].flatMap(([name, members]) =>
        members.length === 0 ? [] : [`class ${members.toSorted(compareBytes).join(",")} ${name}`],
      ),
      ...(this.#dashed.length === 0
        ? []
        : [`linkStyle ${this.#dashed.join(",")} stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;`]),
    ];
    return { text: lines.map((line) => `${line}\n`).join(""), warnings: this.#warnings };
  }

  #channel({ packageName, name, entries }: GraphChannel): void {
    const body = this.#packages.get(packageName) ?? [];
    this.#packages.set(packageName, body);
    const id = `${packageName}-${name}`;
    body.push(`    %% channel ${goQuote(name)}`, `    subgraph ${id}[${goQuote(name)}]`);
    if (this.#deprecated.packages.has(packageName)) this.#packageStyle = packageName;
    if (this.#deprecated.channels.has(name)) this.#channelStyles.push(id);
    const descending = [...entries];
    goSort(
      descending,
      (a, b) => compareVersions(versionOf(this.#versions, a.name), versionOf(this.#versions, b.name)) > 0,
    );
    const skipped = new Set<string>();
    const node = (entry: string): string => `${id}-${entry}[${goQuote(entry)}]`;
    for (const entry of descending) {
      const link = (from: string, label: string): number => {
        body.push(`      ${node(from)}-- ${label} --> ${node(entry.name)}`);
        return this.#links++;
      };
      body.push(`      ${node(entry.name)}`);
      this.#classify(`${id}-${entry.name}`, entry.name, skipped);
      for (const skip of entry.skips) {
        const number = link(skip, "skip");
        if (skipped.has(skip)) this.#dash(number);
        else skipped.add(skip);
      }
      const dashIfSkipped = (number: number): void => {
        if (skipped.has(entry.name)) this.#dash(number);
      };
      const range = entry.skipRange === "" ? undefined : parseBlangRange(entry.skipRange);
      if (range?.ok === true) {
        for (const other of entries)
          if (range.value.includes(versionOf(this.#versions, other.name)))
            dashIfSkipped(link(other.name, `"skipRange(${entry.skipRange})"`));
      } else if (range !== undefined)
        this.#warnings.push(
          `warning: ignoring invalid SkipRange for package/edge ${goQuote(packageName)}/${goQuote(entry.name)}: ${range.problem.message}`,
        );
      if (entry.replaces !== "") dashIfSkipped(link(entry.replaces, "replace"));
    }
    body.push("    end");
  }

  #dash(link: number): void {
    if (this.#options.drawV0Semantics === true) this.#dashed.push(link);
  }

  #classify(id: string, name: string, skipped: ReadonlySet<string>): void {
    const isDeprecated = this.#deprecated.bundles.has(name);
    const isSkipped = this.#options.drawV0Semantics === true && skipped.has(name);
    const own = isDeprecated ? (isSkipped ? "deprecatedskipped" : "deprecated") : isSkipped ? "skipped" : undefined;
    if (own !== undefined) this.#classes.get(own)?.push(id);
  }
}
