import type { JsonObject } from "@purser/kubernetes/json";
import type { UserInfo } from "@purser/kubernetes/kube/transport";

/** A user as in the `userInfo` of reviews and webhooks. */
export function userJson({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
}
