import type { KubeObject } from "@purser/kubernetes/apis/object";
import { clusterWide } from "@purser/kubernetes/apis/resources";
import type { Clock } from "@purser/kubernetes/clock";
import { digestOf } from "@purser/kubernetes/digest";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import type { UserInfo } from "@purser/kubernetes/kube/transport";

interface TokenReview extends KubeObject {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}

const tokenReviews = clusterWide<TokenReview>("authentication.k8s.io", "v1", "TokenReview", "tokenreviews");

/** Answers count for this long, as in controller-runtime's metrics server. */
const freshMs = 60_000;
const keptAnswers = 1000;
const utf8 = new TextEncoder();

/** Asks the API server whose a bearer token is, and remembers its answers for a while; tokens themselves are not kept. */
export class TokenReviews {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #answers = new Map<string, { readonly untilMs: number; readonly user: UserInfo | undefined }>();

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The user of an `Authorization` header; undefined where it holds no token that the API server accepts. */
  async bearer(authorization: string | undefined, signal: AbortSignal): Promise<UserInfo | undefined> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    return token === undefined ? undefined : this.userOf(token, signal);
  }

  /** Undefined for a token that the API server does not accept. @throws when it does not answer the question */
  async userOf(token: string, signal: AbortSignal): Promise<UserInfo | undefined> {
    const key = digestOf(utf8.encode(token));
    const now = this.#clock.now();
    const known = this.#answers.get(key);
    if (known !== undefined && now < known.untilMs) return known.user;
    const spec = { token };
    const object = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", metadata: {}, spec };
    const review = written(await this.#client.write({ verb: "create", type: tokenReviews, object }, signal));
    const user = userIn(review.object as TokenReview | undefined);
    this.#answers.delete(key);
    this.#answers.set(key, { untilMs: now + freshMs, user });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > keptAnswers && oldest !== undefined) this.#answers.delete(oldest);
    return user;
  }
}

function userIn(review: TokenReview | undefined): UserInfo | undefined {
  const { authenticated, user } = review?.status ?? {};
  if (authenticated !== true || user?.username === undefined) return undefined;
  const { username, groups = [], uid, extra } = user;
  return {
    name: username,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}
