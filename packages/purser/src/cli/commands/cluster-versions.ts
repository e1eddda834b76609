import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { Lease } from "@purser/kubernetes/apis/coordination";
import { leaderVersion } from "../../apis/leader-version.ts";
import { isTooOld, oldestKubernetes, type Skew, skewOf, tagOf } from "../../deploy/version-skew.ts";
import { type DefinitionState, definitionState, shownPaths } from "../../engine/doctor/plan/definition-state.ts";
import { counted } from "../../explanation/summary.ts";

/** What follows a version of Purser in the cluster. */
const skewWords: Readonly<Record<Skew, string>> = {
  same: "",
  supported: ": one minor version apart from this purser, which is supported",
  unknown: "",
  unsupported: ": more than one minor version apart from this purser",
};

interface Controllers {
  /** `NAMESPACE/NAME`. */
  readonly deployment: string;
  /** The tag of the image, else the image. */
  readonly version: string;
  readonly skew: Skew;
}

export interface Leader {
  /** `NAMESPACE/NAME`. */
  readonly lease: string;
  readonly holder: string;
  /** Absent when the process did not record it. */
  readonly version?: string;
  readonly skew: Skew;
}

export interface Definition {
  readonly name: string;
  readonly state: "same" | "absent" | "notServed" | "older" | "newer";
  /** What differs. */
  readonly difference?: string;
  /** The version in which the cluster writes objects, and all in which it may still hold some. */
  readonly stored?: string;
  readonly storedVersions?: readonly string[];
  /** The version in which this purser's definition writes them. */
  readonly wanted: string;
}

export interface ClusterVersions {
  readonly kubernetes: string;
  /** Absent where the user may not read them, as the next two. */
  readonly controllers?: readonly Controllers[];
  readonly leaders?: readonly Leader[];
  readonly definitions?: readonly Definition[];
}

/** One line each for Kubernetes, Deployments, leaders and all definitions, then one for each definition that differs. */
export function linesOf({ kubernetes, controllers, leaders, definitions }: ClusterVersions): readonly string[] {
  return [
    `Kubernetes ${kubernetes}${isTooOld(kubernetes) ? `: older than ${oldestKubernetes}, which Purser needs` : ""}`,
    ...(controllers ?? ["controllers unknown: Deployments cannot be listed by this user"]).map((one) =>
      typeof one === "string" ? one : `controllers ${one.version} (Deployment ${one.deployment})${skewWords[one.skew]}`,
    ),
    ...(leaders?.length === 0 ? ["leader none; `purser up` works without one"] : []),
    ...(leaders ?? []).map(
      ({ holder, lease, version = "of an unknown version", skew }) =>
        `leader ${version} (${holder}, Lease ${lease})${skewWords[skew]}`,
    ),
    ...definitionLines(definitions),
  ];
}

function definitionLines(definitions: readonly Definition[] | undefined): readonly string[] {
  if (definitions === undefined) return ["definitions unknown: CustomResourceDefinitions cannot be read by this user"];
  const all = counted(definitions.length, "CustomResourceDefinition");
  if (definitions.every(({ state }) => state === "absent")) return [`definitions none of ${all}`];
  const others = definitions.filter((one) => one.state !== "same" || isStoredOtherwise(one));
  return [
    `definitions ${definitions.length - others.length} of ${all} as in this purser`,
    ...others.map((one) => `  ${one.name}: ${differenceOf(one)}`),
  ];
}

const isStoredOtherwise = ({ storedVersions = [], wanted }: Definition): boolean =>
  storedVersions.some((version) => version !== wanted);

function differenceOf(one: Definition): string {
  const { difference, storedVersions = [], wanted } = one;
  const stored = isStoredOtherwise(one) ? `stored as ${storedVersions.join(" and ")}, here ${wanted}` : undefined;
  return [difference, stored].filter((part) => part !== undefined).join("; ");
}

/** Purser in these Deployments, beside the version `own` of this program. */
export const controllersOf = (found: readonly Deployment[], own: string): readonly Controllers[] =>
  found.flatMap(({ metadata: { namespace = "", name = "" }, spec }) =>
    (spec?.template.spec?.containers ?? []).map(({ image = "" }) => {
      const version = tagOf(image) ?? image;
      return { deployment: `${namespace}/${name}`, version, skew: skewOf(own, version) };
    }),
  );

/** Others take a Lease over within this time, also on a busy machine. */
const takeoverMs = 15_000;

/** Who holds the Lease; undefined when nobody does, or it ended. `now`: epoch milliseconds. */
export function leaderOf(lease: Lease, own: string, now: number): Leader | undefined {
  const { namespace = "", name = "" } = lease.metadata;
  const { holderIdentity: holder = "", renewTime = "", leaseDurationSeconds = 0 } = lease.spec ?? {};
  if (holder === "" || Date.parse(renewTime) + leaseDurationSeconds * 1000 + takeoverMs < now) return undefined;
  const version = leaderVersion(lease);
  const skew = version === undefined ? "unknown" : skewOf(own, version);
  return { lease: `${namespace}/${name}`, holder, ...(version === undefined ? {} : { version }), skew };
}

const storageOf = ({ spec }: CustomResourceDefinition): string =>
  spec.versions.find(({ storage }) => storage)?.name ?? "";

/** The definition of the cluster beside the one that this program comes with. */
export function definitionOf(wanted: CustomResourceDefinition, live: CustomResourceDefinition | undefined): Definition {
  const state = definitionState(wanted, live);
  const difference = differenceIn(state);
  return {
    name: wanted.metadata.name ?? "",
    state: state.kind,
    ...(difference === undefined ? {} : { difference }),
    ...(live === undefined ? {} : { stored: storageOf(live), storedVersions: live.status?.storedVersions ?? [] }),
    wanted: storageOf(wanted),
  };
}

function differenceIn(state: DefinitionState): string | undefined {
  switch (state.kind) {
    case "same":
      return undefined;
    case "absent":
      return "does not exist";
    case "notServed":
      return `is not served${state.why === undefined ? "" : `: ${state.why}`}`;
    case "older":
      return `is older: it lacks ${shownPaths(state.lacks)}`;
    case "newer":
      return `is newer: it has ${shownPaths(state.has)}`;
  }
}
