import { goJsonIndented, writeYaml } from "@purser/kubernetes/text/documents";
import { CatalogModel } from "../catalog-model.ts";
import type { CatalogEntry } from "../model.ts";
import { type CatalogProblem, upstreamText } from "../problem.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { formatTree, problemTree } from "../validate.ts";
import { fatal, type OpmAnswer } from "./answer.ts";

/** The first problem of a catalog as upstream's exact text; undefined when it is valid. */
export function opmProblem(entries: Iterable<Result<CatalogEntry, CatalogProblem>>): string | undefined {
  const loaded: CatalogEntry[] = [];
  for (const entry of entries) {
    if (!entry.ok) return upstreamText(entry.problem);
    loaded.push(entry.value);
  }
  const model = modelOf(loaded);
  return model.ok ? undefined : model.problem;
}

/** A catalog's packages when it is valid; else the first problem as upstream's exact text. */
export function modelOf(entries: readonly CatalogEntry[]): Result<CatalogModel, string> {
  const model = new CatalogModel(entries, { lastChannelOnly: true });
  const [first] = model.problems;
  if (first !== undefined) return failed(first.message);
  const tree = problemTree([...model.packages.values()]);
  return tree.children.length === 0 ? done(model) : failed(formatTree(tree).trimEnd());
}

export type OpmValidateOutput = "text" | "json" | "yaml";

/** `opm validate`: silent when the catalog is valid, one fatal record when it is not; `-o` answers on stdout. */
export function opmValidate(
  entries: Iterable<Result<CatalogEntry, CatalogProblem>>,
  output: OpmValidateOutput,
): OpmAnswer {
  const message = opmProblem(entries);
  if (output === "text") return message === undefined ? { exit: 0, stdout: "", stderr: "" } : fatal(message);
  const report = { passed: message === undefined, ...(message === undefined ? {} : { error: { message } }) };
  const stdout = output === "json" ? goJsonIndented(report, "  ", false) : writeYaml(report);
  return { exit: message === undefined ? 0 : 1, stdout: `${stdout}\n`, stderr: "" };
}
