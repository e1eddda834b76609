import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { Digest } from "@purser/kubernetes/digest";
import type { ChangePlan } from "../../review/change-plan/change-plan.ts";
import type { OptionValue } from "../command.ts";
import { planSet } from "../../review/change-plan/plan-set.ts";

/** The kind of the document that `purser plan --save` writes. */
export const savedPlanKind = "SavedPlan";

type Options = Readonly<Record<string, OptionValue | undefined>>;

/** A plan that a command can carry out later. */
export interface Plannable {
  readonly command: "install" | "upgrade" | "uninstall" | "rollback";
  /** The installation or the package. */
  readonly argument: string;
  readonly options: Options;
  readonly digest: Digest;
  readonly inputs: ChangePlan["inputs"];
}

/** Whether carrying out the document of `purser plan` would change something. */
export function hasChanges(data: JsonValue | undefined): boolean {
  if (!isJsonObject(data)) return false;
  const kind: unknown = data["kind"];
  switch (kind) {
    case "Decision": {
      const isFresh = (one: JsonValue): boolean => isJsonObject(one) && one["upToDate"] !== true;
      return (
        listIn(data, "chosen").some(isFresh) || listIn(data, "updated").length > 0 || data["waiting"] !== undefined
      );
    }
    case "Upgrade":
      return data["from"] !== data["to"] || data["patch"] !== null;
    case "UninstallPlan":
    case "Rollback":
    case "ChangePlan":
      return true;
    default:
      return false;
  }
}

/** Flags of `purser plan` that the command needs again. */
const keptFlags: Readonly<Record<Plannable["command"], readonly string[]>> = {
  install: ["namespace", "channel", "from-source", "as-extension"],
  upgrade: ["to", "channel"],
  uninstall: [],
  rollback: [],
};

/** The plan in a document of `purser plan`, which got these flags; a text says why it cannot be carried out. */
export function plannedIn(data: JsonObject, given: Options): Plannable | string {
  const kept = (command: Plannable["command"]): Options =>
    Object.fromEntries(keptFlags[command].flatMap((flag) => (given[flag] === undefined ? [] : [[flag, given[flag]]])));
  const kind: unknown = data["kind"];
  switch (kind) {
    case "Decision": {
      const { subject } = data;
      const set = decidedSet(data);
      if (!isJsonObject(subject) || !hasChanges(data)) return "there is nothing to do";
      if (set === undefined) return unread;
      const reference = textIn(subject, "reference");
      if (reference.startsWith("namespace ")) return "a whole namespace is no installation";
      return subject["assumed"] === true
        ? { command: "install", argument: reference.replace(/^package /, ""), options: kept("install"), ...set }
        : { command: "upgrade", argument: reference, options: kept("upgrade"), ...set };
    }
    case "Upgrade": {
      const set = digestIn(data["changes"]);
      if (!hasChanges(data)) return "there is nothing to upgrade";
      if (set === undefined) return unread;
      return { command: "upgrade", argument: textIn(data, "installation"), options: kept("upgrade"), ...set };
    }
    case "UninstallPlan": {
      const set = digestIn(data);
      if (set === undefined) return unread;
      const options = { mode: textIn(data, "mode") };
      return { command: "uninstall", argument: textIn(data, "installation"), options, ...set };
    }
    case "Rollback": {
      const { revision, changes } = data;
      const set = digestIn(changes);
      if (set === undefined || !isJsonObject(revision)) return unread;
      const options = { to: JSON.stringify(revision["revision"]) };
      return { command: "rollback", argument: textIn(data, "installation"), options, ...set };
    }
    default:
      return "differences between two versions of a package are no plan of an installation";
  }
}

const unread = "the changes are not known; add --pull to read the images of bundles, or --bundles DIR";

const listIn = (object: JsonObject, name: string): readonly JsonValue[] => {
  const value = object[name];
  return Array.isArray(value) ? value : [];
};

const textIn = (object: JsonObject, name: string): string => {
  const value = object[name];
  return typeof value === "string" ? value : "";
};

type Digested = Pick<Plannable, "digest" | "inputs">;

/** The digest of a plan's document, or of a list of plans; undefined for anything else. */
function digestIn(document: JsonValue | undefined): Digested | undefined {
  if (!isJsonObject(document)) return undefined;
  if (document["kind"] === "ChangePlanList") return setOf(listIn(document, "items"));
  const { digest, inputs } = document;
  return typeof digest === "string" && isJsonObject(inputs) ? ({ digest, inputs } as Digested) : undefined;
}

/** What approval or an upgrade would apply: the InstallPlan that is pending, else what was decided. */
function decidedSet(decision: JsonObject): Digested | undefined {
  return decision["waiting"] === undefined ? setOf(listIn(decision, "changes")) : digestIn(decision["waiting"]);
}

function setOf(plans: readonly JsonValue[]): Digested | undefined {
  const isPlan = (plan: JsonValue): boolean => digestIn(plan) !== undefined;
  if (plans.length === 0 || !plans.every(isPlan)) return undefined;
  const { digest, inputs } = planSet(plans as unknown as readonly ChangePlan[]);
  return { digest, inputs };
}
