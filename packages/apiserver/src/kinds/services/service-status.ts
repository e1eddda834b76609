import { isIP } from "node:net";
import type { JsonObject } from "@purser/kubernetes/json";
import { forbidden, invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, objectAt, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";
import { subdomainProblems } from "../names.ts";
import { notAnAddress } from "../field-rules.ts";

/** Validates the load balancer status. */
export function validateServiceStatus(service: JsonObject, old: JsonObject): readonly FieldError[] {
  const path = "status.loadBalancer.ingress";
  const ingress = objectsIn(objectAt(service, "status", "loadBalancer"), "ingress");
  if (ingress.length === 0) return [];
  if (textIn(objectIn(service, "spec"), "type") !== "LoadBalancer")
    return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  const known = objectsIn(objectAt(old, "status", "loadBalancer"), "ingress").map((one) => textIn(one, "ip"));
  return ingress.flatMap((point, index) => validateEntrance(point, `${path}[${index}]`, known));
}

function validateEntrance(point: JsonObject, path: string, known: readonly string[]): readonly FieldError[] {
  const [address, host, given] = [textIn(point, "ip"), textIn(point, "hostname"), textIn(point, "ipMode")];
  const modePath = `${path}.ipMode`;
  const modeErrors = (): readonly FieldError[] => {
    if (!hasMember(point, "ipMode"))
      return address === "" ? [] : [required(modePath, "must be specified when `ip` is set")];
    if (address === "") return [forbidden(modePath, "may not be specified when `ip` is not set")];
    return ["Proxy", "VIP"].includes(given) ? [] : [notSupported(modePath, given, ["Proxy", "VIP"])];
  };
  return [
    ...(address === "" || known.includes(address) || isIP(address) > 0
      ? []
      : [invalid(`${path}.ip`, address, notAnAddress)]),
    ...modeErrors(),
    ...(host === "" ? [] : subdomainProblems(host).map((problem) => invalid(`${path}.hostname`, host, problem))),
    ...(isIP(host) > 0 ? [invalid(`${path}.hostname`, host, "must be a DNS name, not an IP address")] : []),
  ];
}
