import { withCondition } from "@purser/kubernetes/apis/condition";
import type { CatalogSource, CatalogSourceReason, CatalogSourceStatus } from "../../../../apis/v0/catalog-source.ts";
import type { ContentState } from "../../../../catalog/content-state.ts";
import { formatTime } from "@purser/kubernetes/clock";
import { plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";

export interface CatalogSourceWorld {
  readonly source: CatalogSource;
  /** Undefined when the source names no image. */
  readonly content: ContentState | undefined;
}

export interface CatalogSourceAction {
  readonly kind: "status";
  readonly status: CatalogSourceStatus;
  /** Told as an event when it is news. */
  readonly warning?: string;
}

/** Upstream's check of the spec; undefined when it names a catalog that can be read. */
export function specProblem({ spec }: CatalogSource): string | undefined {
  const { sourceType } = spec;
  const given = (text: string | undefined): boolean => text !== undefined && text !== "";
  switch (sourceType) {
    case "grpc":
      if (given(spec.image)) return undefined;
      if (given(spec.address))
        return "catalogs that are only given by an address are not read by this version; name the catalog's image in spec.image";
      return "image and address unset: at least one must be set for sourcetype: grpc";
    case "configmap":
    case "internal":
      if (!given(spec.configMap)) return `configmap name unset: must be set for sourcetype: ${sourceType}`;
      return "catalogs in a ConfigMap are not read by this version; put the catalog into an image and use sourceType grpc";
    default:
      return `unknown sourcetype: ${sourceType}`;
  }
}

/** What a CatalogSource shows: where its content stands, in upstream's fields and as the standard conditions. */
export function planCatalogSource(world: CatalogSourceWorld | undefined, now: number): Plan<CatalogSourceAction> {
  if (world === undefined || world.source.metadata.deletionTimestamp !== undefined) return { actions: [] };
  const { source, content } = world;
  const status = statusOf(source, content, now);
  if (deepEqual(plainJson(status), plainJson(source.status ?? {}))) return { actions: [] };
  const news =
    status.message !== undefined && status.message !== source.status?.message ? { warning: status.message } : {};
  return { actions: [{ kind: "status", status, ...news }] };
}

/** Content that was asked for a moment ago. */
function isFresh(content: ContentState | undefined, now: number): boolean {
  return content?.kind === "absent" || (content?.kind === "pulling" && now - content.since < 15_000);
}

function statusOf(source: CatalogSource, content: ContentState | undefined, now: number): CatalogSourceStatus {
  const problem = specProblem(source);
  const time = formatTime(now);
  const held = source.status ?? {};
  const observedGeneration = source.metadata.generation ?? 0;
  const { message: _message, reason: _reason, ...base } = held;
  const show = (
    ready: "True" | "False",
    reason: string,
    text: string,
    failure: { readonly reason: CatalogSourceReason; readonly message: string } | undefined,
    connection: CatalogSourceStatus["connectionState"],
  ): CatalogSourceStatus => ({
    ...base,
    ...failure,
    ...(connection === undefined
      ? {}
      : {
          connectionState:
            held.connectionState?.lastObservedState === connection.lastObservedState &&
            held.connectionState.address === connection.address
              ? held.connectionState
              : connection,
        }),
    conditions: withCondition(
      withCondition(held.conditions, { type: "Ready", status: ready, reason, message: text, observedGeneration }, time),
      {
        type: "Stalled",
        status: failure === undefined ? "False" : "True",
        reason: failure === undefined ? "Serving" : failure.reason || "Failed",
        message: failure?.message ?? "",
        observedGeneration,
      },
      time,
    ),
  });
  if (problem !== undefined)
    return show("False", "SpecInvalid", problem, { reason: "SpecInvalidError", message: problem }, undefined);
  const image = source.spec.image ?? "";
  const serving = (digest: string): string => `${image}@${digest}`;
  switch (content?.kind) {
    case undefined:
    case "absent":
    case "pulling":
      // A process that has just started reads again what the former one served: no news.
      if (isFresh(content, now) && held.connectionState?.address?.startsWith(`${image}@`) === true) return held;
      return show("False", "Pulling", `reading ${image}`, undefined, {
        address: image,
        lastObservedState: "CONNECTING",
        lastConnect: time,
      });
    case "present":
      return show("True", "Serving", `serving ${serving(content.digest)}`, undefined, {
        address: serving(content.digest),
        lastObservedState: "READY",
        lastConnect: time,
      });
    case "failed": {
      const message = content.remedy === undefined ? content.cause : `${content.cause}; ${content.remedy}`;
      const failure = { reason: "RegistryServerError", message } as const;
      if (content.lastGood === undefined)
        return show("False", "Unavailable", message, failure, {
          address: image,
          lastObservedState: "TRANSIENT_FAILURE",
          lastConnect: time,
        });
      return show(
        "True",
        "ServingLastGood",
        `serving ${serving(content.lastGood)}; newer content is refused: ${message}`,
        failure,
        {
          address: serving(content.lastGood),
          lastObservedState: "READY",
          lastConnect: time,
        },
      );
    }
  }
}
