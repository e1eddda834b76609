// The expected result of a pass over a namespace when OLM stops and Purser continues: computed from the case itself and from
// the naive resolver of `reference-namespace.ts`, independently of Purser's code.
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { referenceAnswer } from "../../../src/resolver/testing/reference-namespace.ts";
import { listAt, objectAt, textAt } from "../bundle-directory.ts";
import { worldOf } from "./v0-resolution.ts";

const items = (value: readonly JsonValue[]): readonly JsonObject[] => value.filter(isJsonObject);
const nameOf = (object: JsonObject): string => textAt(objectAt(object, "metadata"), "name");
const byJson = (a: JsonObject, b: JsonObject): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

function ofKind(input: JsonObject, kind: string): readonly JsonObject[] {
  return items(listAt(input, "objects")).filter(
    (object) =>
      object["kind"] === kind && textAt(objectAt(object, "metadata"), "namespace") === textAt(input, "namespace"),
  );
}

/** One bundle that is chosen, and the Subscriptions that ask for it. */
interface Chosen {
  readonly name: string;
  readonly packageName: string;
  readonly channel: string;
  /** `<name>-<namespace>` of its catalog. */
  readonly catalog: string;
  readonly wantedBy: readonly JsonObject[];
}

type Decision =
  | { readonly kind: "resolved"; readonly chosen: readonly Chosen[] }
  | { readonly kind: "unsatisfiable" }
  | { readonly kind: "error"; readonly text: string };

/**
 * Why the naive resolver does not support the world; undefined when it does. A case with such a world has no independent
 * answer here: the suite v0-resolution compares those with OLM.
 */
function beyondReference(input: JsonObject): string | undefined {
  const failed = [...ofKind(input, "ClusterServiceVersion"), ...ofKind(input, "InstallPlan")].some(
    (object) => textAt(objectAt(object, "status"), "phase") === "Failed",
  );
  const text = JSON.stringify(input["catalogs"]) + JSON.stringify(input["objects"]);
  if (failsForward(input) && failed) return "fail-forward";
  return /"unreachable":true|\\*"cel\\*":/.test(text) ? "an unreachable catalog or a rule in CEL" : undefined;
}

/** Whether a Subscription names a catalog that it does not see: then nothing else decides. */
function namesMissingCatalog(input: JsonObject): boolean {
  const seen = items(listAt(input, "catalogs"))
    .filter((catalog) =>
      [textAt(input, "namespace"), textAt(input, "globalNamespace")].includes(textAt(catalog, "namespace")),
    )
    .map((catalog) => `${textAt(catalog, "namespace")}/${textAt(catalog, "name")}`);
  return ofKind(input, "Subscription").some((subscription) => {
    const spec = objectAt(subscription, "spec");
    return (
      textAt(spec, "source") !== "" && !seen.includes(`${textAt(spec, "sourceNamespace")}/${textAt(spec, "source")}`)
    );
  });
}

/** With the only catalog named by Subscriptions that name none, which the naive resolver requires. */
function withNamedCatalog(input: JsonObject): JsonObject {
  const [only, ...others] = items(listAt(input, "catalogs"));
  const objects = items(listAt(input, "objects")).map((object) => {
    const spec = objectAt(object, "spec");
    if (object["kind"] !== "Subscription" || textAt(spec, "source") !== "") return object;
    if (only === undefined || others.length > 0) throw new Error("a Subscription names none of several catalogs");
    const named = { source: textAt(only, "name"), sourceNamespace: textAt(only, "namespace") };
    return { ...object, spec: { ...spec, ...named } };
  });
  return { ...input, objects };
}

const failsForward = (input: JsonObject): boolean =>
  ofKind(input, "OperatorGroup").some(
    (group) => textAt(objectAt(group, "spec"), "upgradeStrategy") === "TechPreviewUnsafeFailForward",
  );

function decide(input: JsonObject): Decision {
  const groups = ofKind(input, "OperatorGroup").length;
  if (groups !== 1) return { kind: "error", text: `expected 1 OperatorGroup in the namespace, found ${groups}` };
  if (namesMissingCatalog(input)) return { kind: "unsatisfiable" };
  const beyond = beyondReference(input);
  if (beyond !== undefined) throw new Error(`no independent answer: the world has ${beyond}`);
  const reference = referenceAnswer(worldOf(withNamedCatalog(input)));
  if (reference.kind === "unsatisfiable") return reference;
  if (reference.kind === "error") throw new Error("no independent answer: the naive resolver refuses the world");
  return {
    kind: "resolved",
    chosen: reference.chosen.map((entry) => {
      const [catalog = "", namespace = "", channel = "", name = ""] = entry.replace(/>.*$/, "").split("/");
      return chosenOf(input, { name: catalog, namespace }, channel, name);
    }),
  };
}

function chosenOf(
  input: JsonObject,
  catalog: { readonly name: string; readonly namespace: string },
  channel: string,
  name: string,
): Chosen {
  const source = items(listAt(input, "catalogs")).find(
    (held) => textAt(held, "name") === catalog.name && textAt(held, "namespace") === catalog.namespace,
  );
  const blob = items(listAt(source ?? {}, "fbc")).find(
    (held) => held["schema"] === "olm.bundle" && textAt(held, "name") === name,
  );
  const packageName = textAt(blob ?? {}, "package");
  const wantedBy = ofKind(input, "Subscription").filter((subscription) => {
    const spec = objectAt(subscription, "spec");
    return (
      textAt(spec, "name") === packageName &&
      ["", channel].includes(textAt(spec, "channel")) &&
      (textAt(spec, "source") + textAt(spec, "sourceNamespace") === "" ||
        (textAt(spec, "source") === catalog.name && textAt(spec, "sourceNamespace") === catalog.namespace))
    );
  });
  return { name, packageName, channel, catalog: `${catalog.name}-${catalog.namespace}`, wantedBy };
}

/** A Subscription as answers show it. */
function shownBefore(subscription: JsonObject): JsonObject {
  const status = objectAt(subscription, "status");
  const given = (name: string): JsonObject => (textAt(status, name) === "" ? {} : { [name]: textAt(status, name) });
  const generation = member(status, "installPlanGeneration");
  const plan = textAt(objectAt(status, "installPlanRef"), "name");
  return {
    conditions: items(listAt(status, "conditions")).map((held) =>
      condition(textAt(held, "type"), textAt(held, "reason"), textAt(held, "message"), textAt(held, "status")),
    ),
    ...given("currentCSV"),
    ...given("installedCSV"),
    ...given("state"),
    ...(typeof generation === "number" && generation > 0 ? { installPlanGeneration: generation } : {}),
    ...(plan === "" ? {} : { installPlan: plan }),
  };
}

/** With the members in the order by which answers sort their conditions. */
const condition = (type: string, reason: string, message = "", status = "True"): JsonObject => ({
  message,
  reason,
  status,
  type,
});

/** The state of a Subscription by its plan and by whether its current CSV exists. */
export function judged(input: JsonObject, subscription: JsonObject): JsonObject {
  const plans = ofKind(input, "InstallPlan");
  const pending = (plan: JsonObject | undefined): string =>
    failsForward(input) && textAt(objectAt(plan ?? {}, "status"), "phase") === "Failed"
      ? "UpgradeFailed"
      : "UpgradePending";
  const before = shownBefore(subscription);
  const generatedBy = textAt(objectAt(objectAt(subscription, "metadata"), "annotations"), "olm.generated-by");
  const generator = plans.find((plan) => nameOf(plan) === generatedBy);
  const startingCSV = textAt(objectAt(subscription, "spec"), "startingCSV");
  const generation = member(objectAt(generator ?? {}, "spec"), "generation");
  const status =
    before["installPlan"] !== undefined || generator === undefined
      ? before
      : {
          ...before,
          installPlan: generatedBy,
          state: pending(generator),
          ...(startingCSV === "" ? {} : { currentCSV: startingCSV }),
          ...(generation === undefined ? {} : { installPlanGeneration: generation }),
        };
  const currentCSV = textAt(status, "currentCSV");
  if (currentCSV === "") return status;
  return ofKind(input, "ClusterServiceVersion").some((csv) => nameOf(csv) === currentCSV)
    ? { ...status, state: "AtLatestKnown", installedCSV: currentCSV }
    : { ...status, state: pending(plans.find((plan) => nameOf(plan) === status["installPlan"])) };
}

const resolutionConditions = ["ResolutionFailed", "BundleUnpacking", "BundleUnpackFailed"] as const;

/** Every Subscription without the conditions that are named, and with the one that is given. */
function withCondition(
  shown: ReadonlyMap<string, JsonObject>,
  gone: readonly string[],
  added?: JsonObject,
): Map<string, JsonObject> {
  const types = [...gone, ...(added === undefined ? [] : [textAt(added, "type")])];
  return new Map(
    [...shown].map(([name, status]) => {
      const kept = items(listAt(status, "conditions")).filter((held) => !types.includes(textAt(held, "type")));
      return [name, { ...status, conditions: added === undefined ? kept : [...kept, added] }];
    }),
  );
}

/**
 * The answer to a case of `op: namespace`.
 * @param plans the InstallPlans that OLM left, which its pass did not touch
 */
export function namespaceAfterPass(input: JsonObject, plans: readonly JsonValue[]): JsonObject {
  const subscriptions = ofKind(input, "Subscription");
  const shown = new Map(subscriptions.map((subscription) => [nameOf(subscription), judged(input, subscription)]));
  const answer = (
    statuses: ReadonlyMap<string, JsonObject>,
    more: { readonly error?: string; readonly requeue?: number; readonly plan?: JsonObject } = {},
  ): JsonObject => ({
    error: more.error ?? null,
    installPlans: [...items(plans), ...(more.plan === undefined ? [] : [more.plan])].toSorted(byJson),
    requeueSeconds: more.requeue === undefined ? [] : [more.requeue],
    subscriptions: Object.fromEntries(
      [...statuses].map(([name, status]) => [
        name,
        { ...status, conditions: items(listAt(status, "conditions")).toSorted(byJson) },
      ]),
    ),
  });
  const moved = subscriptions.some((subscription) => {
    const [before, after] = [shownBefore(subscription), shown.get(nameOf(subscription))];
    return JSON.stringify({ ...before, ...after }) !== JSON.stringify(before);
  });
  const waits = (status: JsonObject): boolean =>
    status["state"] === "UpgradePending" && status["installPlan"] !== undefined;
  if (moved || [...shown.values()].every(waits)) return answer(shown);
  const decision = decide(input);
  if (decision.kind === "unsatisfiable")
    return answer(
      withCondition(
        shown,
        [],
        condition("ResolutionFailed", "ConstraintsNotSatisfiable", "constraints not satisfiable: "),
      ),
    );
  if (decision.kind === "error")
    return answer(withCondition(shown, [], condition("ResolutionFailed", "ErrorPreventedResolution", decision.text)), {
      error: decision.text,
    });
  const installed = ofKind(input, "ClusterServiceVersion").map(nameOf);
  const fresh = decision.chosen.filter(
    ({ name, wantedBy }) =>
      wantedBy.length === 0 ||
      !installed.includes(name) ||
      wantedBy.some((subscription) => shown.get(nameOf(subscription))?.["currentCSV"] !== name),
  );
  const stateOf = ({ name }: Chosen): string => textAt(objectAt(objectAt(input, "unpack"), name), "state");
  const failing = fresh.find((chosen) => !["done", "pending"].includes(stateOf(chosen)));
  if (failing !== undefined) {
    const reason = stateOf(failing) === "fatal" ? "ErrorPreventedUnpacking" : "BundleUnpackFailed";
    const others = ["ResolutionFailed", "BundleUnpacking"];
    return answer(withCondition(shown, others, condition("BundleUnpackFailed", reason)), { requeue: 300 });
  }
  if (fresh.some((chosen) => stateOf(chosen) === "pending"))
    return answer(withCondition(shown, ["ResolutionFailed"], condition("BundleUnpacking", "UnpackingInProgress")), {
      requeue: 5,
    });
  const cleared = withCondition(shown, resolutionConditions);
  const updated = fresh.flatMap(({ name, wantedBy }) =>
    wantedBy
      .filter((subscription) => shown.get(nameOf(subscription))?.["currentCSV"] !== name)
      .map((subscription) => [nameOf(subscription), name] as const),
  );
  if (updated.length === 0) return answer(cleared);
  const plan = planFor(input, fresh);
  for (const [name, currentCSV] of updated)
    cleared.set(name, {
      ...cleared.get(name),
      currentCSV,
      state: "UpgradePending",
      installPlanGeneration: plan["generation"],
      installPlan: plan["name"],
    });
  return answer(cleared, { plan });
}

/** The plan that brings what is new, as answers show it. */
function planFor(input: JsonObject, fresh: readonly Chosen[]): JsonObject {
  const subscriptions = ofKind(input, "Subscription");
  const generations = [
    ...subscriptions.map((subscription) => member(objectAt(subscription, "status"), "installPlanGeneration")),
    ...ofKind(input, "InstallPlan").map((plan) => member(objectAt(plan, "spec"), "generation")),
  ];
  const isManual = subscriptions.some(
    (subscription) => textAt(objectAt(subscription, "spec"), "installPlanApproval") === "Manual",
  );
  const steps = fresh.flatMap(({ name, packageName, channel, catalog, wantedBy }) => [
    `ClusterServiceVersion ${name}`,
    ...(wantedBy.length > 0 ? [] : [`Subscription ${packageName}-${channel}-${catalog}`]),
  ]);
  return {
    name: "install-xxxxx",
    approval: isManual ? "Manual" : "Automatic",
    approved: !isManual,
    generation: 1 + Math.max(0, ...generations.map((generation) => Number(generation ?? 0))),
    csvNames: fresh.map(({ name }) => name),
    phase: isManual ? "RequiresApproval" : "Installing",
    steps: steps.toSorted(),
    lookups: fresh.map(({ name }) => `${name} []`),
    owners: subscriptions.map(nameOf).toSorted(),
  };
}
