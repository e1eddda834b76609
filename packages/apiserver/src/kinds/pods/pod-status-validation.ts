import { isIP } from "node:net";
import { labelKeyFaults } from "@purser/kubernetes/apis/label-syntax";
import type { JsonObject } from "@purser/kubernetes/json";
import { forbidden, invalid, type FieldError } from "@purser/kubernetes/object/field-error";
import { goJson } from "@purser/kubernetes/text/go-json";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";
import { subdomainProblems } from "../names.ts";
import { address, between } from "../field-rules.ts";

/** `podIP` overrides the first entry of `podIPs`. */
export function withAddresses(status: JsonObject): JsonObject {
  const single = textIn(status, "podIP");
  const several = objectsIn(status, "podIPs");
  const first = textIn(several[0] ?? {}, "ip");
  if (single === "") return first === "" ? status : { ...status, podIP: first };
  return single === first ? status : { ...status, podIPs: [{ ip: single }] };
}

const systemConditions = ["PodScheduled", "Ready", "Initialized"];
const tooEarly = "must be a non-negative integer";

function validateConditions(status: JsonObject): readonly FieldError[] {
  return objectsIn(status, "conditions").flatMap((condition, index) => {
    const at = `status.conditions[${index}]`;
    const [type, generation] = [textIn(condition, "type"), numberIn(condition, "observedGeneration") ?? 0];
    return [
      ...(generation < 0 ? [invalid(`${at}.observedGeneration`, generation, tooEarly)] : []),
      ...(systemConditions.includes(type)
        ? []
        : labelKeyFaults(type).map((fault) => invalid(`${at}.Type`, type, fault))),
    ];
  });
}

function validateNomination(status: JsonObject, old: JsonObject, isBound: boolean): readonly FieldError[] {
  const [name, before] = [textIn(status, "nominatedNodeName"), textIn(old, "nominatedNodeName")];
  if (name === "" || name === before) return [];
  const field = "status.nominatedNodeName";
  return [
    ...subdomainProblems(name).map((problem) => invalid(field, name, problem)),
    ...(isBound ? [forbidden(field, "may not be set on pods that are already bound to a node")] : []),
  ];
}

/** Whether the restart policies allow a terminated container to run again. */
function mayRestart(container: JsonObject | undefined, spec: JsonObject, exitCode: number): boolean {
  if (container === undefined) return false;
  const own = textIn(container, "restartPolicy");
  switch (own === "" ? textIn(spec, "restartPolicy") : own) {
    case "Never":
      return false;
    case "OnFailure":
      return exitCode !== 0;
    default:
      return true;
  }
}

function validateTransitions(status: JsonObject, old: JsonObject, spec: JsonObject): readonly FieldError[] {
  const lists = { containerStatuses: "containers", initContainerStatuses: "initContainers" };
  const hasRules = ["containers", "initContainers"].some((key) =>
    objectsIn(spec, key).some((container) => objectsIn(container, "restartPolicyRules").length > 0),
  );
  if (hasRules) return [];
  return Object.entries(lists).flatMap(([list, key]) =>
    objectsIn(old, list).flatMap((before, index) => {
      const name = textIn(before, "name");
      const ended = objectAt(before, "state", "terminated");
      const after = objectsIn(status, list).find((held) => textIn(held, "name") === name);
      if (!hasMember(objectIn(before, "state"), "terminated") || after === undefined) return [];
      const container = objectsIn(spec, key).find((held) => textIn(held, "name") === name);
      return hasMember(objectIn(after, "state"), "terminated") ||
        mayRestart(container, spec, numberIn(ended, "exitCode") ?? 0)
        ? []
        : [forbidden(`status.${list}[${index}].state`, "may not be transitioned to non-terminated state")];
    }),
  );
}

function validateAddresses(status: JsonObject, old: JsonObject, key: "podIPs" | "hostIPs"): readonly FieldError[] {
  const field = `status.${key}`;
  const given = objectsIn(status, key).map((held) => textIn(held, "ip"));
  const known = objectsIn(old, key).map((held) => textIn(held, "ip"));
  const [first] = given;
  const broken = given.findIndex((text) => isIP(text) === 0);
  const families = new Set(given.map(isIP));
  const shown = `[${given.map((text) => `{"IP":${goJson(text)}}`).join(",")}]`;
  return [
    ...(key === "hostIPs" && first !== undefined && first !== textIn(status, "hostIP")
      ? [invalid(`${field}[0].ip`, first, "must be equal to `hostIP`")]
      : []),
    ...given.flatMap((text, index) => (known.includes(text) ? [] : address(text, `${field}[${index}]`))),
    ...(given.length > 1 && broken >= 0
      ? [
          {
            type: "InternalError",
            field,
            detail: `failed to check for dual stack with error:invalid IP[${broken}]: ${given[broken] ?? ""}`,
          } as const,
        ]
      : []),
    ...(given.length > 1 && (broken >= 0 || families.size < 2 || given.length > 2)
      ? [{ ...invalid(field, null, "may specify no more than one IP for each IP family"), badText: shown }]
      : []),
  ];
}

const identities: readonly [number, number] = [0, 2 ** 31 - 1];

function validateUsers(status: JsonObject): readonly FieldError[] {
  return ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"].flatMap((list) =>
    objectsIn(status, list).flatMap((held, index) => {
      const user = objectAt(held, "user", "linux");
      return ["uid", "gid"].flatMap((key) => between(user, key, identities, `status.${list}[${index}].user.linux`));
    }),
  );
}

/** Validates a pod's status on updates. */
export function validatePodStatus(pod: JsonObject, old: JsonObject): readonly FieldError[] {
  const [status, before] = [objectIn(pod, "status"), objectIn(old, "status")];
  const spec = objectIn(old, "spec");
  const generation = numberIn(status, "observedGeneration") ?? 0;
  const quality = textIn(status, "qosClass");
  return [
    ...validateConditions(status),
    ...validateNomination(status, before, textIn(spec, "nodeName") !== ""),
    ...(generation < 0 ? [invalid("status.observedGeneration", generation, tooEarly)] : []),
    ...(quality === textIn(before, "qosClass") ? [] : [invalid("status.qosClass", quality, "field is immutable")]),
    ...validateTransitions(status, before, spec),
    ...validateAddresses(status, before, "podIPs"),
    ...validateAddresses(status, before, "hostIPs"),
    ...validateUsers(status),
  ];
}
