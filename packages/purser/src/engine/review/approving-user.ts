import type { KubeObject } from "@purser/kubernetes/apis/object";
import { clusterWide } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";

interface SelfSubjectReview extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

const type = clusterWide<SelfSubjectReview>("authentication.k8s.io", "v1", "SelfSubjectReview", "selfsubjectreviews");

/** The user that the API server sees behind the client; undefined where it does not say, as before Kubernetes 1.28. */
export async function approvingUser(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const object: SelfSubjectReview = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: {} };
  const answered = await client.write({ verb: "create", type, object }, signal);
  const review = answered.ok ? (answered.value.object as SelfSubjectReview | undefined) : undefined;
  return review?.status?.userInfo?.username;
}
