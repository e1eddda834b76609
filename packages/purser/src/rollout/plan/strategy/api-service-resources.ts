import type { APIServiceDescription } from "../../../apis/v0/cluster-service-version.ts";
import { caHashAnnotation } from "../../../apis/v0/labels.ts";
import { aggregate } from "../../../go-aggregate.ts";
import { isAdoptable } from "./csv-api-service.ts";
import { hashOfAuthority } from "./serving-authority.ts";
import { servingNames } from "./serving-names.ts";
import { podAccount } from "./serving-resources.ts";
import type { StrategyWorld } from "./strategy-world.ts";

/** Whether an install would repair what is wrong with the objects of owned APIServices; `message` is OLM's text. */
export type ApiServiceResources =
  | { readonly kind: "consistent" }
  | { readonly kind: "repairable" | "unadoptable"; readonly message: string };

/**
 * Whether every object with which the CSV serves its own APIs exists and belongs to the others, as OLM's
 * `checkAPIServiceResources`. Webhooks have no such check.
 */
export function checkApiServiceResources(world: StrategyWorld): ApiServiceResources {
  const faults: string[] = [];
  for (const description of world.csv.spec.apiservicedefinitions?.owned ?? []) {
    const name = `${description.version}.${description.group}`;
    const live = world.apiServices.get(name);
    if (live !== undefined && !isAdoptable(world, live)) {
      // Nothing else matters to an API of another operator.
      return { kind: "unadoptable", message: aggregate([...faults, `${name} is unadoptable`]) };
    }
    faults.push(...faultsOf(world, name, description));
  }
  return faults.length === 0 ? { kind: "consistent" } : { kind: "repairable", message: aggregate(faults) };
}

const missing = (resource: string, name: string): string => `${resource} "${name}" not found`;

/** The first fault of one API, or all of what is missing beside its certificate. */
function faultsOf(
  world: StrategyWorld,
  name: string,
  { deploymentName: deployment = "" }: APIServiceDescription,
): readonly string[] {
  const names = servingNames(deployment);
  const apiService = world.apiServices.get(name);
  if (apiService === undefined) return [missing("apiservice.apiregistration.k8s.io", name)];
  if (!world.services.has(names.service)) return [missing("service", names.service)];
  const { service, caBundle = "" } = apiService.spec ?? {};
  if (service?.name !== names.service || service.namespace !== world.csv.metadata.namespace)
    return ["found APIService and service reference mismatch"];
  const authorityFault = world.unreadableAuthorities.get(name);
  if (authorityFault !== undefined) return [authorityFault];
  const secret = world.secrets.get(names.secret);
  if (secret === undefined) return [missing("secret", names.secret)];
  const certificateFault = world.certificates.get(deployment)?.unreadable;
  if (certificateFault !== undefined) return [certificateFault];
  const hash = hashOfAuthority(caBundle);
  const hasHash = (annotations: Readonly<Record<string, string>> | undefined): boolean =>
    hash !== undefined && annotations?.[caHashAnnotation] === hash;
  if (!hasHash(secret.metadata.annotations)) return [`secret ${names.secret} CA cert hash does not match expected`];
  const template = world.deployments.find(({ metadata }) => metadata.name === deployment)?.spec?.template;
  if (template === undefined) return [missing("deployment.apps", deployment)];
  if (!hasHash(template.metadata?.annotations))
    return [`deployment ${deployment} CA cert hash does not match expected`];
  const account = podAccount(template);
  const rbac = (resource: string): string => `${resource}.rbac.authorization.k8s.io`;
  return [
    ...(world.serviceAccounts.has(account) ? [] : [missing("serviceaccounts", account)]),
    ...(world.roles.has(names.secret) ? [] : [missing(rbac("role"), names.secret)]),
    ...(world.roleBindings.has(names.secret) ? [] : [missing(rbac("rolebinding"), names.secret)]),
    ...(world.authDelegators.has(names.authDelegator)
      ? []
      : [missing(rbac("clusterrolebinding"), names.authDelegator)]),
    ...(world.authReaders.has(names.authReader) ? [] : [missing(rbac("rolebinding"), names.authReader)]),
  ];
}
