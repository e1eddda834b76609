import type { JsonObject } from "@purser/kubernetes/json";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { hasMember, mapList, objectAt, objectIn, textIn } from "../decoding/json-parts.ts";

const prefix = "container.apparmor.security.beta.kubernetes.io/";
const localPrefix = "localhost/";
const longestProfile = 4095;

/** The profile of a deprecated AppArmor annotation; undefined for an unknown value. */
function profileOf(annotation: string): JsonObject | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const localhostProfile = annotation.startsWith(localPrefix) ? annotation.slice(localPrefix.length) : "";
  const isSound =
    localhostProfile !== "" &&
    localhostProfile.trim() === localhostProfile &&
    localhostProfile.length <= longestProfile;
  return isSound ? { type: "Localhost", localhostProfile } : undefined;
}

/** Copies deprecated AppArmor annotations to containers that set no profile and whose value differs from the pod's. */
export function withAppArmorProfiles(pod: JsonObject): JsonObject {
  const annotations = objectAt(pod, "metadata", "annotations");
  const spec = objectIn(pod, "spec");
  if (!Object.keys(annotations).some((key) => key.startsWith(prefix))) return pod;
  if (textIn(objectIn(spec, "os"), "name") === "windows") return pod;
  const wholePod = objectAt(spec, "securityContext", "appArmorProfile");
  const fill = (container: JsonObject): JsonObject => {
    const profile = profileOf(textIn(annotations, prefix + textIn(container, "name")));
    const context = objectIn(container, "securityContext");
    if (profile === undefined || hasMember(context, "appArmorProfile") || deepEqual(profile, wholePod))
      return container;
    return { ...container, securityContext: { ...context, appArmorProfile: profile } };
  };
  return { ...pod, spec: mapList(mapList(spec, "containers", fill), "initContainers", fill) };
}
