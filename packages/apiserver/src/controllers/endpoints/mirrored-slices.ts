import { isIP } from "node:net";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import { hasMember, numberIn, objectIn, objectsIn, textIn, textsIn } from "../../kinds/decoding/json-parts.ts";
import { repacked } from "./repack.ts";
import type { SliceContent } from "./service-endpoints.ts";

const mostInSubset = 1000;

/** Endpoints converted to EndpointSlices, and what could not be converted. */
export interface Mirror {
  readonly slices: readonly SliceContent[];
  /** Number of invalid addresses. */
  readonly invalid: number;
  /** Number of valid addresses beyond the limit of one subset. */
  readonly tooMany: number;
}

function portsOf(subset: JsonObject): readonly JsonObject[] {
  return objectsIn(subset, "ports").map((port) => ({
    name: textIn(port, "name"),
    port: numberIn(port, "port") ?? 0,
    protocol: textIn(port, "protocol") || "TCP",
    ...(hasMember(port, "appProtocol") ? { appProtocol: textIn(port, "appProtocol") } : {}),
  }));
}

function endpointOf(address: JsonObject, ready: boolean): JsonObject {
  return {
    addresses: [textIn(address, "ip")],
    conditions: { ready },
    ...(hasMember(address, "hostname") ? { hostname: textIn(address, "hostname") } : {}),
    ...(hasMember(address, "nodeName") ? { nodeName: textIn(address, "nodeName") } : {}),
    ...(hasMember(address, "targetRef") ? { targetRef: objectIn(address, "targetRef") } : {}),
  };
}

function addressOf(endpoint: JsonObject): string {
  const [address] = textsIn(endpoint, "addresses");
  return address ?? "";
}

/** The slices that mirror custom Endpoints: one for each list of ports and IP family. With pauses. */
export function* mirrorOf(endpoints: JsonObject): Steps<Mirror> {
  let [invalid, tooMany] = [0, 0];
  const slices = (yield* repacked(objectsIn(endpoints, "subsets"))).flatMap((subset): readonly SliceContent[] => {
    const ports = portsOf(subset);
    const all = [
      ...objectsIn(subset, "addresses").map((address) => endpointOf(address, true)),
      ...objectsIn(subset, "notReadyAddresses").map((address) => endpointOf(address, false)),
    ];
    const valid = all.filter((endpoint) => isIP(addressOf(endpoint)) !== 0);
    invalid += all.length - valid.length;
    const kept = valid.slice(0, mostInSubset);
    tooMany += valid.length - kept.length;
    const of = (addressType: "IPv4" | "IPv6", version: 4 | 6): readonly SliceContent[] => {
      const held = kept.filter((endpoint) => isIP(addressOf(endpoint)) === version);
      return held.length === 0 ? [] : [{ addressType, endpoints: held, ports }];
    };
    return [...of("IPv4", 4), ...of("IPv6", 6)];
  });
  return { slices, invalid, tooMany };
}
