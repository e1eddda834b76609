import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { statusObject, statusOf } from "@purser/kubernetes/apis/status";
import type { JsonObject } from "@purser/kubernetes/json";
import type { UserInfo } from "@purser/kubernetes/kube/transport";
import { turns } from "@purser/kubernetes/system/turns";
import { packagesGroup, packagesVersion } from "../../apis/v0/package-manifest.ts";
import {
  aggregatedDiscovery,
  groupDocument,
  groupList,
  resourceList,
} from "../../package-manifests/package-discovery.ts";
import { packageIcon } from "../../package-manifests/package-icon.ts";
import { openApi3, swagger } from "../../package-manifests/package-open-api.ts";
import {
  apiRoot,
  methodNotAllowed,
  type PackageRequest,
  packageRequest,
  type PackageResource,
  plural,
  resourceOf,
} from "../../package-manifests/package-request.ts";
import { listFrame, listItem, singleManifest } from "../../package-manifests/written-manifests.ts";
import type { AccessReviews, AskedAccess } from "../callers/access-reviews.ts";
import { isReady, offeredPackages, type OfferingOptions } from "./offered-packages.ts";

/** A request with the user that is believed to have sent it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly ifNoneMatch: string;
  readonly user: UserInfo;
}

export interface PackageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In pieces that are made while they are sent. */
  readonly body: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
}

export interface AnsweringOptions extends OfferingOptions {
  readonly reviews: AccessReviews;
}

/** Paths that everybody may ask for. */
const probes = ["/healthz", "/livez", "/readyz"];

/** Answers as the API server of `packages.operators.coreos.com`. @throws when the cluster's API server does not answer */
export async function answerPackageRequest(
  request: ReceivedRequest,
  options: AnsweringOptions,
  signal: AbortSignal,
): Promise<PackageAnswer> {
  const { method, path, query } = request;
  if (probes.includes(path)) {
    const ready = path !== "/readyz" || (await isReady(options));
    return ready ? plain(200, "ok") : plain(500, "catalogs are being read");
  }
  const resource = resourceOf(method, path, query);
  const allowed = await options.reviews.allows(request.user, askedAccess(request, resource), signal);
  if (!allowed) return refused(forbidden(request, resource));
  if (resource === undefined) return document(request);
  const asked = packageRequest(resource, query, request.accept);
  if (!asked.ok) return refused(asked.problem);
  switch (asked.value.kind) {
    case "list":
      return list(asked.value, options, signal);
    case "get":
      return single(asked.value, options, signal);
    case "icon":
      return icon(asked.value, request.ifNoneMatch, options, signal);
  }
}

function askedAccess({ method, path }: ReceivedRequest, resource: PackageResource | undefined): AskedAccess {
  if (resource === undefined) return { kind: "path", path, verb: method.toLowerCase() };
  return { kind: "resource", group: packagesGroup, version: packagesVersion, resource: plural, ...resource };
}

function forbidden({ method, path, user }: ReceivedRequest, resource: PackageResource | undefined): ApiStatus {
  const who = `User ${JSON.stringify(user.name)} cannot`;
  if (resource === undefined)
    return statusOf("Forbidden", `forbidden: ${who} ${method.toLowerCase()} path ${JSON.stringify(path)}`);
  const { verb, namespace, name, subresource } = resource;
  const what = subresource === undefined ? plural : `${plural}/${subresource}`;
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const object = name === undefined ? "" : ` ${JSON.stringify(name)}`;
  return statusOf(
    "Forbidden",
    `${plural}.${packagesGroup}${object} is forbidden: ${who} ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(packagesGroup)} ${where}`,
    { group: packagesGroup, kind: plural, ...(name === undefined ? {} : { name }) },
  );
}

/** Discovery and OpenAPI. */
function document({ method, path, accept }: ReceivedRequest): PackageAnswer {
  if (method !== "GET" && method !== "HEAD") return refused(methodNotAllowed);
  switch (path) {
    case "/apis":
    case "/apis/":
      return /;as=apigroupdiscoverylist/i.test(accept)
        ? json(aggregatedDiscovery, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
        : json(groupList);
    case `/apis/${packagesGroup}`:
      return json(groupDocument);
    case apiRoot:
      return json(resourceList);
    case "/openapi/v2":
      return json(swagger);
    case "/openapi/v3":
      return json({ paths: { [apiRoot.slice(1)]: { serverRelativeURL: `/openapi/v3${apiRoot}` } } });
    case `/openapi/v3${apiRoot}`:
      return json(openApi3);
    default:
      return plain(404, "404 page not found");
  }
}

async function list(
  request: Extract<PackageRequest, { readonly kind: "list" }>,
  options: OfferingOptions,
  signal: AbortSignal,
): Promise<PackageAnswer> {
  const { packages, missing } = await offeredPackages(options, request.namespace, request.name, signal);
  const { head, tail } = listFrame(request.form);
  const now = options.clock.now();
  const pieces = async function* (): AsyncGenerator<string> {
    yield head;
    let isFirst = true;
    for (const { offered } of packages) {
      const package_ = offered();
      const item = package_ === undefined ? undefined : listItem(package_, request, now);
      // A package is read and written in one go; whatever else the process does comes between two of them.
      await turns.before(item?.length ?? 1024);
      if (item === undefined) continue;
      yield isFirst ? item : `,${item}`;
      isFirst = false;
    }
    yield tail;
  };
  return { status: 200, headers: { "content-type": "application/json", ...warnings(missing) }, body: pieces() };
}

async function single(
  request: Extract<PackageRequest, { readonly kind: "get" }>,
  options: OfferingOptions,
  signal: AbortSignal,
): Promise<PackageAnswer> {
  const { packages, missing } = await offeredPackages(options, request.namespace, request.name, signal);
  for (const { offered } of packages) {
    const package_ = offered();
    const text = package_ === undefined ? undefined : singleManifest(package_, request, options.clock.now());
    if (text !== undefined) return { status: 200, headers: { "content-type": "application/json" }, body: [text] };
  }
  const { name } = request;
  const status = statusOf("NotFound", `${plural}.${packagesGroup} ${JSON.stringify(name)} not found`, {
    name,
    group: packagesGroup,
    kind: plural,
  });
  return refused(status, warnings(missing));
}

/** A catalog chooses the media type: whatever it names, a browser must not run it. */
const inert = { "x-content-type-options": "nosniff", "content-security-policy": "default-src 'none'; sandbox" };

async function icon(
  { namespace, name }: Extract<PackageRequest, { readonly kind: "icon" }>,
  ifNoneMatch: string,
  options: OfferingOptions,
  signal: AbortSignal,
): Promise<PackageAnswer> {
  const { packages } = await offeredPackages(options, namespace, name, signal);
  for (const { offered } of packages) {
    const package_ = offered();
    const found = package_ === undefined ? undefined : packageIcon(package_);
    if (found === undefined) continue;
    const { mediaType, bytes, etag } = found;
    if (isKnown(etag, ifNoneMatch)) return { status: 304, headers: { etag }, body: [] };
    const headers = { "content-type": mediaType, "content-length": String(bytes.length), etag, ...inert };
    return { status: 200, headers, body: [bytes] };
  }
  return { status: 404, headers: { "content-length": "0" }, body: [] };
}

function isKnown(etag: string, ifNoneMatch: string): boolean {
  return ifNoneMatch.split(",").some((tag) => ["*", etag, `W/${etag}`].includes(tag.trim()));
}

/** Kubernetes clients print these. */
function warnings(missing: readonly string[]): Readonly<Record<string, string>> {
  const texts = missing.map((name) => `299 - "CatalogSource ${name} has no content: its packages are missing"`);
  return texts.length === 0 ? {} : { warning: texts.join(", ") };
}

function json(object: JsonObject, contentType = "application/json"): PackageAnswer {
  return { status: 200, headers: { "content-type": contentType }, body: [`${JSON.stringify(object)}\n`] };
}

function refused(status: ApiStatus, headers: Readonly<Record<string, string>> = {}): PackageAnswer {
  const text = `${JSON.stringify(statusObject(status))}\n`;
  return { status: status.code, headers: { "content-type": "application/json", ...headers }, body: [text] };
}

function plain(status: number, text: string): PackageAnswer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: [text] };
}
