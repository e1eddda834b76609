import type { Namespace } from "@purser/kubernetes/apis/core";
import type { InstallMode } from "../../../src/apis/v0/cluster-service-version.ts";
import { providedApisAnnotation } from "../../../src/apis/v0/labels.ts";
import type { OperatorGroup } from "../../../src/apis/v0/operator-group.ts";
import { membership } from "../../../src/controllers/v0/cluster-service-version/plan/gate.ts";
import {
  duplicateModes,
  supportsTargets,
} from "../../../src/controllers/v0/cluster-service-version/plan/install-mode.ts";
import {
  decideProvidedApis,
  formatProvidedApis,
  groupSurface,
  intersectingGroups,
  parseProvidedApis,
} from "../../../src/controllers/v0/cluster-service-version/plan/provided-api.ts";
import {
  commonNamespaces,
  containsNamespace,
  isEveryNamespace,
  movedNamespaces,
  targetsChanged,
  unitedNamespaces,
} from "../../../src/controllers/v0/operator-group/plan/namespace-set.ts";
import {
  aggregatedLabels,
  groupRole,
  resolveTargets,
} from "../../../src/controllers/v0/operator-group/plan/plan-operator-group.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { namespaceSelectorOf } from "../../../src/rollout/plan/strategy/csv-webhooks.ts";
import { firstDifference } from "../../compare.ts";
import type { Suite } from "../../suite.ts";
import { answer } from "../../suite.ts";
import { listAt, objectAt, textAt } from "../bundle-directory.ts";
import { observeCase, passOver, shownPhase } from "./csv-pass.ts";

const asJson = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
const textsAt = (input: JsonObject, key: string): readonly string[] =>
  listAt(input, key).filter((item) => typeof item === "string");
const groupAt = (input: JsonObject): OperatorGroup => objectAt(input, "group") as unknown as OperatorGroup;

function apiSets(input: JsonObject): JsonObject {
  const [a, b] = [parseProvidedApis(textAt(input, "a")), parseProvidedApis(textAt(input, "b"))];
  return {
    a: formatProvidedApis(a),
    b: formatProvidedApis(b),
    union: formatProvidedApis([...a, ...b]),
    intersection: formatProvidedApis(a.filter((api) => b.includes(api))),
    difference: formatProvidedApis(a.filter((api) => !b.includes(api))),
    subset: a.every((api) => b.includes(api)),
  };
}

function namespaceSets(input: JsonObject): JsonObject {
  const [a, b] = [textsAt(input, "a"), textsAt(input, "b")];
  return {
    intersection: commonNamespaces(a, b),
    union: unitedNamespaces(a, b),
    all: isEveryNamespace(a),
    contains: b.map((name) => containsNamespace(a, name)),
    changed: targetsChanged(a, b),
    addedOrRemoved: movedNamespaces(a, b),
  };
}

const decisions = { add: "AddAPIs", remove: "RemoveAPIs", conflict: "APIConflict", none: "NoAPIConflict" } as const;

function decision(input: JsonObject): JsonObject {
  const group = groupAt(input);
  const others = listAt(input, "others") as unknown as readonly OperatorGroup[];
  const intersecting = intersectingGroups(group, others);
  return {
    decision: decisions[decideProvidedApis(parseProvidedApis(textAt(input, "add")), group, others)],
    intersecting: intersecting.map(({ metadata }) => `${metadata.name}/${metadata.namespace}`).sort(),
    targets: [...new Set(groupSurface(group))].sort(),
    provided: formatProvidedApis(parseProvidedApis(group.metadata.annotations?.[providedApisAnnotation])),
  };
}

/** What is left on an object, without the annotations that are removed. */
const annotationsOf = (wanted: ReturnType<typeof membership>): JsonObject =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== null));

function targets(input: JsonObject): JsonObject {
  const group = groupAt(input);
  const resolved = resolveTargets(group, listAt(input, "namespaces") as unknown as readonly Namespace[]);
  if (!resolved.ok) return { error: resolved.problem, targets: [] };
  const selector = namespaceSelectorOf(group);
  return {
    error: null,
    targets: resolved.value,
    annotations: annotationsOf(membership({ ...group, status: { namespaces: resolved.value, lastUpdated: "" } })),
    webhookSelector: selector.ok ? asJson(selector.value) : null,
    webhookSelectorError: selector.ok ? null : selector.problem,
  };
}

function installModes(input: JsonObject): JsonObject {
  const modes = listAt(input, "installModes") as unknown as readonly InstallMode[];
  const duplicates = duplicateModes(modes);
  if (duplicates !== undefined) return { error: duplicates };
  const supported = supportsTargets(modes, textAt(input, "operatorNamespace"), textsAt(input, "targets"));
  return { error: supported.ok ? null : supported.problem };
}

function clusterRoles(input: JsonObject): JsonObject {
  const group = groupAt(input);
  const apis = parseProvidedApis(textAt(input, "apis"));
  return Object.fromEntries(
    (["admin", "edit", "view"] as const).map((suffix) => {
      const { metadata, aggregationRule } = groupRole(group, suffix, aggregatedLabels(apis));
      const selectors = (aggregationRule?.clusterRoleSelectors ?? []).flatMap(({ matchLabels = {} }) =>
        Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
      );
      return [suffix, { name: metadata.name ?? "", selectors }];
    }),
  );
}

async function gate(input: JsonObject): Promise<JsonObject> {
  const { status, annotations, groups, deleted, error } = passOver(await observeCase(input));
  return {
    csv: shownPhase(status),
    annotations: Object.keys(annotations).length === 0 ? null : annotations,
    groups,
    deleted,
    error,
  };
}

export const suite: Suite = {
  name: "v0-operator-group",
  differences: {
    "an empty selection is not annotated as every namespace": ({ input, expect }, value) => {
      const { "olm.targetNamespaces": targets, ...annotations } = objectAt(expect, "annotations");
      return (
        textAt(input, "op") === "targets" &&
        textsAt(expect, "targets").length === 0 &&
        targets === "" &&
        firstDifference({ ...expect, annotations }, value) === undefined
      );
    },
    "a name listed twice": ({ input, expect }, value) => {
      const [a, b] = [textsAt(input, "a"), textsAt(input, "b")];
      const moved = [...a.filter((name) => !b.includes(name)), ...b.filter((name) => !a.includes(name))];
      // The empty text among others is no namespace.
      const addedOrRemoved = [...new Set(moved)].filter((name) => name !== "").toSorted();
      return (
        textAt(input, "op") === "namespaceSets" &&
        new Set([...a, ...b]).size < a.length + b.length &&
        firstDifference({ ...expect, changed: moved.length > 0, addedOrRemoved }, value) === undefined
      );
    },
  },
  async run({ input }) {
    const op = textAt(input, "op");
    switch (op) {
      case "apiSets":
        return answer(apiSets(input));
      case "namespaceSets":
        return answer(namespaceSets(input));
      case "decision":
        return answer(decision(input));
      case "targets":
        return answer(targets(input));
      case "installModes":
        return answer(installModes(input));
      case "clusterRoles":
        return answer(clusterRoles(input));
      case "gate":
        return answer(await gate(input));
      default:
        throw new Error(`unknown op ${op}`);
    }
  },
};
