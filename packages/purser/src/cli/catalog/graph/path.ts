import { shown } from "../../output/shown.ts";
import type { Shown } from "../../output/shown.ts";
import type { Explanation, Remedy } from "../../../explanation/explanation.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { formatPlace } from "@purser/kubernetes/place";
import type { Rules } from "../../../upgrade-graph/rules.ts";
import type { Hop, PathRequest } from "../../../upgrade-graph/scope.ts";
import type { WayOut } from "../../../upgrade-graph/no-path.ts";
import { causeWords, spokenName, wayOutWords } from "../../../upgrade-graph/path-words.ts";
import type { UpgradeGraph } from "../../../upgrade-graph/upgrade-graph.ts";
import type { PathAnswer } from "../../../upgrade-graph/upgrade-path.ts";
import { findPath } from "../../../upgrade-graph/upgrade-path.ts";
import type { Invocation, Outcome, SubcommandSpec } from "../../command.ts";
import { type LocalContent, withLocalContent } from "../../image/local-content.ts";
import { UsageError, textOption } from "../../command.ts";
import { exitCodes } from "../../exit-code.ts";
import { formatTable } from "../../output/table.ts";
import {
  catalogArgument,
  channelsNamed,
  graphOptions,
  noVersion,
  readGraph,
  rulesOption,
  startsNamed,
  targetNamed,
} from "./graph-request.ts";
import { counted } from "../../../explanation/summary.ts";

export const catalogPathCommand: SubcommandSpec = {
  name: "path",
  summary: "Find the upgrades that lead from one version to another, or why there are none",
  description:
    "OLM v0 follows one channel: the given one, else the default one. OLM v1 reads the given channel, else all of them.\n" +
    "Exit code 1 when there is no path under the rules that are asked for.",
  arguments: [catalogArgument],
  options: [
    graphOptions.package,
    graphOptions.from,
    graphOptions.to,
    { flags: "--channel NAME", summary: "channel to follow" },
    graphOptions.rules,
    { flags: "-o, --output FORMAT", summary: "how to print", choices: ["text", "json", "yaml"] },
  ],
  examples: [
    ["purser catalog path ./catalog --package etcd --from 0.9.0", "to the head, under the rules of OLM v0 and v1"],
    ["purser catalog path ./catalog --package etcd --from 1.2 --to 1.5 --rules v1", "from every 1.2 to the newest 1.5"],
    ["purser catalog path ./catalog --package etcd --from '>=1.2 <1.4' -o json", "for scripts: hops or causes"],
  ],
  run: (invocation) =>
    withLocalContent(invocation, [invocation.arguments[0] ?? ""], "catalog", (catalog) =>
      catalogPath(invocation, catalog),
    ),
};

interface Answered {
  readonly request: PathRequest;
  readonly answer: PathAnswer;
}

function catalogPath(invocation: Invocation, catalog: LocalContent): Outcome {
  const from = textOption(invocation, "from");
  if (from === undefined)
    throw new UsageError("--from is needed: the version that upgrades begin at", "purser catalog path --help");
  const graph = readGraph(invocation, catalog);
  if (!graph.ok) return { explanation: graph.problem };
  const channel = textOption(invocation, "channel");
  const channels = channelsNamed(graph.value, channel === undefined ? [] : [channel]);
  if (!channels.ok) return { explanation: channels.problem };
  const starts = startsNamed(graph.value, from);
  if (!starts.ok) return { explanation: starts.problem };
  const to = targetNamed(graph.value, textOption(invocation, "to"));
  if (!to.ok) return { explanation: to.problem };
  const wanted = rulesOption(invocation);
  const rules: readonly Rules[] = wanted === "both" ? ["v0", "v1"] : [wanted];
  const answered = starts.value.map((start) =>
    rules.map((each): Answered => {
      const request = { rules: each, channel, from: start, to: to.value };
      return { request, answer: findPath(graph.value, request) };
    }),
  );
  const answers = answered.flat();
  if (answers.every(({ answer }) => answer.kind === "noPath")) {
    // The catalog neither contains the version nor covers it with a range: it is most likely mistyped.
    const isKnown = starts.value.some(({ name }) => graph.value.bundles.some((bundle) => bundle.name === name));
    if (!isKnown) return { explanation: noVersion(graph.value, from) };
    return { exitCode: exitCodes.failed, explanation: noPathAtAll(graph.value, answers, invocation) };
  }
  const missing = answers.some(({ answer }) => answer.kind === "noPath");
  return {
    exitCode: missing ? exitCodes.failed : exitCodes.done,
    human: answered.length > 1 ? overview(graph.value, answered) : listed(graph.value, answers),
    data: {
      apiVersion: "purser.dev/v1alpha1",
      kind: "UpgradePathList",
      package: graph.value.packageName,
      ...(channel === undefined ? {} : { channel }),
      paths: answers.map((each) => pathJson(graph.value, each)),
    },
  };
}

/** One line for each start version and set of rules: the versions on the path. */
function overview(graph: UpgradeGraph, answered: readonly (readonly Answered[])[]): Shown {
  const rows = answered.flatMap((group) => {
    const told = group.map(({ request, answer }) => ({ request, words: wayWords(graph, request, answer) }));
    const [first, second] = told;
    const same = second !== undefined && first?.words.join() === second.words.join();
    return (same ? told.slice(0, 1) : told).map(({ request, words }) => [
      request.from.version ?? request.from.name,
      same ? "v0, v1" : request.rules,
      ...words,
    ]);
  });
  return formatTable(["FROM", "RULES", "HOPS", "WAY"], rows);
}

function wayWords(graph: UpgradeGraph, request: PathRequest, answer: PathAnswer): readonly [string, string] {
  if (answer.kind === "noPath") return ["none", causeWords(graph, request, answer)];
  const passed = answer.hops.map(({ to }) => spokenName(graph, to));
  const [first = "", second = ""] = passed;
  const last = passed.at(-1) ?? "";
  const short = passed.length <= 4 ? passed : [first, second, `(${passed.length - 3} more)`, last];
  return [String(passed.length), short.length === 0 ? `is at ${spokenName(graph, answer.to)}` : short.join(" > ")];
}

function listed(graph: UpgradeGraph, group: readonly Answered[]): Shown {
  const lines: string[] = [];
  const [start] = group;
  if (start !== undefined) {
    const { name, version } = start.request.from;
    const isKnown = graph.bundles.some((bundle) => bundle.name === name && bundle.kind === "bundle");
    lines.push(`${graph.packageName} ${version ?? name}${isKnown ? "" : " (not in the catalog)"}`);
  }
  let before: string | undefined;
  for (const { request, answer } of group) {
    const label = `${request.rules}  `;
    if (answer.kind === "noPath") {
      const target = answer.to === undefined ? "" : ` to ${spokenName(graph, answer.to)}`;
      lines.push(`${label}no way${target}`, `    why  ${causeWords(graph, request, answer)}`);
      for (const [index, way] of answer.waysOut.entries())
        lines.push(`    ${index === 0 ? "do " : "or "}  ${wayOutWords(graph, way)}`);
      before = undefined;
      continue;
    }
    const { hops, unattended } = answer;
    const target = spokenName(graph, answer.to);
    if (hops.length === 0) {
      lines.push(`${label}is at ${target} already`);
      continue;
    }
    const key = JSON.stringify([answer.to, hops, unattended]);
    const same = key === before ? "the same " : "";
    const alone =
      unattended === "follows"
        ? ""
        : unattended.hops.length === 0
          ? "; left alone, nothing is upgraded"
          : `; left alone, upgrades end at ${spokenName(graph, unattended.goesTo)} after ${counted(unattended.hops.length, "hop")}`;
    lines.push(`${label}${same}${counted(hops.length, "hop")} to ${target}${alone}`);
    if (same === "") lines.push(...hopTable(graph, request, hops).split("\n"));
    before = key;
  }
  return shown(...lines);
}

function hopTable(graph: UpgradeGraph, { from: start }: PathRequest, hops: readonly Hop[]): string {
  const named = (name: string): string => {
    const spoken = spokenName(graph, name);
    return spoken === name && name === start.name ? (start.version ?? name) : spoken;
  };
  const rows = hops.map(({ from, to, kind, range, channel, place }) => [
    `    ${named(from)} -> ${named(to)}`,
    range === undefined ? kind : `${kind} ${range}`,
    `in ${channel}`,
    place === undefined
      ? ""
      : formatPlace({
          ...(place.file === undefined ? {} : { file: place.file }),
          ...(place.line === undefined ? {} : { line: place.line }),
        }),
  ]);
  return formatTable(["", "", "", ""], rows, false);
}

function pathJson(graph: UpgradeGraph, { request, answer }: Answered): JsonObject {
  const { name, version } = request.from;
  const named = (bundle: string): JsonObject => {
    const found = graph.bundles.find((each) => each.name === bundle)?.version;
    return { name: bundle, ...(found === undefined ? {} : { version: found }) };
  };
  const base = {
    rules: request.rules,
    from: { name, ...(version === undefined ? {} : { version }) },
    ...(answer.to === undefined ? {} : { to: named(answer.to) }),
  };
  if (answer.kind === "noPath") {
    const { cause, isDowngrade, waysOut } = answer;
    return {
      ...base,
      found: false,
      cause: { ...cause, text: causeWords(graph, request, answer) } as unknown as JsonValue,
      isDowngrade,
      waysOut: waysOut.map((way) => ({ ...way, text: wayOutWords(graph, way) })) as unknown as JsonValue,
    };
  }
  const { hops, unattended } = answer;
  return {
    ...base,
    found: true,
    hops: hops.map(hopJson),
    unattended:
      unattended === "follows"
        ? { follows: true }
        : { follows: false, to: named(unattended.goesTo), hops: unattended.hops.map(hopJson) },
  };
}

/** A hop as JSON; unknown fields are omitted. */
export function hopJson({ from, to, kind, channel, range, place }: Hop): JsonObject {
  return {
    from,
    to,
    kind,
    channel,
    ...(range === undefined ? {} : { range }),
    ...(place === undefined ? {} : { place: { ...place } }),
  };
}

function noPathAtAll(graph: UpgradeGraph, answers: readonly Answered[], invocation: Invocation): Explanation {
  const [first] = answers;
  const from = first === undefined ? "" : (first.request.from.version ?? first.request.from.name);
  const target = first?.answer.to === undefined ? "anything newer" : spokenName(graph, first.answer.to);
  const remedies = new Map<string, Remedy>();
  for (const { request, answer } of answers) {
    if (answer.kind !== "noPath") continue;
    for (const way of answer.waysOut) {
      const summary = wayOutWords(graph, way);
      const command = commandFor(way, invocation);
      remedies.set(summary, {
        summary: `${summary} (${request.rules})`,
        ...(command === undefined ? {} : { command }),
      });
    }
  }
  return {
    code: "NoUpgradePath",
    summary: `No upgrade leads from ${graph.packageName} ${from} to ${target}`,
    facts: { package: graph.packageName, paths: answers.map((each) => pathJson(graph, each)) },
    derivation: answers.flatMap(({ request, answer }) =>
      answer.kind === "noPath"
        ? [
            {
              relation: "fact" as const,
              subject: request.from.name,
              text: `${request.rules} from ${request.from.version ?? request.from.name}: ${causeWords(graph, request, answer)}`,
            },
          ]
        : [],
    ),
    remedies: [...remedies.values()],
  };
}

/** The command line of a remedy; undefined when the remedy is a change of the catalog. */
function commandFor(way: WayOut, invocation: Invocation): string | undefined {
  if (way.kind !== "channelChange") return undefined;
  const quoted = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const [reference = ""] = invocation.arguments;
  const flags = ["package", "from", "to", "rules"].flatMap((name) => {
    const value = textOption(invocation, name);
    return value === undefined ? [] : [`--${name}`, quoted(value)];
  });
  return ["purser catalog path", quoted(reference), ...flags, "--channel", quoted(way.channel)].join(" ");
}
