import type { KubeObject } from "@purser/kubernetes/apis/object";
import { clusterWide } from "@purser/kubernetes/apis/resources";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import type { PolicyRule } from "@purser/kubernetes/object/rbac";
import type { HeldRights } from "../../../rollout/plan/missing-rules.ts";

interface SelfSubjectRulesReview extends KubeObject {
  readonly spec: { readonly namespace: string };
  readonly status?: { readonly incomplete?: boolean; readonly resourceRules?: readonly PolicyRule[] };
}

const rulesReviews = clusterWide<SelfSubjectRulesReview>(
  "authorization.k8s.io",
  "v1",
  "SelfSubjectRulesReview",
  "selfsubjectrulesreviews",
);

/** No namespace has this name, so that only cluster-wide rules hold there. */
const nowhere = "purser.cluster-wide";

/**
 * What the writer's user may do; undefined when the API server does not know all of it (an authorizer beside RBAC) or does not
 * tell.
 */
export async function heldRights(
  writer: ObjectWriter,
  namespaces: Iterable<string>,
  signal: AbortSignal,
): Promise<HeldRights | undefined> {
  const rulesIn = async (namespace: string): Promise<readonly PolicyRule[] | undefined> => {
    const object: SelfSubjectRulesReview = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      metadata: {},
      spec: { namespace },
    };
    const answer = await writer.write({ verb: "create", type: rulesReviews, object }, signal);
    if (!answer.ok) return undefined;
    const { status } = (answer.value.object ?? {}) as SelfSubjectRulesReview;
    return status === undefined || status.incomplete === true ? undefined : (status.resourceRules ?? []);
  };
  const cluster = await rulesIn(nowhere);
  if (cluster === undefined) return undefined;
  const held = new Map<string, readonly PolicyRule[]>();
  for (const namespace of namespaces) {
    const rules = await rulesIn(namespace);
    if (rules === undefined) return undefined;
    held.set(namespace, rules);
  }
  return { cluster, namespaces: held };
}
