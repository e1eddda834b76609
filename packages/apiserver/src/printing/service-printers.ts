import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectAt, objectIn, objectsIn, textIn, textsIn } from "../kinds/decoding/json-parts.ts";
import { ageCell, cell, nameCell, printer, wide } from "./printer.ts";
import { selectorText } from "./workload-printers.ts";

function spec(object: JsonObject): JsonObject {
  return objectIn(object, "spec");
}

function externalAddress(service: JsonObject): string {
  const external = textsIn(spec(service), "externalIPs");
  switch (textIn(spec(service), "type")) {
    case "LoadBalancer": {
      const ingress = objectsIn(objectAt(service, "status", "loadBalancer"), "ingress");
      const points = new Set(ingress.map((point) => textIn(point, "ip") || textIn(point, "hostname")));
      points.delete("");
      const found = [...[...points].toSorted(), ...external];
      return found.length === 0 ? "<pending>" : found.join(",");
    }
    case "ExternalName":
      return textIn(spec(service), "externalName");
    default:
      return external.length === 0 ? "<none>" : external.join(",");
  }
}

function servicePorts(service: JsonObject): string {
  const ports = objectsIn(spec(service), "ports").map((port) => {
    const node = numberIn(port, "nodePort") ?? 0;
    return `${numberIn(port, "port") ?? 0}${node > 0 ? `:${node}` : ""}/${textIn(port, "protocol")}`;
  });
  return ports.length === 0 ? "<none>" : ports.join(",");
}

export const servicePrinter = printer([
  nameCell,
  cell("Type", (service) => textIn(spec(service), "type")),
  cell("Cluster-IP", (service) => textIn(spec(service), "clusterIP") || "<none>"),
  cell("External-IP", externalAddress),
  cell("Port(s)", servicePorts),
  ageCell,
  wide("Selector", (service) => selectorText({ matchLabels: objectIn(spec(service), "selector") })),
]);

function atMostThree(found: readonly string[]): string {
  const shown = found.slice(0, 3).join(",");
  return found.length > 3 ? `${shown} + ${found.length - 3} more...` : shown;
}

export const endpointsPrinter = printer([
  nameCell,
  cell("Endpoints", (object) => {
    const subsets = objectsIn(object, "subsets");
    const found = subsets.flatMap((subset) => {
      const addresses = objectsIn(subset, "addresses").map((address) => textIn(address, "ip"));
      const ports = objectsIn(subset, "ports");
      if (ports.length === 0) return addresses;
      return ports.flatMap((port) =>
        addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${numberIn(port, "port") ?? 0}`),
      );
    });
    return subsets.length === 0 ? "<none>" : atMostThree(found);
  }),
  ageCell,
]);

export const endpointSlicePrinter = printer([
  nameCell,
  cell("AddressType", (slice) => textIn(slice, "addressType")),
  cell("Ports", (slice) => {
    const ports = objectsIn(slice, "ports").map((port) =>
      String(numberIn(port, "port") ?? (Object.hasOwn(port, "name") ? textIn(port, "name") : "*")),
    );
    return atMostThree(ports) || "<unset>";
  }),
  cell("Endpoints", (slice) => {
    const addresses = objectsIn(slice, "endpoints").flatMap((endpoint) => textsIn(endpoint, "addresses"));
    return addresses.length === 0 ? "<unset>" : atMostThree(addresses);
  }),
  ageCell,
]);
