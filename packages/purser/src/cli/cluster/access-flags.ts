import type { ClusterAccess } from "@purser/kubernetes/kube/access/kubeconfig";
import { ClusterUnreachableError } from "@purser/kubernetes/kube/http-transport";
import type { Transport } from "@purser/kubernetes/kube/transport";
import { flagOption, type Invocation, listOption, textOption, UsageError } from "../command.ts";
import { parseDuration } from "../output/duration.ts";

/** The access of a kubeconfig as kubectl's flags change it. @throws UsageError for groups or a uid without a user */
export function withAccessFlags(invocation: Invocation, access: ClusterAccess): ClusterAccess {
  const name = textOption(invocation, "as");
  const uid = textOption(invocation, "as-uid");
  const groups = listOption(invocation, "as-group");
  if (name === undefined && (uid !== undefined || groups.length > 0))
    throw new UsageError("--as-group and --as-uid require --as", "add --as USER");
  const tlsServerName = textOption(invocation, "tls-server-name");
  const isInsecure = flagOption(invocation, "insecure-skip-tls-verify");
  const { authority, ...unchecked } = access;
  return {
    // An authority beside a certificate that is not checked is a contradiction, as in kubectl.
    ...(isInsecure || authority === undefined ? unchecked : access),
    ...(isInsecure ? { insecureSkipTlsVerify: true } : {}),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(name === undefined ? {} : { impersonate: { name, groups, extra: {}, ...(uid === undefined ? {} : { uid }) } }),
  };
}

/** A transport whose requests, watches aside, fail as unreachable after `--request-timeout`; 0 means no limit. */
export function withRequestTimeout(invocation: Invocation, transport: Transport): Transport {
  const text = textOption(invocation, "request-timeout");
  if (text === undefined || text === "0") return transport;
  const limitMs = parseDuration(/^\d+$/.test(text) ? `${text}s` : text, "--request-timeout");
  return async (request, signal) => {
    if (request.query?.get("watch") === "true") return transport(request, signal);
    const late = AbortSignal.timeout(limitMs);
    try {
      return await transport(request, AbortSignal.any([signal, late]));
    } catch (error) {
      if (!late.aborted || signal.aborted) throw error;
      throw new ClusterUnreachableError(request.path, new Error(`no answer within ${text}`));
    }
  };
}
