import type { Remedy } from "../../explanation/explanation.ts";
import { shellWord } from "../../explanation/summary.ts";
import { flagOption, type Invocation, listOption } from "../command.ts";

/** Flags that say which objects and catalogs a command reads, and for which namespace, by the commands that take them. */
const always = ["catalog", "snapshot"];
const deciding = ["namespace", ...always, "bundles", "kube-version", "compat", "feature-gates", "global-namespace"];
const carried: Readonly<Record<string, { readonly values: readonly string[]; readonly switches: readonly string[] }>> =
  {
    plan: { values: deciding, switches: ["pull", "as-extension"] },
    explain: { values: deciding, switches: ["pull", "as-extension"] },
    compare: { values: ["namespace", ...always, "bundles"], switches: ["pull", "as-extension"] },
    show: { values: always, switches: [] },
    search: { values: always, switches: [] },
  };
/** Of these a reference such as `sub/ns/kiln` says as much. */
const referred: ReadonlySet<string> = new Set(["namespace", "as-extension"]);

/**
 * A command of a remedy, with the flags of the invocation that say where it reads and for which namespace, so that it answers from
 * the same catalogs and objects when it is pasted. Commands that change a cluster are returned as they are.
 */
export function withGivenFlags(command: string, invocation: Invocation): string {
  const words = command.split(" ");
  const [program, verb = "", subject = ""] = words;
  const flags = program === "purser" && Object.hasOwn(carried, verb) ? carried[verb] : undefined;
  if (flags === undefined) return command;
  const isLeft = (flag: string): boolean =>
    !words.includes(`--${flag}`) &&
    !(flag === "namespace" && words.includes("-n")) &&
    !(referred.has(flag) && subject.includes("/"));
  const values = flags.values.filter(isLeft).flatMap((flag) => {
    const name = flag === "namespace" ? "-n" : `--${flag}`;
    return listOption(invocation, flag).flatMap((value) => [name, shellWord(value)]);
  });
  const switches = flags.switches.filter((flag) => isLeft(flag) && flagOption(invocation, flag));
  return [...words, ...values, ...switches.map((flag) => `--${flag}`)].join(" ");
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
