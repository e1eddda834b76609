import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import { findCondition } from "@purser/kubernetes/apis/condition";
import type { Service } from "@purser/kubernetes/apis/core";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { apiServices, services } from "@purser/kubernetes/apis/resources";
import { isJsonObject, member, plainJson } from "@purser/kubernetes/json";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { packagesGroup, packagesVersion } from "../../../apis/v0/package-manifest.ts";

/** Where the package API of this process is reached. */
export interface PackageApiAddress {
  /** A DNS name or an IPv4 address that the cluster's API server can connect to. */
  readonly host: string;
  readonly port: number;
  /** PEM of the authority that issued its certificate. */
  readonly authorityPem: string;
  /** Namespace of the Service. */
  readonly namespace: string;
}

export const packageApiService = `${packagesVersion}.${packagesGroup}`;
export const packageServiceName = "purser-package-api";
const ownLabels = { "app.kubernetes.io/managed-by": "purser" };

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

/** Whether the APIService names this very process: authorities are issued anew at every start. */
export function namesAuthority({ spec }: APIService, authorityPem: string): boolean {
  return spec?.caBundle === bundleOf(authorityPem);
}

/**
 * Registers the package API of this process: the Service that leads to it first, then the APIService. The server of
 * somebody else, such as OLM's package server, keeps the API while it is available.
 */
export function planPackageApi(world: PackageApiWorld): Plan<PackageApiAction> {
  const { apiService } = world;
  const server = apiService === undefined || isOwnApiService(apiService) ? undefined : serverOf(apiService);
  if (apiService !== undefined && server !== undefined && isAvailable(apiService))
    return { actions: [{ kind: "leave", server }] };
  return {
    actions: [
      ...serviceWrites(world).map((write) => ({ kind: "write", write }) as const),
      ...apiServiceWrites(world).map((write) =>
        server === undefined ? ({ kind: "write", write } as const) : ({ kind: "takeOver", write, server } as const),
      ),
    ],
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

function serviceWrites({ address, service }: PackageApiWorld): readonly ObjectWrite[] {
  const { host, port, namespace } = address;
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
  const spec = {
    group: packagesGroup,
    version: packagesVersion,
    groupPriorityMinimum: 2000,
    versionPriority: 15,
    caBundle: bundleOf(address.authorityPem),
    service: { namespace: address.namespace, name: packageServiceName, port: address.port },
  };
  const kind = { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService" };
  const metadata = { name: packageApiService, labels: ownLabels };
  if (apiService === undefined) return [{ verb: "create", type: apiServices, object: { ...kind, metadata, spec } }];
  const isSame = isOwnApiService(apiService) && deepEqual(plainJson(apiService.spec ?? {}), plainJson(spec));
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
