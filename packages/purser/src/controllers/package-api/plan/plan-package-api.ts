import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { Service } from "@purser/kubernetes/apis/core";
import { asJson, type OwnerReference } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { apiServices, services } from "@purser/kubernetes/apis/resources";
import { isJsonObject, member, plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { packagesGroup, packagesVersion } from "../../../apis/v0/package-manifest.ts";

/** A port of a Service. */
export interface ServiceAddress {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Where the package API is reached. */
export type PackageApiAddress =
  /** This process alone, through a Service of type ExternalName. */
  | {
      readonly kind: "process";
      /** A DNS name or an IPv4 address that the cluster's API server can connect to. */
      readonly host: string;
      readonly port: number;
      /** PEM of the authority that issued its certificate. */
      readonly authorityPem: string;
      /** Namespace of the Service. */
      readonly namespace: string;
    }
  /** Every replica, through a Service of the installation. */
  | {
      readonly kind: "service";
      readonly service: ServiceAddress;
      /** Absent: OpenShift's service CA writes it into the APIService. */
      readonly authorityPem?: string;
      /** Where a former installation had its Service of type ExternalName. */
      readonly namespace: string;
      /** The object with which the APIService is deleted. */
      readonly owner?: OwnerReference;
    };

export const packageApiService = `${packagesVersion}.${packagesGroup}`;
export const packageServiceName = "purser-package-api";
const ownLabels = { "app.kubernetes.io/managed-by": "purser" };
const injectAnnotation = "service.beta.openshift.io/inject-cabundle";

export interface PackageApiWorld {
  readonly address: PackageApiAddress;
  readonly apiService: APIService | undefined;
  readonly service: Service | undefined;
}

export type PackageApiAction =
  | { readonly kind: "write"; readonly write: ObjectWrite }
  /** Another server of the API is not available, and loses it. */
  | { readonly kind: "takeOver"; readonly write: ObjectWrite; readonly server: string }
  /** Another server of the API keeps it while it is available. */
  | { readonly kind: "leave"; readonly server: string };

/** Whether Purser wrote the APIService, this process or another. */
export function isOwnApiService({ metadata }: APIService): boolean {
  return metadata.labels?.["app.kubernetes.io/managed-by"] === "purser";
}

/** Whether the APIService names the one with this authority: that of a process alone is issued anew at every start. */
export function namesAuthority({ spec }: APIService, authorityPem: string): boolean {
  return spec?.caBundle === bundleOf(authorityPem);
}

/**
 * Registers the package API: the Service that leads to this process first, where none leads to every replica, then the APIService.
 * The server of somebody else, such as OLM's package server, keeps the API while it is available.
 */
export function planPackageApi(world: PackageApiWorld): Plan<PackageApiAction> {
  const { apiService } = world;
  const server = apiService === undefined || isOwnApiService(apiService) ? undefined : serverOf(apiService);
  if (apiService !== undefined && server !== undefined && isAvailable(apiService))
    return { actions: [{ kind: "leave", server }] };
  const { address } = world;
  const writing = (write: ObjectWrite): PackageApiAction => ({ kind: "write", write });
  const register = apiServiceWrites(world).map((write): PackageApiAction =>
    server === undefined ? writing(write) : { kind: "takeOver", write, server },
  );
  return {
    actions:
      address.kind === "process"
        ? [...processServiceWrites(address, world.service).map(writing), ...register]
        : [...register, ...formerServiceWrites(world.service).map(writing)],
  };
}

/** `namespace/name` of the Service that an APIService leads to. */
function serverOf({ spec }: APIService): string {
  const { namespace = "", name = "" } = spec?.service ?? {};
  return `${namespace}/${name}`;
}

function isAvailable({ status }: APIService): boolean {
  return findCondition(status?.conditions, "Available")?.status === "True";
}

/** A former leader's own Service, when one for all replicas has taken its place. */
function formerServiceWrites(service: Service | undefined): readonly ObjectWrite[] {
  if (service?.metadata.labels?.["app.kubernetes.io/managed-by"] !== "purser") return [];
  const { namespace = "", name = "" } = service.metadata;
  return [{ verb: "delete", type: services, key: { namespace, name }, preconditions: preconditionsOf(service) }];
}

function processServiceWrites(
  { host, port, namespace }: Extract<PackageApiAddress, { readonly kind: "process" }>,
  service: Service | undefined,
): readonly ObjectWrite[] {
  const key = { namespace, name: packageServiceName };
  const spec = { type: "ExternalName", externalName: host, ports: [{ name: "https", port, protocol: "TCP" }] };
  const object = { apiVersion: "v1", kind: "Service", metadata: { ...key, labels: ownLabels }, spec };
  const create: ObjectWrite = { verb: "create", type: services, object };
  if (service === undefined) return [create];
  const held = member(asJson(service), "spec");
  const [heldPort] = isJsonObject(held) && Array.isArray(held["ports"]) ? held["ports"] : [];
  const isSame =
    isJsonObject(held) &&
    held["type"] === spec.type &&
    held["externalName"] === host &&
    isJsonObject(heldPort) &&
    heldPort["port"] === port;
  if (isSame) return [];
  // A Service of another type has an address of the cluster, which cannot be taken from it.
  return [{ verb: "delete", type: services, key, preconditions: preconditionsOf(service) }, create];
}

function apiServiceWrites({ address, apiService }: PackageApiWorld): readonly ObjectWrite[] {
  const { authorityPem } = address;
  const caBundle = authorityPem === undefined ? apiService?.spec?.caBundle : bundleOf(authorityPem);
  const spec = {
    group: packagesGroup,
    version: packagesVersion,
    groupPriorityMinimum: 2000,
    versionPriority: 15,
    ...(caBundle === undefined ? {} : { caBundle }),
    service:
      address.kind === "process"
        ? { namespace: address.namespace, name: packageServiceName, port: address.port }
        : address.service,
  };
  const kind = { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService" };
  const annotations = authorityPem === undefined ? { annotations: { [injectAnnotation]: "true" } } : {};
  const owner = address.kind === "service" ? address.owner : undefined;
  const owners = owner === undefined ? {} : { ownerReferences: [owner] };
  const metadata = { name: packageApiService, labels: ownLabels, ...annotations, ...owners };
  if (apiService === undefined) return [{ verb: "create", type: apiServices, object: { ...kind, metadata, spec } }];
  const isInjected = apiService.metadata.annotations?.[injectAnnotation] === "true";
  const isSame =
    isOwnApiService(apiService) &&
    isInjected === (authorityPem === undefined) &&
    apiService.metadata.ownerReferences?.[0]?.uid === owner?.uid &&
    deepEqual(plainJson(apiService.spec ?? {}), plainJson(spec));
  if (isSame) return [];
  // Replaced whole, so that no label of a former owner makes that owner's controllers delete it.
  const { resourceVersion } = apiService.metadata;
  const held = resourceVersion === undefined ? metadata : { ...metadata, resourceVersion };
  return [{ verb: "replace", type: apiServices, object: { ...kind, metadata: held, spec } }];
}

function preconditionsOf({ metadata: { uid, resourceVersion } }: Service): {
  readonly uid?: string;
  readonly resourceVersion?: string;
} {
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

function bundleOf(authorityPem: string): string {
  return btoa(authorityPem);
}
