// Worlds of one extension, `ext`, for tables of what it shows.
import { digestOf } from "@purser/kubernetes/digest";
import type { JsonObject } from "@purser/kubernetes/json";
import { done } from "@purser/kubernetes/result";
import type { Condition } from "@purser/kubernetes/apis/condition";
import type { Plan } from "@purser/kubernetes/kube/plan";
import type { ClusterExtension, ClusterExtensionSpec } from "../../../../../apis/v1/cluster-extension.ts";
import type { ClusterObjectSet } from "../../../../../apis/v1/cluster-object-set.ts";
import type { ExtensionAction } from "../plan-extension.ts";
import { extensionFinalizers } from "../../../../../apis/v1/labels.ts";
import { revisionStates, type RevisionBundle } from "../revision-state.ts";
import type { ExtensionDecision, ExtensionWorld, WantedBundle } from "../world.ts";

export const now = Date.parse("2026-01-01T00:00:00Z");

export const bundleOf = (version: string): RevisionBundle => ({
  name: `op.v${version}`,
  version,
  packageName: "op",
  image: `example.com/op:${version}`,
});

export function extensionOf(spec: Partial<ClusterExtensionSpec> = {}): ClusterExtension {
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name: "ext", uid: "uid-ext", generation: 3, finalizers: extensionFinalizers },
    spec: { namespace: "ns", source: { sourceType: "Catalog", catalog: { packageName: "op" } }, ...spec },
  };
}

/** A revision of `ext` whose conditions are `TYPE=STATUS REASON: MESSAGE`. */
export function revisionOf(number: number, version: string, ...shown: readonly string[]): ClusterObjectSet {
  const { name, image, packageName } = bundleOf(version);
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    metadata: {
      name: `ext-${number}`,
      uid: `uid-${number}`,
      annotations: {
        "olm.operatorframework.io/bundle-name": name,
        "olm.operatorframework.io/bundle-version": version,
        "olm.operatorframework.io/bundle-reference": image,
        "olm.operatorframework.io/package-name": packageName,
      },
    },
    spec: { lifecycleState: "Active", revision: number, collisionProtection: "Prevent" },
    status: { conditions: shown.map(conditionOf) },
  };
}

function conditionOf(text: string): Condition {
  const [, type = "", status, reason = "", message = ""] = /^(\w+)=(\w+) (\w+): (.*)$/s.exec(text) ?? [];
  return { type, status: status as Condition["status"], reason, message, lastTransitionTime: "" };
}

export function worldOf(
  decision: ExtensionDecision,
  {
    extension = extensionOf(),
    revisions = [],
    missing = [],
  }: Partial<Pick<ExtensionWorld, "extension" | "revisions" | "missing">> = {},
): ExtensionWorld {
  return { extension, revisions, states: revisionStates(revisions), decision, deprecation: undefined, missing };
}

export function rendering(...objects: readonly JsonObject[]): NonNullable<WantedBundle["rendered"]> {
  return done({ kind: "objects", objects, source: { made: digestOf("") } });
}

export function wanting(version: string, rendered?: WantedBundle["rendered"]): ExtensionDecision {
  const content = { kind: "pending", since: 0 } as const;
  return {
    kind: "want",
    wanted: { bundle: bundleOf(version), content, ...(rendered === undefined ? {} : { rendered }) },
  };
}

const leftOut = new Set([
  "Deprecated",
  "PackageDeprecated",
  "ChannelDeprecated",
  "BundleDeprecated",
  "Ready",
  "Reconciling",
  "Stalled",
]);

/** A line per written condition (except deprecations and readiness), bundle, revision and event; then recheck time and retry. */
export function linesOf({ actions, recheckAfterMs, retry }: Plan<ExtensionAction>): readonly string[] {
  const lines = actions.flatMap((action): readonly string[] => {
    if (action.kind === "apply") {
      const { request, checksCrds } = action;
      return [`apply ${request.bundle.name}, ${request.objects.length} objects${checksCrds ? "" : ", unchecked"}`];
    }
    if (action.kind === "keep") return [`keep ${action.revision}`];
    if (action.kind === "finalizers" || action.kind === "pendingPlan") return [action.kind];
    if (action.kind === "adopt") return [`adopt ${action.revision.metadata.name}`];
    if (action.kind === "create") return [`create ${action.extension.metadata.name}`];
    if (action.kind === "rollBack") return [`roll back: ${action.message}`];
    const { conditions, install, activeRevisions = [] } = action.status;
    return [
      ...(conditions ?? []).flatMap(({ type, status, reason, message, observedGeneration }) =>
        leftOut.has(type) ? [] : [`${type}=${status} ${reason}: ${message} (${observedGeneration})`],
      ),
      ...(install === undefined ? [] : [`installed ${install.bundle.name} ${install.bundle.version}`]),
      ...activeRevisions.map(
        ({ name, conditions: shown }) => `active ${[name, ...(shown ?? []).map(({ type }) => type)].join(" ")}`,
      ),
      ...action.events.map(({ type, reason }) => `event ${type} ${reason}`),
    ];
  });
  return [
    ...lines,
    ...(recheckAfterMs === undefined ? [] : [`again after ${recheckAfterMs / 1000} s`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
  ];
}

/** The extension with the status that a plan writes. */
export function after(extension: ClusterExtension, { actions }: Plan<ExtensionAction>): ClusterExtension {
  const [action] = actions;
  return action?.kind === "status" ? { ...extension, status: action.status } : extension;
}
