import { createHash } from "node:crypto";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { issuer } from "./authentication/service-account-tokens.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { HandlerParts } from "./handler-parts.ts";
import { healthAnswer, healthPaths } from "./health.ts";
import type { Answer } from "./request/answer.ts";
import { answerObject, pageNotFound } from "./request/answer.ts";
import { negotiate, negotiateDiscovery, negotiateOnly } from "./request/negotiation.ts";
import { methodNotAllowed, unrouted } from "./request/refusal.ts";
import { writeYaml } from "@purser/kubernetes/text/documents";
import { remoteGroup, withRemoteGroupList, withRemoteGroups } from "./aggregation/remote-groups.ts";
import { aggregatedDiscovery, coreVersions, groupDocument, groupList, resourceList } from "./registry/discovery.ts";
import type { Call } from "./call.ts";
import { turns } from "./turns.ts";

/** The Kubernetes release whose behaviour is served. */
const version = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.3",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: "linux/amd64",
};

const otherPaths = [
  "/.well-known/openid-configuration",
  "/api",
  "/apis",
  "/apis/",
  "/metrics",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/",
  "/openid/v1/jwks",
  "/version",
];

function text(code: number, body: string): Extract<Answer, { readonly kind: "text" }> {
  return { kind: "text", code, contentType: "text/plain; charset=utf-8", text: body };
}

/** Health, version, discovery, OpenAPI: every path that names no resource. */
export async function nonResource(
  parts: HandlerParts,
  request: ApiRequest,
  rawPath: string,
  { user, signal }: Pick<Call, "user" | "signal">,
): Promise<Result<Answer, ApiStatus>> {
  const path = rawPath.length > 1 ? rawPath.replace(/\/$/, "") : rawPath;
  const [first = "", second = "", third = ""] = path.split("/").slice(1);
  switch (first) {
    case "":
      return path === "/" && rawPath === "/" ? onlyGet(request, servedPaths(parts)) : done(pageNotFound);
    case "version":
      return second === "" ? versionAnswer(request) : done(pageNotFound);
    case "healthz":
    case "livez":
    case "readyz":
      // Whatever the method: health is asked for by many kinds of programs.
      return done(
        rawPath.endsWith("/")
          ? pageNotFound
          : healthAnswer(parts.machinery, first, path.slice(first.length + 2), request),
      );
    case "api":
      return second === "" ? discovery(parts, request, true) : documentOr(parts, request, "", second);
    case "apis":
      if (second === "") return path === "/apis" ? discovery(parts, request, false) : done(pageNotFound);
      if (third === "") return groupAnswer(parts, request, second);
      return documentOr(parts, request, second, third);
    case "openapi":
      return inTurn(await parts.remoteOpenApi.answer(parts.machinery, request, path, user, signal));
    case ".well-known":
      return second === "openid-configuration" ? openIdConfiguration(parts, request) : done(pageNotFound);
    case "openid":
      return path === "/openid/v1/jwks" ? keySet(parts, request) : done(pageNotFound);
    case "metrics":
      return second === "" ? onlyGet(request, text(200, metrics(parts))) : done(pageNotFound);
    default:
      return done(pageNotFound);
  }
}

/** Many clients may ask for the same large document at once. */
async function inTurn(answer: Result<Answer, ApiStatus>): Promise<Result<Answer, ApiStatus>> {
  if (answer.ok && answer.value.kind === "document") await turns.before(answer.value.size ?? 0);
  return answer;
}

function onlyGet({ method }: ApiRequest, answer: Answer): Result<Answer, ApiStatus> {
  return method === "GET" ? done(answer) : methodNotAllowed();
}

function versionAnswer(request: ApiRequest): Result<Answer, ApiStatus> {
  if (request.method !== "GET") return methodNotAllowed();
  return negotiateOnly(request.headers?.["accept"], "application/json") ?? done(indented(version));
}

function openIdConfiguration(parts: HandlerParts, request: ApiRequest): Result<Answer, ApiStatus> {
  if (request.method !== "GET") return methodNotAllowed();
  return (
    negotiateOnly(request.headers?.["accept"], "application/json") ??
    done({
      kind: "document",
      code: 200,
      headers: { "content-type": "application/json", "cache-control": "public, max-age=3600" },
      object: {
        issuer,
        jwks_uri: `https://${parts.serverAddress()}/openid/v1/jwks`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      },
    })
  );
}

async function keySet(parts: HandlerParts, request: ApiRequest): Promise<Result<Answer, ApiStatus>> {
  if (request.method !== "GET") return methodNotAllowed();
  const refused = negotiateOnly(request.headers?.["accept"], "application/jwk-set+json");
  if (refused !== undefined) return refused;
  return done({
    kind: "document",
    code: 200,
    headers: { "content-type": "application/jwk-set+json", "cache-control": "public, max-age=3600" },
    object: await parts.publicKeys(),
  });
}

function metrics({ machinery }: HandlerParts): string {
  const lines = machinery.storage
    .tables()
    .map((table) => `apiserver_storage_objects{resource="${table}"} ${machinery.storage.count(table)}`);
  return `# HELP apiserver_storage_objects Number of stored objects at the time of last check split by kind.\n# TYPE apiserver_storage_objects gauge\n${lines.join("\n")}\n`;
}

function servedPaths({ machinery }: HandlerParts): Answer {
  const paths = [...otherPaths, ...healthPaths()];
  for (const { name, versions } of machinery.registry().groups) {
    if (name !== "") paths.push(`/apis/${name}`);
    for (const held of versions) paths.push(name === "" ? `/api/${held.version}` : `/apis/${name}/${held.version}`);
  }
  return indented({ paths: paths.toSorted() });
}

/** A document that is written for people, whoever asks. */
function indented(object: JsonObject): Answer {
  return { kind: "document", code: 200, headers: { "content-type": "application/json" }, object, indented: true };
}

function discovery(parts: HandlerParts, request: ApiRequest, core: boolean): Result<Answer, ApiStatus> {
  if (request.method !== "GET") return methodNotAllowed();
  const encoding = negotiateDiscovery(request.headers?.["accept"]);
  const registry = parts.machinery.registry();
  const remote = core ? [] : parts.remoteGroups.versions();
  if (encoding === undefined)
    return encoded(
      request,
      core ? coreVersions(parts.serverAddress()) : withRemoteGroupList(groupList(registry), remote),
      core,
    );
  const own = aggregatedDiscovery(registry, core);
  const object = remote.length === 0 ? own : withRemoteGroups(own, remote);
  const tag = `"${createHash("sha512").update(JSON.stringify(object)).digest("hex").toUpperCase()}"`;
  const headers = {
    "content-type": `application/${encoding};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
    "cache-control": "public",
    vary: "Accept",
    etag: tag,
  };
  if (request.headers?.["if-none-match"] === tag) return done({ kind: "document", code: 304, headers });
  return done(
    encoding === "yaml"
      ? { kind: "text", code: 200, contentType: headers["content-type"], text: writeYaml(object), headers }
      : { kind: "document", code: 200, headers, object },
  );
}

/** Discovery documents exist in the plain forms only. `routed`: their path looks at media types itself. */
function encoded(request: ApiRequest, object: JsonObject, routed: boolean): Result<Answer, ApiStatus> {
  if (request.method !== "GET") return methodNotAllowed();
  const chosen = negotiate(request.headers?.["accept"], { routed, shapes: "none" });
  return chosen.ok ? done(answerObject(200, object, chosen.value.encoding)) : chosen;
}

function groupAnswer(parts: HandlerParts, request: ApiRequest, group: string): Result<Answer, ApiStatus> {
  const own = groupDocument(parts.machinery.registry(), group);
  const object = own ?? remoteGroup(parts.remoteGroups.versions(), group);
  return object === undefined ? done(pageNotFound) : encoded(request, object, false);
}

function documentOr(
  parts: HandlerParts,
  request: ApiRequest,
  group: string,
  groupVersion: string,
): Result<Answer, ApiStatus> {
  const registry = parts.machinery.registry();
  const object = resourceList(registry, group, groupVersion);
  if (object !== undefined) return encoded(request, object, !registry.isCustom(group));
  return registry.group(group) === undefined ? done(pageNotFound) : unrouted();
}
