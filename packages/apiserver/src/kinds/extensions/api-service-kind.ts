import type { JsonObject } from "@purser/kubernetes/json";
import { member } from "@purser/kubernetes/json";
import { apiServices } from "@purser/kubernetes/apis/resources";
import { invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { ageCell, cell, nameCell, printer } from "../../printing/printer.ts";
import { defineKind } from "../define-kind.ts";
import { hasMember, mapMember, numberIn, objectIn, objectsIn, textIn, withDefaults } from "../decoding/json-parts.ts";
import { nameProblems, relativeNameProblems, subdomainProblems } from "../names.ts";

const conditionStates = ["True", "False", "Unknown"];
const greatest = { group: 20_000, version: 1000 };

function validateName(service: JsonObject, spec: JsonObject): readonly FieldError[] {
  const name = textIn(objectIn(service, "metadata"), "name");
  const wanted = `${textIn(spec, "version")}.${textIn(spec, "group")}`;
  const problems = nameProblems("pathSegment", name, false);
  if (problems.length > 0) return problems.map((problem) => invalid("metadata.name", name, problem));
  return name === wanted
    ? []
    : [invalid("metadata.name", name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`)];
}

function validatePlace(spec: JsonObject): readonly FieldError[] {
  const [group, version] = [textIn(spec, "group"), textIn(spec, "version")];
  const [groupPriority, versionPriority] = ["groupPriorityMinimum", "versionPriority"].map(
    (key) => numberIn(spec, key) ?? 0,
  ) as [number, number];
  return [
    ...(group === "" && version !== "v1"
      ? [required("spec.group", "only v1 may have an empty group and it better be legacy kube")]
      : []),
    ...(group === "" ? [] : subdomainProblems(group).map((problem) => invalid("spec.group", group, problem))),
    ...relativeNameProblems(version).map((problem) => invalid("spec.version", version, problem)),
    ...(groupPriority <= 0 || groupPriority > greatest.group
      ? [invalid("spec.groupPriorityMinimum", groupPriority, "must be positive and less than 20000")]
      : []),
    ...(versionPriority <= 0 || versionPriority > greatest.version
      ? [invalid("spec.versionPriority", versionPriority, "must be positive and less than 1000")]
      : []),
  ];
}

function validateTarget(spec: JsonObject): readonly FieldError[] {
  const bundle = atob(textIn(spec, "caBundle")).length;
  const isBlind = spec["insecureSkipTLSVerify"] === true;
  const trust = "spec.insecureSkipTLSVerify";
  if (!hasMember(spec, "service"))
    return [
      ...(bundle > 0 ? [invalid("spec.caBundle", `${bundle} bytes`, "local APIServices may not have a caBundle")] : []),
      ...(isBlind ? [invalid(trust, true, "local APIServices may not have insecureSkipTLSVerify")] : []),
    ];
  const target = objectIn(spec, "service");
  const port = numberIn(target, "port") ?? 0;
  return [
    ...["namespace", "name"].filter((key) => textIn(target, key) === "").map((key) => required(`spec.service.${key}`)),
    ...(port < 1 || port > 65_535
      ? [invalid("spec.service.port", port, "port is not valid: must be between 1 and 65535, inclusive")]
      : []),
    ...(isBlind && bundle > 0 ? [invalid(trust, true, "may not be true if caBundle is present")] : []),
  ];
}

function validateApiService(service: JsonObject): readonly FieldError[] {
  const spec = objectIn(service, "spec");
  return [...validateName(service, spec), ...validatePlace(spec), ...validateTarget(spec)];
}

function validateApiServiceStatus(service: JsonObject): readonly FieldError[] {
  return objectsIn(objectIn(service, "status"), "conditions").flatMap((condition, index) => {
    const status = textIn(condition, "status");
    return conditionStates.includes(status)
      ? []
      : [notSupported(`status.conditions[${index}].status`, status, conditionStates)];
  });
}

/** APIServices served locally are Available immediately; others when their service has answered. */
function initialAvailability(service: JsonObject, now: string): JsonObject {
  if (hasMember(objectIn(service, "spec"), "service")) return {};
  const message = "Local APIServices are always available";
  const condition = { type: "Available", status: "True", lastTransitionTime: now, reason: "Local", message };
  return { conditions: [condition] };
}

function available(service: JsonObject): string {
  const condition = objectsIn(objectIn(service, "status"), "conditions").find(({ type }) => type === "Available");
  if (condition === undefined) return "Unknown";
  const status = textIn(condition, "status");
  return status === "True" ? "True" : `${status} (${textIn(condition, "reason")})`;
}

export const apiServiceKind = defineKind(apiServices, {
  categories: ["api-extensions"],
  status: true,
  statusTakes: "nothing",
  requiresResourceVersion: true,
  nameRule: "any",
  defaults: (service) =>
    mapMember(service, "spec", (spec) => mapMember(spec, "service", (target) => withDefaults(target, { port: 443 }))),
  onCreate: (service, context) => ({ ...service, status: initialAvailability(service, context.now) }),
  validate: (service, _context, _old, endpoint) =>
    endpoint === "status" ? validateApiServiceStatus(service) : validateApiService(service),
  printer: printer([
    nameCell,
    cell("Service", (service) => {
      const target = objectIn(objectIn(service, "spec"), "service");
      return member(objectIn(service, "spec"), "service") === undefined
        ? "Local"
        : `${textIn(target, "namespace")}/${textIn(target, "name")}`;
    }),
    cell("Available", available),
    ageCell,
  ]),
});
