import { findCondition, withCondition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { configMaps } from "@purser/kubernetes/apis/resources";
import { formatTime } from "@purser/kubernetes/clock";
import { plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import type { Result } from "@purser/kubernetes/result";
import type { CatalogSource, CatalogSourceReason, CatalogSourceStatus } from "../../../../apis/v0/catalog-source.ts";
import { type ContentState, problemText } from "../../../../catalog/content.ts";
import type { PackageFault } from "../../../../catalog/catalog-index.ts";
import { faultyPackagesNews, withFaultyPackages } from "../../../plan/faulty-packages.ts";
import { failureText, isSameFailure } from "../../../../catalog/failure-text.ts";
import { withSignature } from "../../../plan/signature-condition.ts";
import { configMapReference, connectionDue, ownedConfigMap } from "./config-map-reference.ts";
import { imageTemplateAnnotation, resolveTemplate, withTemplate } from "./image-template.ts";
import { pollInterval } from "./poll-interval.ts";
import { servedByStatus } from "./served-by-status.ts";

export interface CatalogSourceWorld {
  readonly source: CatalogSource;
  /** The state of the content; the problem is OLM's text for an invalid spec. */
  readonly content: Result<ContentState, string>;
  /** Packages of the readable content that cannot be used; absent while nothing can be read. */
  readonly faults?: readonly PackageFault[];
  /** When the image was last polled; epoch milliseconds. */
  readonly polledAt?: number;
  /** Only where the spec names a ConfigMap: the object, or `missing`. */
  readonly configMap?: KubeObject | "missing";
  /** The API server's `gitVersion`; undefined when it does not answer, or when no template asks for it. */
  readonly kubeVersion?: string;
}

interface Warning {
  readonly reason: string;
  readonly message: string;
}

export type CatalogSourceAction =
  | {
      readonly kind: "status";
      readonly status: CatalogSourceStatus;
      /** Events for what is wrong now and was not, or was otherwise. */
      readonly warnings: readonly Warning[];
    }
  /** The image that the template of the CatalogSource came to. */
  | { readonly kind: "image"; readonly image: string }
  /** Writes label and owner of the ConfigMap. */
  | { readonly kind: "own"; readonly configMap: KubeObject };

/** How the write of the owner ended. */
export type CatalogSourceOutcome =
  | { readonly kind: "owned"; readonly configMap: KubeObject }
  | { readonly kind: "ownerRefused"; readonly message: string };

/** The status of a CatalogSource: the state of its content in OLM's fields and as a condition. */
export function planCatalogSource(world: CatalogSourceWorld | undefined, now: number): Plan<CatalogSourceAction> {
  if (world === undefined || world.source.metadata.deletionTimestamp !== undefined) return { actions: [] };
  const { source, configMap } = world;
  const owned = configMap === undefined || configMap === "missing" ? undefined : ownedConfigMap(configMap, source);
  if (owned !== undefined) return { actions: [{ kind: "own", configMap: owned }], watches: [configMaps] };
  return statusPlan(world, now, undefined);
}

/** The status after the write of the owner, which OLM reports before anything else about the content. */
export function afterOwning(
  world: CatalogSourceWorld | undefined,
  outcome: CatalogSourceOutcome,
  now: number,
): Plan<CatalogSourceAction> {
  if (world === undefined) return { actions: [] };
  if (outcome.kind === "owned") return statusPlan({ ...world, configMap: outcome.configMap }, now, undefined);
  const message = `unable to write owner onto catalog source configmap - ${outcome.message}`;
  return { ...statusPlan(world, now, { reason: "ConfigMapError", message }), retry: message };
}

interface Failure {
  readonly reason: CatalogSourceReason;
  readonly message: string;
}

function statusPlan(world: CatalogSourceWorld, now: number, failure: Failure | undefined): Plan<CatalogSourceAction> {
  const { source, configMap, kubeVersion } = world;
  const template = resolveTemplate(source.metadata.annotations?.[imageTemplateAnnotation], kubeVersion);
  const conditions = withTemplate(source.status?.conditions, template, formatTime(now));
  const held = conditions === undefined ? {} : { status: { ...source.status, conditions } };
  const image: readonly CatalogSourceAction[] =
    template.kind === "resolved" && template.image !== source.spec.image
      ? [{ kind: "image", image: template.image }]
      : [];
  const wakes = configMap === undefined ? {} : { watches: [configMaps] };
  const shown = statusOf({ ...world, source: { ...source, ...held } }, now, failure ?? missingConfigMap(world));
  const due = connectionDue(shown, now);
  const connected = due.kind === "now" ? { ...shown, connectionState: due.connection } : shown;
  const status = withFaults(connected, world, now);
  const end = due.kind === "later" ? { ...wakes, recheckAfterMs: due.afterMs } : wakes;
  if (deepEqual(plainJson(status), plainJson(source.status ?? {}))) return { actions: image, ...end };
  const faulty = faultyPackagesNews(source.status?.conditions, status.conditions);
  const shownBefore = wrongIn(source.status ?? {});
  const failures = wrongIn(status).filter(
    ({ message }) => !shownBefore.some((before) => isSameFailure(message, before.message)),
  );
  const warnings =
    failures.length > 0 || faulty === undefined ? failures : [{ reason: "CatalogInvalid", message: faulty }];
  return { actions: [{ kind: "status", status, warnings }, ...image], ...end };
}

/** What a status says is wrong: in its message, and in `Stalled` where the message tells of something else. */
function wrongIn({ message, reason, conditions }: CatalogSourceStatus): readonly Warning[] {
  const stalled = findCondition(conditions, "Stalled");
  return [
    ...(message === undefined ? [] : [{ reason: reason ?? "CatalogUnavailable", message }]),
    ...(stalled?.status === "True" && stalled.message !== message ? [stalled] : []),
  ];
}

function withFaults(
  status: CatalogSourceStatus,
  { source, faults }: CatalogSourceWorld,
  now: number,
): CatalogSourceStatus {
  const { conditions = [] } = status;
  const shown = withFaultyPackages(conditions, faults, source.metadata.generation ?? 0, formatTime(now));
  return shown === conditions ? status : { ...status, conditions: shown };
}

function missingConfigMap({ source, content, configMap }: CatalogSourceWorld): Failure | undefined {
  if (configMap !== "missing" || !content.ok) return undefined;
  const { configMap: name = "" } = source.spec;
  const remedy = `Create the ConfigMap ${name} in namespace ${source.metadata.namespace}, or correct spec.configMap.`;
  const cause = `failed to get catalog config map ${name}: configmaps "${name}" not found`;
  return { reason: "ConfigMapError", message: problemText({ cause, remedy }) };
}

/** How long a first read leaves the status unchanged: a process that has just started reads again the content that the former one served. */
const patienceMs = 15_000;

function statusOf(
  { source, content: asked, configMap, polledAt }: CatalogSourceWorld,
  now: number,
  ownFailure: Failure | undefined,
): CatalogSourceStatus {
  const time = formatTime(now);
  const held = source.status ?? {};
  const observedGeneration = source.metadata.generation ?? 0;
  const { message: _message, reason: _reason, ...before } = held;
  const base = asked.ok
    ? {
        ...before,
        // Present as soon as the content is wanted: OLM's clients take a CatalogSource without it for not ready.
        registryService: held.registryService ?? ({ createdAt: time, protocol: "grpc" } as const),
        ...configMapReference(held, configMap, time),
        ...(polledAt === undefined ? {} : { latestImageRegistryPoll: formatTime(polledAt) }),
      }
    : before;
  const show = (
    ready: "True" | "False",
    reason: string,
    text: string,
    contentFailure: Failure | undefined,
    connection: CatalogSourceStatus["connectionState"],
  ): CatalogSourceStatus => {
    const failure = ownFailure ?? contentFailure;
    const { problem } = pollInterval(source.spec) ?? {};
    const badInterval =
      problem === undefined ? undefined : { reason: "InvalidIntervalError" as const, message: problem };
    const isSame =
      held.connectionState?.lastObservedState === connection?.lastObservedState &&
      held.connectionState?.address === connection?.address &&
      // A bare address says nothing about the content behind it.
      (ready === "False" || text.startsWith(`serving ${servedByStatus(held)?.text}`));
    return {
      ...base,
      // As with OLM the interval hides why an image cannot be pulled, which the conditions show; it stalls nothing.
      ...(ownFailure ?? (asked.ok ? badInterval : undefined) ?? contentFailure),
      ...(connection === undefined ? {} : { connectionState: isSame ? held.connectionState : connection }),
      conditions: withSignature(
        withCondition(
          withCondition(
            held.conditions,
            { type: "Ready", status: ready, reason, message: text, observedGeneration },
            time,
          ),
          {
            type: "Stalled",
            status: failure === undefined ? "False" : "True",
            reason: failure === undefined ? "Serving" : failure.reason || "Failed",
            message: failure?.message ?? "",
            observedGeneration,
          },
          time,
        ),
        `image ${namedContent(source)}`,
        asked.ok ? asked.value : undefined,
        { observedGeneration, time },
      ),
    };
  };
  if (!asked.ok)
    return show(
      "False",
      "SpecInvalid",
      asked.problem,
      { reason: "SpecInvalidError", message: asked.problem },
      undefined,
    );
  const content = asked.value;
  const named = namedContent(source);
  const isAddress = (source.spec.image ?? "") === "" && source.spec.sourceType === "grpc";
  const shown = servedByStatus(held)?.text ?? held.connectionState?.address ?? "";
  /** OLM's clients expect the address of a server as it was dialled, and its state whatever is served meanwhile. */
  const connected = (served: string, state: "READY" | "TRANSIENT_FAILURE") => ({
    address: isAddress ? named : served,
    lastObservedState: isAddress ? state : "READY",
    lastConnect: time,
  });
  const at = (digest: string): string => (named.endsWith(`@${digest}`) ? named : `${named}@${digest}`);
  /** Last good content keeps its address, even when the spec names another one now. */
  const serving = (digest: string): string => (shown.endsWith(`@${digest}`) ? shown : at(digest));
  const unavailable = { address: named, lastConnect: time } as const;
  switch (content.kind) {
    case "pending": {
      const { lastGood, since } = content;
      const isFresh = now - since < patienceMs && (shown === named || shown.startsWith(`${named}@`));
      const isServing = lastGood !== undefined && shown.endsWith(`@${lastGood}`);
      if (
        (isFresh || isServing) &&
        findCondition(held.conditions, "Ready")?.status === "True" &&
        ownFailure === undefined
      )
        return held;
      if (lastGood === undefined)
        return show("False", "Pulling", `reading ${named}`, undefined, {
          ...unavailable,
          lastObservedState: "CONNECTING",
        });
      const served = serving(lastGood);
      return show("True", "Serving", `serving ${served}`, undefined, connected(served, "READY"));
    }
    case "ready": {
      const served = at(content.digest);
      return show("True", "Serving", `serving ${served}`, undefined, connected(served, "READY"));
    }
    case "failing":
    case "refused": {
      const prefix = content.code === undefined ? "" : `${content.code}: `;
      const message = `${prefix}${failureText(content)}`;
      const failure = { reason: "RegistryServerError", message } as const;
      const { lastGood } = content;
      if (lastGood === undefined)
        return show("False", "Unavailable", message, failure, {
          ...unavailable,
          lastObservedState: "TRANSIENT_FAILURE",
        });
      const served = serving(lastGood);
      const text = `serving ${served}; newer content is refused: ${message}`;
      return show("True", "ServingLastGood", text, failure, connected(served, "TRANSIENT_FAILURE"));
    }
  }
}

/** The image, address or `namespace/name` of the ConfigMap that the spec names. */
function namedContent({ metadata, spec: { image = "", address = "", configMap = "" } }: CatalogSource): string {
  if (image !== "") return image;
  return address === "" ? `${metadata.namespace}/${configMap}` : address;
}
