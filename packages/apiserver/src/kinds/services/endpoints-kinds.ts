import { endpoints } from "@purser/kubernetes/apis/resources";
import { endpointSlicePrinter, endpointsPrinter } from "../../printing/service-printers.ts";
import { defineKind } from "../define-kind.ts";
import { validateEndpoints, validateEndpointSlice, withoutTopology } from "./endpoints-validation.ts";
import { mapList, objectIn, textIn, withDefaults } from "../decoding/json-parts.ts";
import { endpointSlices } from "../resource-types.ts";

export const endpointsKind = defineKind(endpoints, {
  shortNames: ["ep"],
  createsOnPut: true,
  defaults: (object) =>
    mapList(object, "subsets", (subset) => mapList(subset, "ports", (port) => withDefaults(port, { protocol: "TCP" }))),
  deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  validate: (object, _context, old) => validateEndpoints(object, old),
  printer: endpointsPrinter,
});

export const endpointSliceKind = defineKind(endpointSlices, {
  versioned: (slice) => ({
    endpoints: slice["endpoints"],
    ports: slice["ports"],
    labels: objectIn(objectIn(slice, "metadata"), "labels"),
  }),
  defaults: (slice) => mapList(slice, "ports", (port) => withDefaults(port, { name: "", protocol: "TCP" })),
  onCreate: (slice) => withoutTopology(slice, undefined),
  onUpdate: (next, old) => withoutTopology(next, old),
  validate: (slice, _context, old) => validateEndpointSlice(slice, old),
  warnings: (slice, old) =>
    old === undefined && textIn(slice, "addressType") === "FQDN"
      ? ["spec.addressType: FQDN endpoints are deprecated"]
      : [],
  printer: endpointSlicePrinter,
});
