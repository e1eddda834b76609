import { quotaPrinter } from "../../printing/plain-printers.ts";
import { defineKind } from "../define-kind.ts";
import { validateLimitRange, validateQuota, validateQuotaStatus } from "./quota-validation.ts";
import { mapList, mapMember, objectIn, textIn } from "../decoding/json-parts.ts";
import { limitRanges, resourceQuotas } from "../resource-types.ts";

export const resourceQuotaKind = defineKind(resourceQuotas, {
  shortNames: ["quota"],
  status: true,
  deleteReturnsObject: true,
  validateInSteps: (quota, _context, old, endpoint) =>
    endpoint === "status" ? validateQuotaStatus(quota) : validateQuota(quota, old),
  printer: quotaPrinter,
});

export const limitRangeKind = defineKind(limitRanges, {
  createsOnPut: true,
  // LimitRange is the only kind that generates a name for itself.
  onCreate: (range, { entropy }) => {
    const metadata = objectIn(range, "metadata");
    return textIn(metadata, "name") === "" ? { ...range, metadata: { ...metadata, name: entropy.uuid() } } : range;
  },
  validateInSteps: validateLimitRange,
  shortNames: ["limits"],
  defaults: (range) =>
    mapMember(range, "spec", (spec) =>
      mapList(spec, "limits", (limit) => {
        if (limit["type"] !== "Container") return limit;
        const fallback = { ...objectIn(limit, "max"), ...objectIn(limit, "default") };
        const requests = { ...objectIn(limit, "min"), ...fallback, ...objectIn(limit, "defaultRequest") };
        return {
          ...limit,
          ...(Object.keys(fallback).length === 0 ? {} : { default: fallback }),
          ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
        };
      }),
    ),
});
