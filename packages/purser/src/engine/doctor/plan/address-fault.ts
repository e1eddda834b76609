import { formatTime } from "@purser/kubernetes/clock";
import type { ObservedAddress } from "./doctor-world.ts";

const injectors = "see whether what injects it runs, as cert-manager or service-ca";

/** Why the API server cannot call a webhook at its address, and what to do; undefined when nothing is wrong with it. */
export function addressFault(
  { service, authority, installation }: ObservedAddress & { readonly installation?: string },
  now: number,
): { readonly why: string; readonly remedy: string } | undefined {
  const owner = installation === undefined ? "the operator that serves it" : `purser explain ${installation}`;
  const at = service === undefined ? "" : `Service ${service.namespace}/${service.name}`;
  switch (service?.state) {
    case "missing":
      return { why: `${at} does not exist`, remedy: installation === undefined ? `reinstall ${owner}` : owner };
    case "notReady":
      return { why: `${at} has no ready endpoint`, remedy: `kubectl -n ${service?.namespace} get pods; ${owner}` };
    case "ready":
    case undefined:
      break;
  }
  switch (authority.kind) {
    case "absent":
      // One at a URL may have a certificate that everybody trusts.
      return service === undefined ? undefined : { why: "it has no caBundle", remedy: injectors };
    case "unreadable":
      return { why: "its caBundle holds no certificate", remedy: injectors };
    case "present":
      return authority.notAfter > now
        ? undefined
        : { why: `its caBundle ended at ${formatTime(authority.notAfter)}`, remedy: `renew it; ${owner}` };
  }
}
