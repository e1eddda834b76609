import { findCondition, withCondition } from "@purser/kubernetes/apis/condition";
import type { CatalogSource, CatalogSourceReason, CatalogSourceStatus } from "../../../../apis/v0/catalog-source.ts";
import { type ContentState, problemText } from "../../../../catalog/content.ts";
import { formatTime } from "@purser/kubernetes/clock";
import { plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import type { Result } from "@purser/kubernetes/result";
import { imageTemplateAnnotation, resolveTemplate, withTemplate } from "./image-template.ts";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";

export interface CatalogSourceWorld {
  readonly source: CatalogSource;
  /** The state of the content; the problem is OLM's text for an invalid spec. */
  readonly content: Result<ContentState, string>;
  /** The API server's `gitVersion`; undefined when it does not answer, or when no template asks for it. */
  readonly kubeVersion?: string;
}

export type CatalogSourceAction =
  | {
      readonly kind: "status";
      readonly status: CatalogSourceStatus;
      /** Text of a warning event; set when the message changed. */
      readonly warning?: string;
    }
  /** The image that the template of the CatalogSource came to. */
  | { readonly kind: "image"; readonly image: string };

/** The status of a CatalogSource: the state of its content in OLM's fields and as a condition. */
export function planCatalogSource(world: CatalogSourceWorld | undefined, now: number): Plan<CatalogSourceAction> {
  if (world === undefined || world.source.metadata.deletionTimestamp !== undefined) return { actions: [] };
  const { source, kubeVersion } = world;
  const template = resolveTemplate(source.metadata.annotations?.[imageTemplateAnnotation], kubeVersion);
  const conditions = withTemplate(source.status?.conditions, template, formatTime(now));
  const held = conditions === undefined ? {} : { status: { ...source.status, conditions } };
  const status = statusOf({ ...world, source: { ...source, ...held } }, now);
  const image: readonly CatalogSourceAction[] =
    template.kind === "resolved" && template.image !== source.spec.image
      ? [{ kind: "image", image: template.image }]
      : [];
  if (deepEqual(plainJson(status), plainJson(source.status ?? {}))) return { actions: image };
  const news =
    status.message !== undefined && status.message !== source.status?.message ? { warning: status.message } : {};
  return { actions: [{ kind: "status", status, ...news }, ...image] };
}

/** How long a first read leaves the status unchanged: a process that has just started reads again the content that the former one served. */
const patienceMs = 15_000;

function statusOf({ source, content: asked }: CatalogSourceWorld, now: number): CatalogSourceStatus {
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
  const shown = held.connectionState?.address ?? "";
  const at = (digest: string): string => (named.endsWith(`@${digest}`) ? named : `${named}@${digest}`);
  const ready = (address: string) => ({ address, lastObservedState: "READY", lastConnect: time }) as const;
  /** Last good content keeps its address, even when the spec names another one now. */
  const serving = (digest: string): string => (shown.endsWith(`@${digest}`) ? shown : at(digest));
  const unavailable = { address: named, lastConnect: time } as const;
  switch (content.kind) {
    case "pending": {
      const { lastGood, since } = content;
      const isFresh = now - since < patienceMs && (shown === named || shown.startsWith(`${named}@`));
      const isServing = lastGood !== undefined && shown.endsWith(`@${lastGood}`);
      if ((isFresh || isServing) && findCondition(held.conditions, "Ready")?.status === "True") return held;
      if (lastGood === undefined)
        return show("False", "Pulling", `reading ${named}`, undefined, {
          ...unavailable,
          lastObservedState: "CONNECTING",
        });
      return show("True", "Serving", `serving ${serving(lastGood)}`, undefined, ready(serving(lastGood)));
    }
    case "ready": {
      const address = at(content.digest);
      return show("True", "Serving", `serving ${address}`, undefined, ready(address));
    }
    case "failing":
    case "refused": {
      const message = problemText(content);
      const failure = { reason: "RegistryServerError", message } as const;
      const { lastGood } = content;
      if (lastGood === undefined)
        return show("False", "Unavailable", message, failure, {
          ...unavailable,
          lastObservedState: "TRANSIENT_FAILURE",
        });
      const text = `serving ${serving(lastGood)}; newer content is refused: ${message}`;
      return show("True", "ServingLastGood", text, failure, ready(serving(lastGood)));
    }
  }
}

/** The image, address or `namespace/name` of the ConfigMap that the spec names. */
function namedContent({ metadata, spec: { image = "", address = "", configMap = "" } }: CatalogSource): string {
  if (image !== "") return image;
  return address === "" ? `${metadata.namespace}/${configMap}` : address;
}
