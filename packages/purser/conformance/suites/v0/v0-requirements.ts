import { evaluateRequirements } from "../../../src/controllers/v0/cluster-service-version/plan/requirement.ts";
import type { RequirementStatus } from "../../../src/apis/v0/cluster-service-version.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { firstDifference } from "../../compare.ts";
import type { Suite } from "../../suite.ts";
import { answer } from "../../suite.ts";
import { listAt, objectAt, textAt } from "../bundle-directory.ts";
import { observeCase, passOver, shownPhase } from "./csv-pass.ts";

/** When Purser waits and rechecks, OLM fails the pass with its own message or with that of the phase. */
function retryText(message: string | undefined): string {
  return message === "one or more requirements couldn't be found" ? "requirements were not met" : (message ?? "");
}

type Entry = RequirementStatus;

const entriesOf = (value: JsonValue): readonly Entry[] =>
  isJsonObject(value) && Array.isArray(value["statuses"]) ? (value["statuses"] as unknown as readonly Entry[]) : [];

/** Ours without the satisfied accounts and rules that upstream's short cut leaves out. */
function withoutShortCut(ours: readonly Entry[], theirs: readonly Entry[]): readonly Entry[] {
  return ours.flatMap((entry): readonly Entry[] => {
    if (entry.kind !== "ServiceAccount") return [entry];
    const shown = theirs.find(({ kind, name }) => kind === entry.kind && name === entry.name);
    if (shown === undefined) return entry.status === "Present" ? [] : [entry];
    const said = shown.dependents?.map(({ message }) => message) ?? [];
    const { dependents = [], ...rest } = entry;
    const kept = dependents.filter(({ status, message }) => status !== "Satisfied" || said.includes(message));
    return [kept.length === 0 ? rest : { ...rest, dependents: kept }];
  });
}

/** Whether every account of the CSV is there, with every rule that it asks for once. */
function listsAll(input: JsonObject, ours: readonly Entry[]): boolean {
  const strategy = objectAt(objectAt(objectAt(objectAt(input, "csv"), "spec"), "install"), "spec");
  const asked = [...listAt(strategy, "permissions"), ...listAt(strategy, "clusterPermissions")].filter(isJsonObject);
  return asked.every((permission) => {
    const account = textAt(permission, "serviceAccountName");
    const rules = asked
      .filter((other) => textAt(other, "serviceAccountName") === account)
      .flatMap((other) => listAt(other, "rules"));
    const entry = ours.find(({ kind, name }) => kind === "ServiceAccount" && name === account);
    // Of an account that is missing or belongs to another, no rule is looked at.
    const unseen = entry?.status === "NotPresent" || entry?.dependents === undefined;
    return entry !== undefined && (unseen || entry.dependents.length === rules.length);
  });
}

function differsByAccounts(input: JsonObject, expect: JsonObject, value: JsonObject): boolean {
  const statuses = withoutShortCut(entriesOf(value), entriesOf(expect)) as unknown as readonly JsonValue[];
  return (
    input["filtered"] === true &&
    listsAll(input, entriesOf(value)) &&
    firstDifference(expect, { ...value, statuses }) === undefined
  );
}

function isWaiting(value: JsonObject): boolean {
  const { phase, reason, message } = objectAt(value, "transition") as Readonly<Record<string, JsonValue>>;
  const text = typeof message === "string" ? message : "";
  return (
    phase === "Pending" &&
    reason === "AllRequirementsMet" &&
    /^all requirements found, waiting until \S+ has succeeded and can be replaced$/.test(text)
  );
}

export const suite: Suite = {
  name: "v0-requirements",
  differences: {
    "satisfied accounts are listed": ({ input, expect }, value) =>
      isJsonObject(value) && differsByAccounts(input, expect, value),
    "a CSV that waits names the one that it waits for": ({ input, expect }, value) => {
      if (!isJsonObject(value) || !isWaiting(value)) return false;
      const quiet = { ...value, transition: expect["transition"] ?? null };
      const shown = objectAt(expect, "transition");
      return (
        textAt(shown, "phase") === "Pending" &&
        textAt(shown, "message") === "requirements not yet checked" &&
        (firstDifference(expect, quiet) === undefined || differsByAccounts(input, expect, quiet))
      );
    },
  },
  async run({ input }) {
    const world = await observeCase(input);
    const requirements = evaluateRequirements(world);
    const { status, error, looksAgain } = passOver(world);
    // OLM fails this pass as well; ours needs no time to look again where all that is missing is watched.
    const waits = world.csv.status?.phase === "Pending" && status?.reason === "RequirementsNotMet";
    return answer({
      met: requirements.ok && requirements.value.met,
      statuses: requirements.ok ? (requirements.value.statuses as unknown as readonly JsonValue[]) : [],
      error: requirements.ok ? null : requirements.problem,
      transition: shownPhase(status),
      transitionError: error ?? (looksAgain || waits ? retryText(status?.message) : null),
    } as JsonObject);
  },
};
