import type { Remedy } from "../../explanation/explanation.ts";
import { shellWord } from "../../explanation/summary.ts";
import { flagOption, type Invocation, listOption } from "../command.ts";

/** What says which objects and catalogs a command reads, by the commands that take it. */
const everywhere = ["catalog", "snapshot"] as const;
const onBundles = ["bundles", "kube-version", "compat", "feature-gates", "global-namespace"] as const;
const reading = /^purser (?:plan|explain|compare) /;
const finding = /^purser (?:show|search)(?= |$)/;

/**
 * A command of a remedy, with the flags of the invocation that say where it reads and for which namespace, so that it answers from
 * the same catalogs and objects when it is pasted. Commands that change a cluster are returned as they are.
 */
export function withGivenFlags(command: string, invocation: Invocation): string {
  const reads = reading.test(command);
  if (!reads && !finding.test(command)) return command;
  const words = command.split(" ");
  const isCompare = command.startsWith("purser compare ");
  const isNamed = (flag: string): boolean => words.includes(`--${flag}`);
  const valued = [...everywhere, ...(isCompare ? (["bundles"] as const) : reads ? onBundles : [])].flatMap((flag) =>
    isNamed(flag) ? [] : listOption(invocation, flag).flatMap((value) => [`--${flag}`, shellWord(value)]),
  );
  // A reference says in which namespace it is.
  const isPlaced = !reads || isNamed("namespace") || words.includes("-n") || (words[2] ?? "").includes("/");
  const placed = isPlaced ? [] : listOption(invocation, "namespace").flatMap((value) => ["-n", shellWord(value)]);
  const switches = reads
    ? ["pull", ...((words[2] ?? "").includes("/") ? [] : ["as-extension"])].filter(
        (flag) => flagOption(invocation, flag) && !isNamed(flag),
      )
    : [];
  return [...words, ...placed, ...valued, ...switches.map((flag) => `--${flag}`)].join(" ");
}

/** The remedies, each of whose commands reads what the invocation read. */
export const remediesOnSame = (remedies: readonly Remedy[], invocation: Invocation): readonly Remedy[] =>
  remedies.map((remedy) =>
    remedy.command === undefined ? remedy : { ...remedy, command: withGivenFlags(remedy.command, invocation) },
  );

/** The explanation with {@link remediesOnSame}. */
export const explanationOnSame = <T extends { readonly remedies: readonly Remedy[] }>(
  explanation: T,
  invocation: Invocation,
): T => ({
  ...explanation,
  remedies: remediesOnSame(explanation.remedies, invocation),
});
