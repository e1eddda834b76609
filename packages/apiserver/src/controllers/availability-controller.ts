import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import { asJson, parseKey } from "@purser/kubernetes/apis/object";
import { apiServices, services } from "@purser/kubernetes/apis/resources";
import type { Result } from "@purser/kubernetes/result";
import { slicesOf } from "../aggregation/service-target.ts";
import { objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { ownKey, type BuiltInController, type Pass } from "./runtime.ts";
import type { StoredChange } from "../storage/storage.ts";

/** Probes the server behind an APIService; the problem is the message of the condition. */
export type Prober = (service: APIService) => Promise<Result<undefined, string>>;

const healthyMs = 30_000;
const failingMs = 1000;

interface Verdict {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** Maintains the condition `Available` of aggregated APIs; local ones get it on creation. */
export function availabilityController(probe: Prober): BuiltInController {
  // Keys of the APIServices that refer to a Service, for changes of the Service and its EndpointSlices.
  const named = new Map<string, Set<string>>();
  const affected = (service: string): readonly string[] => [...(named.get(service) ?? [])];
  return {
    name: "apiservice-availability-controller",
    watches: [
      { table: "apiservices.apiregistration.k8s.io", keys: ownKey },
      { table: "services", keys: ({ key }) => affected(key) },
      { table: "endpointslices.discovery.k8s.io", keys: (change) => affected(ownerOf(change)) },
    ],
    reconcile: async (key, pass) => {
      const service = pass.get(apiServices, parseKey(key));
      const { namespace = "", name = "" } = service?.spec?.service ?? {};
      if (service?.spec?.service === undefined) return undefined;
      const target = `${namespace}/${name}`;
      named.set(target, (named.get(target) ?? new Set()).add(key));
      const verdict = await judge(pass, service, probe);
      await write(pass, key, verdict);
      return verdict.status === "True" ? healthyMs : failingMs;
    },
  };
}

function ownerOf({ before, after, key }: StoredChange): string {
  const labels = (after ?? before)?.metadata.labels ?? {};
  return `${key.slice(0, key.indexOf("/"))}/${labels["kubernetes.io/service-name"] ?? ""}`;
}

async function judge(pass: Pass, service: APIService, probe: Prober): Promise<Verdict> {
  const { namespace = "", name = "" } = service.spec?.service ?? {};
  const found = pass.get(services, { namespace, name });
  const refuse = (reason: string, message: string): Verdict => ({ status: "False", reason, message });
  if (found === undefined)
    return refuse("ServiceNotFound", `service/${name} in ${JSON.stringify(namespace)} is not present`);
  const type = textIn(objectIn(asJson(found), "spec"), "type");
  if (type !== "ExternalName" && slicesOf(pass.storage, namespace, name).length === 0)
    return refuse(
      "EndpointsNotFound",
      `cannot find endpointslices for service/${name} in ${JSON.stringify(namespace)}`,
    );
  const answer = await probe(service);
  return answer.ok
    ? { status: "True", reason: "Passed", message: "all checks passed" }
    : refuse("FailedDiscoveryCheck", answer.problem);
}

async function write(pass: Pass, key: string, verdict: Verdict): Promise<void> {
  const service = pass.get(apiServices, parseKey(key));
  if (service?.spec?.service === undefined) return;
  const held = objectsIn(objectIn(asJson(service), "status"), "conditions");
  const before = held.find(({ type }) => type === "Available");
  if (
    before?.["status"] === verdict.status &&
    before["reason"] === verdict.reason &&
    before["message"] === verdict.message
  )
    return;
  const since = before?.["status"] === verdict.status ? before["lastTransitionTime"] : undefined;
  const condition = { type: "Available", status: verdict.status, lastTransitionTime: since ?? pass.now() };
  const conditions = [
    ...held.filter((other) => other !== before),
    { ...condition, reason: verdict.reason, message: verdict.message },
  ];
  await pass.writer.replace(apiServices, { ...service, status: { conditions } } as unknown as APIService, "status");
}
