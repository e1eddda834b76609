import { isJsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { ObjectMeta } from "@purser/kubernetes/apis/object";

/**
 * On a ClusterExtension or Subscription: the upgrade that was rolled back by itself, as JSON. Its bundle is held back while the annotation
 * is there. On a ClusterServiceVersion: it is left for the former one and deleted.
 */
export const rolledBackAnnotation = "purser.dev/rolled-back";

/** An upgrade that was rolled back before anything of it was ready. */
export interface RolledBack {
  /** The bundle that was left. */
  readonly bundle: string;
  /** The bundle that is installed again. */
  readonly to: string;
  /** RFC 3339. */
  readonly at: string;
  /** Digest of the plan of the way back. */
  readonly plan: string;
  /** Why, such as `not ready within 10 minutes`. */
  readonly because: string;
  /** Of the ClusterServiceVersion that was left, as a later one of the same name is another attempt; absent for ClusterExtensions. */
  readonly uid?: string;
}

export const rolledBackText = (one: RolledBack): string => JSON.stringify(one);

/** What an installation records; undefined without a record, and for a text that is none. */
export function rolledBackOf({ annotations = {} }: ObjectMeta): RolledBack | undefined {
  const text = annotations[rolledBackAnnotation];
  if (text === undefined) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { bundle, to, at, plan, because, uid } = value;
  return typeof bundle === "string" &&
    typeof to === "string" &&
    typeof at === "string" &&
    typeof plan === "string" &&
    typeof because === "string"
    ? { bundle, to, at, plan, because, ...(typeof uid === "string" ? { uid } : {}) }
    : undefined;
}

/** `kiln.v1.1.0 was not ready within 10 minutes` */
export const rolledBackSentence = ({ bundle, to, at, plan, because }: RolledBack): string =>
  `${bundle} was ${because}, so at ${at} it was rolled back to ${to} by the plan ${plan}`;
