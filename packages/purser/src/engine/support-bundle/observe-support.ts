import type { Pod } from "@purser/kubernetes/apis/core";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { deployments, events, leases, pods } from "@purser/kubernetes/apis/resources";
import { isMissingRight, isRefused } from "@purser/kubernetes/kube/refusal";
import type { ApiBody } from "@purser/kubernetes/kube/transport";
import { ownTypes } from "../../apis/olm-resources.ts";
import { ownLabels } from "../../deploy/labels.ts";
import { type DoctorOptions, observeDoctor } from "../doctor/observe-doctor.ts";
import { doctorChecks } from "../doctor/plan/doctor-checks.ts";
import { ownLease } from "../takeover/plan/manager-findings.ts";
import { type ObservedKind, eventsAfter, type SupportWorld } from "./plan/bundle-files.ts";

const mostObjects = 500;
const mostLines = 5000;
const mostLogBytes = 2 ** 20;

/** Which part of the cluster and of time a bundle is about. */
export interface SupportPart {
  /** Only objects of this one, beside those without a namespace. */
  readonly namespace: string | undefined;
  /** Only events and lines of logs that are not older. */
  readonly sinceMs: number | undefined;
}

/**
 * Reads what a support bundle holds: at most 500 objects of each kind and the last MiB of each log. Reads no Secrets but the
 * certificates that `purser doctor` looks at.
 */
export async function observeSupport(
  options: DoctorOptions,
  { namespace, sinceMs }: SupportPart,
  signal: AbortSignal,
): Promise<SupportWorld> {
  const own = Object.entries(ownLabels)
    .map((label) => label.join("="))
    .join(",");
  const scope = namespace === undefined ? {} : { namespace };
  const unread = new Set<string>();
  const read = async (type: ResourceType, selector: object): Promise<ObservedKind> => {
    const resource = type.group === "" ? type.plural : `${type.plural}.${type.group}`;
    try {
      const page = await options.client.page(type, selector, { limit: mostObjects }, signal);
      return { resource, objects: page.items, isCut: page.continueToken !== undefined };
    } catch (error) {
      // A kind that is not served has no objects.
      if (isRefused(error, "notFound")) return { resource, objects: [], isCut: false };
      if (!isMissingRight(error)) throw error;
      unread.add(`list ${resource}`);
      return { resource, objects: [], isCut: false };
    }
  };
  const ofPurser = (await read(pods, { labelSelector: own })).objects as readonly Pod[];
  const world = await observeDoctor(options, signal);
  for (const right of world.unread) unread.add(right);
  const kinds: ObservedKind[] = [];
  for (const type of ownTypes) kinds.push(await read(type, type.namespaced ? scope : {}));
  const seen = await read(events, scope);
  const after = sinceMs === undefined ? undefined : options.clock.now() - sinceMs;
  kinds.push(
    after === undefined ? seen : { ...seen, objects: eventsAfter(seen.objects, after) },
    await read(deployments, { labelSelector: own }),
    await read(leases, { fieldSelector: `metadata.name=${ownLease}` }),
    { resource: "pods", objects: ofPurser, isCut: false },
  );
  return {
    versions: { client: world.client.version, cluster: world.cluster.version },
    checks: doctorChecks(world),
    kinds,
    unread: [...unread].toSorted(),
    logs: (await Promise.all(ofPurser.map((pod) => logsOf(pod, options, sinceMs, signal)))).flat(),
  };
}

async function logsOf(
  { metadata: { namespace = "", name = "" }, spec }: Pod,
  { transport }: DoctorOptions,
  sinceMs: number | undefined,
  signal: AbortSignal,
): Promise<SupportWorld["logs"]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log`;
  return Promise.all(
    (spec?.containers ?? []).map(async (container) => {
      const limits = {
        tailLines: String(mostLines),
        limitBytes: String(mostLogBytes),
        ...(sinceMs === undefined ? {} : { sinceSeconds: String(Math.max(1, Math.ceil(sinceMs / 1000))) }),
      };
      const query = new URLSearchParams({ container: container.name, ...limits });
      const { status, body } = await transport({ method: "GET", path, query }, signal);
      const text = await textOf(body);
      return {
        namespace,
        pod: name,
        container: container.name,
        text: status === 200 ? text : `the API server returned no log: ${status} ${text}\n`,
      };
    }),
  );
}

async function textOf(body: ApiBody | undefined): Promise<string> {
  switch (body?.kind) {
    case "object":
      return JSON.stringify(body.value);
    case "bytes":
      return new TextDecoder().decode(body.bytes);
    case "stream": {
      const decoder = new TextDecoder();
      let text = "";
      for await (const chunk of body.chunks) text += decoder.decode(chunk, { stream: true });
      return text;
    }
    case "texts":
      return [...body.texts].join("");
    case "events":
    case undefined:
      return "";
  }
}
