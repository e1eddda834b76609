import { readFileSync } from "node:fs";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { listOf, shellWord } from "../../explanation/summary.ts";
import { staleness } from "../../review/change-plan/plan-set.ts";
import { type Invocation, type RefusedOutcome, textOption, UsageError } from "../command.ts";
import { failure } from "../failure.ts";
import { writeFilesAtomically } from "../catalog/write-files.ts";
import { type Plannable, plannedIn, savedPlanKind } from "./plan-document.ts";
import { reviewedInputs } from "./reviewed-plans.ts";

/** The flag of commands that carry out a plan that was reviewed before. */
export const planOption = {
  flags: "--plan DIGEST|FILE",
  summary: "do only what the plan with this digest changes, or the plan in a file that purser plan --save wrote",
} as const;

/** What was reviewed: the digest, and what it was made from where that is known. */
export interface Reviewed {
  readonly digest: string;
  readonly inputs?: Plannable["inputs"] | undefined;
}

/**
 * Writes the plan in the document of `purser plan` to a file, and says how it is carried out.
 * @throws UsageError when the document holds no changes that could be carried out, and when the file cannot be written
 */
export function savePlan({ terminal, options }: Invocation, file: string, data: JsonObject): void {
  const planned = plannedIn(data, options);
  if (typeof planned === "string") throw new UsageError(`--save wrote no file: ${planned}`);
  const document = { apiVersion: "purser.dev/v1alpha1", kind: savedPlanKind, ...planned, plan: data };
  try {
    writeFilesAtomically(new Map([[file, `${JSON.stringify(document, undefined, 2)}\n`]]));
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new UsageError(`--save cannot write ${file}: ${error.message}`);
  }
  terminal.err(
    `${terminal.paint("good", terminal.symbol("ok"))} wrote ${file}; purser ${planned.command} --plan ${shellWord(file)} carries it out`,
  );
}

/**
 * The invocation with the arguments and flags of the plan that `--plan` names as a file, and what was reviewed; undefined without
 * `--plan`.
 * @throws UsageError for a file that is no plan of this command, and for flags that the plan already has
 */
export async function withReviewed(
  invocation: Invocation,
  command: Plannable["command"],
): Promise<{ readonly invocation: Invocation; readonly reviewed: Reviewed | undefined }> {
  const named = textOption(invocation, "plan");
  if (named === undefined) return { invocation, reviewed: undefined };
  if (/^(sha256:)?[0-9a-f]{8,64}$/.test(named)) {
    const inputs = await reviewedInputs(invocation.terminal.env, named);
    return { invocation, reviewed: { digest: named, inputs } };
  }
  const saved = readSaved(named);
  if (saved.command !== command)
    throw new UsageError(
      `${named} is a plan of purser ${saved.command}`,
      `purser ${saved.command} --plan ${shellWord(named)}`,
    );
  const [given] = invocation.arguments;
  if (given !== undefined && given !== saved.argument)
    throw new UsageError(`${named} is a plan of ${saved.argument}, not of ${given}`, "leave the argument out");
  const twice = Object.keys(saved.options).find((name) => {
    const value = invocation.options[name];
    return value !== undefined && value !== saved.options[name];
  });
  if (twice !== undefined) throw new UsageError(`--${twice} is part of the plan in ${named}`, "leave it out");
  const options = { ...invocation.options, ...saved.options };
  return { invocation: { ...invocation, arguments: [saved.argument], options }, reviewed: saved };
}

function readSaved(file: string): Plannable {
  const wrong = (what: string): UsageError =>
    new UsageError(`--plan "${file}" is neither a digest nor a plan: ${what}`, "purser plan INSTALLATION --save FILE");
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
  if (!isJsonObject(value)) throw wrong("it is no JSON object");
  const { kind, command, argument, digest, inputs, options } = value;
  const isWhole =
    typeof argument === "string" && typeof digest === "string" && isJsonObject(inputs) && isJsonObject(options);
  if (kind !== savedPlanKind || !isWhole) throw wrong(`it is no ${savedPlanKind}`);
  return { command, argument, digest, inputs, options } as Plannable;
}

/** Why nothing is done: what would be done is not what was reviewed; undefined when it is. */
export function staleReview(
  command: Plannable["command"],
  reference: string,
  reviewed: Reviewed | undefined,
  now: { readonly digest: Plannable["digest"]; readonly inputs: Plannable["inputs"] } | undefined,
): RefusedOutcome | undefined {
  if (reviewed === undefined) return undefined;
  const again = [`purser ${command} ${shellWord(reference)} --dry-run`, "see the current plan"] as const;
  if (now === undefined) {
    const unknown = `Nothing was changed: the changes of ${reference} are not known, so they cannot be compared with ${reviewed.digest}`;
    return { explanation: failure("Conflict", unknown, [[`${again[0]} --pull`, again[1]]]) };
  }
  const compared = staleness(reviewed, now);
  if (compared.kind === "same") return undefined;
  const { changed = [] } = compared;
  const what = changed.length === 0 ? "" : `; changed: ${listOf(changed, 4)}`;
  const summary = `Nothing was changed: the plan of ${reference} changed from ${reviewed.digest} to ${now.digest}${what}`;
  return { explanation: failure("Conflict", summary, [again], { seen: reviewed.digest, digest: now.digest, changed }) };
}
