import type { KubeObject } from "@purser/kubernetes/apis/object";
import { clusterWide } from "@purser/kubernetes/apis/resources";
import type { Clock } from "@purser/kubernetes/clock";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import type { UserInfo } from "@purser/kubernetes/kube/transport";

interface SubjectAccessReview extends KubeObject {
  readonly status?: { readonly allowed?: boolean; readonly reason?: string };
}

const subjectAccessReviews = clusterWide<SubjectAccessReview>(
  "authorization.k8s.io",
  "v1",
  "SubjectAccessReview",
  "subjectaccessreviews",
);

/** What a user wants to do. */
export type AskedAccess =
  | {
      readonly kind: "resource";
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly verb: string;
      readonly namespace?: string;
      readonly name?: string;
      readonly subresource?: string;
    }
  | { readonly kind: "path"; readonly path: string; readonly verb: string };

/** Answers count for this long, as in OLM's package server. */
const freshMs = 35_000;
const keptAnswers = 1000;

/** Asks the API server whether a user may do something, and remembers its answers for a while. */
export class AccessReviews {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #answers = new Map<string, { readonly untilMs: number; readonly allowed: boolean }>();

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** @throws when the API server does not answer the question */
  async allows(user: UserInfo, { kind, ...asked }: AskedAccess, signal: AbortSignal): Promise<boolean> {
    if (user.groups.includes("system:masters")) return true;
    const { name, ...rest } = user;
    const spec = { user: name, ...rest, [kind === "resource" ? "resourceAttributes" : "nonResourceAttributes"]: asked };
    const key = JSON.stringify(spec);
    const now = this.#clock.now();
    const known = this.#answers.get(key);
    if (known !== undefined && now < known.untilMs) return known.allowed;
    const object = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", metadata: {}, spec };
    const review = written(await this.#client.write({ verb: "create", type: subjectAccessReviews, object }, signal));
    const allowed = (review.object as SubjectAccessReview | undefined)?.status?.allowed === true;
    this.#answers.delete(key);
    this.#answers.set(key, { untilMs: now + freshMs, allowed });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > keptAnswers && oldest !== undefined) this.#answers.delete(oldest);
    return allowed;
  }
}
