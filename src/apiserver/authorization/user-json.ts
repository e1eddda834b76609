import type { JsonObject } from "../../json.ts";
import type { UserInfo } from "../../kube/transport.ts";

/** A user as reviews and webhooks are told. */
export function userJson({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
}
