import { isIPv4, isIPv6 } from "node:net";
import type { JsonObject } from "../../../json.ts";
import { hasMember, numberIn, objectIn, objectsIn, textIn } from "../../kinds/json-parts.ts";
import type { SliceContent } from "./service-endpoints.ts";

const mostInSubset = 1000;

/** Endpoints as slices, and what could not be taken over. */
export interface Mirror {
  readonly slices: readonly SliceContent[];
  /** Addresses that are none. */
  readonly invalid: number;
  /** Addresses beyond those that one subset may have; the invalid ones are not among them. */
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

/** The slices that show hand-made Endpoints to those who read slices only: one for each list of ports and family. */
export function mirrorOf(endpoints: JsonObject): Mirror {
  const byPorts = new Map<string, { readonly ports: readonly JsonObject[]; readonly found: Map<string, JsonObject> }>();
  for (const subset of objectsIn(endpoints, "subsets")) {
    const ports = portsOf(subset).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    const key = JSON.stringify(ports);
    const group = byPorts.get(key) ?? { ports: portsOf(subset), found: new Map<string, JsonObject>() };
    byPorts.set(key, group);
    for (const [list, ready] of [
      ["addresses", true],
      ["notReadyAddresses", false],
    ] as const)
      for (const address of objectsIn(subset, list)) {
        const target = JSON.stringify(address["targetRef"] ?? null);
        group.found.set(`${textIn(address, "ip")} ${target}`, endpointOf(address, ready));
      }
  }
  let [invalid, tooMany] = [0, 0];
  const slices = [...byPorts.values()].flatMap(({ ports, found }): readonly SliceContent[] => {
    const all = [...found.values()];
    const family = (endpoint: JsonObject): string => (endpoint["addresses"] as readonly string[])[0] ?? "";
    const valid = all.filter((endpoint) => isIPv4(family(endpoint)) || isIPv6(family(endpoint)));
    invalid += all.length - valid.length;
    const kept = valid.slice(0, mostInSubset);
    tooMany += valid.length - kept.length;
    const of = (addressType: "IPv4" | "IPv6", is: (text: string) => boolean): readonly SliceContent[] => {
      const endpoints = kept.filter((endpoint) => is(family(endpoint)));
      return endpoints.length === 0 ? [] : [{ addressType, endpoints, ports }];
    };
    return [...of("IPv4", isIPv4), ...of("IPv6", isIPv6)];
  });
  return { slices, invalid, tooMany };
}
