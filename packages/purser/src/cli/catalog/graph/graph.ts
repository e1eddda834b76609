import { escapeValues } from "@purser/kubernetes/text/control-characters";
import type { JsonObject } from "@purser/kubernetes/json";
import { drawDot } from "../../../diagram/dot-drawing.ts";
import { drawHtml } from "../../../diagram/html-drawing.ts";
import { drawMermaid } from "../../../diagram/mermaid-drawing.ts";
import type { DrawnPath, PictureOptions } from "../../../diagram/picture-options.ts";
import { pictureOf } from "../../../diagram/picture.ts";
import { drawSvg } from "../../../diagram/svg-drawing.ts";
import { drawText } from "../../../diagram/text-drawing.ts";
import type { Explanation } from "../../../explanation/explanation.ts";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { causeWords, spokenName } from "../../../upgrade-graph/path-words.ts";
import type { ChannelGraph } from "../../../upgrade-graph/channel-graph.ts";
import type { UpgradeGraph } from "../../../upgrade-graph/upgrade-graph.ts";
import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import { findPath } from "../../../upgrade-graph/upgrade-path.ts";
import type { Invocation, Outcome, SubcommandSpec } from "../../command.ts";
import { type LocalContent, withLocalContent } from "../../image/local-content.ts";
import { UsageError, flagOption, listOption, textOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import {
  catalogArgument,
  channelsNamed,
  graphOptions,
  readGraph,
  rulesOption,
  startsNamed,
  targetNamed,
} from "./graph-request.ts";
import { hopJson } from "./path.ts";
import { writeFilesAtomically } from "../write-files.ts";

export const catalogGraphCommand: SubcommandSpec = {
  name: "graph",
  summary: "Draw how the versions of a package lead to one another",
  description:
    "Versions stand from new to old, one column for each channel. Of more than ten, runs of ordinary versions are folded.\n" +
    "Channels that contradict themselves (several heads, cycles) are drawn as they are, with what is wrong.",
  arguments: [catalogArgument],
  options: [
    graphOptions.package,
    { flags: "--channel NAME", summary: "only this channel", repeatable: true },
    graphOptions.from,
    graphOptions.to,
    { flags: "--installed VERSION", summary: "mark a version as installed", repeatable: true },
    graphOptions.rules,
    { flags: "--all", summary: "every version and channel, nothing folded" },
    { flags: "--file FILE", summary: "write to a file instead of the terminal" },
    {
      flags: "-o, --output FORMAT",
      summary: "how to draw",
      choices: ["text", "svg", "html", "mermaid", "dot", "json", "yaml"],
    },
  ],
  examples: [
    ["purser catalog graph ./catalog --package etcd", "in the terminal"],
    ["purser catalog graph ./catalog --package etcd -o html --file etcd.html", "a page to zoom and search in"],
    ["purser catalog graph ./catalog --package etcd --from 0.9.0 --rules v1 -o mermaid", "with the path to the head"],
  ],
  run: (invocation) =>
    withLocalContent(invocation, [invocation.arguments[0] ?? ""], "catalog", (catalog) =>
      catalogGraph(invocation, catalog),
    ),
};

function catalogGraph(invocation: Invocation, catalog: LocalContent): Outcome {
  const from = textOption(invocation, "from");
  if (from === undefined && textOption(invocation, "to") !== undefined)
    throw new UsageError("--to needs --from: a path begins somewhere", "purser catalog graph --help");
  const graph = readGraph(invocation, catalog);
  if (!graph.ok) return { explanation: graph.problem };
  const options = pictureOptions(graph.value, invocation);
  if (!options.ok) return { explanation: options.problem };
  const { value } = options;
  const format = textOption(invocation, "output") ?? "text";
  const file = textOption(invocation, "file");
  if ((format === "json" || format === "yaml") && file === undefined)
    return { exitCode: exitCodes.done, data: graphJson(graph.value, value) };
  const text = drawn(
    graph.value,
    value,
    format,
    (file === undefined ? invocation.terminal.width : undefined) ?? Infinity,
  );
  if (file === undefined) return { exitCode: exitCodes.done, verbatim: text };
  return written(invocation, file, text);
}

function drawn(graph: UpgradeGraph, options: PictureOptions, format: string, width: number): string {
  switch (format) {
    case "svg":
      return drawSvg(pictureOf(graph, options));
    case "html":
      return drawHtml(graph, options);
    case "mermaid":
      return drawMermaid(pictureOf(graph, options));
    case "dot":
      return drawDot(pictureOf(graph, options));
    case "json":
      return `${JSON.stringify(graphJson(graph, options), undefined, 2)}\n`;
    case "yaml":
      return writeYaml(graphJson(graph, options));
    default:
      return `${drawText(escapeValues(graph), escapeValues(options), width)}\n`;
  }
}

/** Writes the file atomically. */
function written(invocation: Invocation, file: string, text: string): Outcome {
  const { terminal } = invocation;
  try {
    writeFilesAtomically(new Map([[file, text]]));
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    terminal.err(`${terminal.paint("bad", terminal.symbol("failed"))} Cannot write ${file}: ${error.message}`);
    return { exitCode: exitCodes.failed };
  }
  terminal.err(`${terminal.paint("good", terminal.symbol("ok"))} wrote ${file}`);
  return { exitCode: exitCodes.done };
}

function pictureOptions(graph: UpgradeGraph, invocation: Invocation): Result<PictureOptions, Explanation> {
  const channels = channelsNamed(graph, listOption(invocation, "channel"));
  if (!channels.ok) return channels;
  const installed = new Map<string, readonly string[]>();
  for (const text of listOption(invocation, "installed")) {
    const starts = startsNamed(graph, text);
    if (!starts.ok) return starts;
    for (const { name } of starts.value) installed.set(name, [""]);
  }
  const path = pathToDraw(graph, invocation, channels.value);
  if (!path.ok) return path;
  return done({
    rules: rulesOption(invocation),
    all: flagOption(invocation, "all"),
    installed,
    ...(channels.value.length === 0 ? {} : { channels: channels.value }),
    ...path.value,
  });
}

/** The path under the requested rules; with both, OLM v0's path, or OLM v1's when v0 has none. */
function pathToDraw(
  graph: UpgradeGraph,
  invocation: Invocation,
  channels: readonly string[],
): Result<{ readonly path?: DrawnPath; readonly notes?: readonly string[] }, Explanation> {
  const from = textOption(invocation, "from");
  if (from === undefined) return done({});
  const starts = startsNamed(graph, from);
  if (!starts.ok) return starts;
  const to = targetNamed(graph, textOption(invocation, "to"));
  if (!to.ok) return to;
  const [start] = starts.value;
  if (start === undefined) return done({});
  const wanted = rulesOption(invocation);
  const notes: string[] = [];
  for (const rules of wanted === "both" ? (["v0", "v1"] as const) : [wanted]) {
    const request = { rules, channel: channels[0], from: start, to: to.value };
    const answer = findPath(graph, request);
    if (answer.kind === "path")
      return done({ path: { rules, from: start.name, to: answer.to, hops: answer.hops }, notes });
    const target = answer.to === undefined ? "anything newer" : spokenName(graph, answer.to);
    notes.push(
      `${rules}: no way from ${start.version ?? start.name} to ${target}: ${causeWords(graph, request, answer)}`,
    );
  }
  return done({ path: { rules: wanted === "v1" ? "v1" : "v0", from: start.name, to: to.value, hops: [] }, notes });
}

function graphJson(graph: UpgradeGraph, { channels, path }: PictureOptions): JsonObject {
  const shown = channels === undefined ? graph.channels : graph.channels.filter(({ name }) => channels.includes(name));
  return {
    apiVersion: "purser.dev/v1alpha1",
    kind: "UpgradeGraph",
    package: graph.packageName,
    defaultChannel: graph.defaultChannel,
    ...(graph.deprecation === undefined ? {} : { deprecation: graph.deprecation }),
    bundles: graph.bundles.map(({ name, kind, version, release, deprecation }) => ({
      name,
      ...(version === undefined ? {} : { version }),
      ...(release === undefined ? {} : { release }),
      ...(deprecation === undefined ? {} : { deprecation }),
      isMissing: kind === "missing",
    })),
    channels: shown.map(channelJson),
    ...(path === undefined
      ? {}
      : {
          path: {
            rules: path.rules,
            from: path.from,
            ...(path.to === undefined ? {} : { to: path.to }),
            hops: path.hops.map(hopJson),
          },
        }),
  };
}

function channelJson(channel: ChannelGraph): JsonObject {
  const { name, isDefault, deprecation, heads, order, refusal, problems, nodes, links } = channel;
  return {
    name,
    isDefault,
    ...(deprecation === undefined ? {} : { deprecation }),
    heads,
    order: order.map((entry) => entry.name),
    ...(refusal === undefined ? {} : { refusal: refusal.message }),
    problems: problems.map((problem) => ({ ...problem })),
    nodes: nodes.map((node) => ({ ...node })),
    links: links.map(({ place, range, ...link }) => ({
      ...link,
      ...(range === undefined ? {} : { range }),
      ...(place === undefined ? {} : { place: { ...place } }),
    })),
  };
}
