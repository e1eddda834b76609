import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import { apiServices } from "@purser/kubernetes/apis/resources";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { Clock } from "@purser/kubernetes/clock";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import type { ApiRequest, UserInfo } from "@purser/kubernetes/kube/transport";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import { objectIn } from "../kinds/decoding/json-parts.ts";
import type { Machinery } from "../machinery.ts";
import { hashed, openApiAnswer, unlessKnown, type HashedDocument } from "../openapi/openapi.ts";
import { tableOf } from "../registry/served-kind.ts";
import type { Answer } from "../request/answer.ts";
import type { FrontProxy } from "./front-proxy.ts";
import { textOf } from "./front-proxy.ts";
import { mergeSwagger, swaggerToV3 } from "./openapi-merge.ts";
import { isAvailable } from "./remote-groups.ts";

/** The user that reads the documents of aggregated servers. */
const reader: UserInfo = { name: "system:aggregator", groups: [] };
/** Timeout of a request for a document; results are cached for `freshMs`. */
const timeoutMs = 5000;
const freshMs = 10_000;

/** The OpenAPI documents of one aggregated server; parts that it does not serve are undefined. */
interface Specification {
  readonly service: APIService;
  readonly atMs: number;
  /** Its OpenAPI 3 index: paths of documents and their URLs. */
  readonly index: JsonObject | undefined;
  readonly swagger: JsonObject | undefined;
}

/** The OpenAPI documents of aggregated servers, merged into this server's own. */
export class RemoteOpenApi {
  readonly #clock: Clock;
  readonly #proxy: FrontProxy;
  readonly #specifications = new Map<string, Promise<Specification>>();
  /** The last OpenAPI 2 document of all servers, and the objects it was merged from. */
  #merged: { readonly parts: readonly object[]; readonly document: HashedDocument } | undefined;

  constructor(clock: Clock, proxy: FrontProxy) {
    this.#clock = clock;
    this.#proxy = proxy;
  }

  async answer(
    machinery: Machinery,
    request: ApiRequest,
    path: string,
    user: UserInfo,
    signal: AbortSignal,
  ): Promise<Result<Answer, ApiStatus>> {
    const services = availableServices(machinery);
    const own = openApiAnswer(machinery, request, path);
    if (services.length === 0 || !own.ok || (request.method !== "GET" && request.method !== "HEAD")) return own;
    const specifications = await Promise.all(services.map((service) => this.#ask(service, signal)));
    if (path === "/openapi/v3") return done(withIndexes(own.value, specifications));
    if (path === "/openapi/v2") return done(this.#withSwaggers(machinery, request, own.value, specifications));
    const isMissing = own.value.kind === "document" && own.value.code === 404;
    return isMissing ? this.#document(own.value, specifications, request, path, user, signal) : own;
  }

  /** OpenAPI 3 document of one group and version: forwarded, or converted from the server's OpenAPI 2 document. */
  async #document(
    missing: Answer,
    specifications: readonly Specification[],
    request: ApiRequest,
    path: string,
    user: UserInfo,
    signal: AbortSignal,
  ): Promise<Result<Answer, ApiStatus>> {
    const place = path.slice("/openapi/v3/".length);
    const publisher = specifications.find(({ index }) => index !== undefined && Object.hasOwn(index, place));
    if (publisher !== undefined) {
      const answer = await this.#proxy.forward(publisher.service, request, user, signal);
      return done(answer.ok ? { kind: "proxied", response: answer.value } : missing);
    }
    const older = specifications.find(({ service, index }) => index === undefined && placeOf(service) === place);
    if (older?.swagger === undefined) return done(missing);
    return done(unlessKnown(request, hashed(swaggerToV3(older.swagger, place.slice("apis/".length)))));
  }

  #withSwaggers(
    machinery: Machinery,
    request: ApiRequest,
    own: Answer,
    specifications: readonly Specification[],
  ): Answer {
    const { "if-none-match": _known, ...headers } = request.headers ?? {};
    const whole = openApiAnswer(machinery, { ...request, headers }, "/openapi/v2");
    if (!whole.ok || whole.value.kind !== "document" || whole.value.object === undefined) return own;
    return unlessKnown(request, this.#mergedWith(whole.value.object, specifications));
  }

  /** Merged again only when a part has changed: the document has hundreds of kilobytes. */
  #mergedWith(own: JsonObject, specifications: readonly Specification[]): HashedDocument {
    const parts = [
      own,
      ...specifications.flatMap(({ swagger, service }) => (swagger === undefined ? [] : [swagger, service])),
    ];
    const before = this.#merged;
    if (before?.parts.length === parts.length && before.parts.every((part, index) => part === parts[index]))
      return before.document;
    let merged = own;
    for (const { service, swagger } of specifications)
      if (swagger !== undefined) merged = mergeSwagger(merged, swagger, groupVersionOf(service));
    const document = hashed(merged);
    this.#merged = { parts, document };
    return document;
  }

  #ask(service: APIService, signal: AbortSignal): Promise<Specification> {
    const name = service.metadata.name ?? "";
    const held = this.#specifications.get(name);
    const fresh = async (): Promise<Specification> => {
      const before = await held?.catch(() => undefined);
      if (before?.service === service && this.#clock.now() - before.atMs < freshMs) return before;
      const index = await this.#read(service, "/openapi/v3", signal);
      const swagger = await this.#read(service, "/openapi/v2", signal);
      const paths = index === undefined ? undefined : objectIn(index, "paths");
      return { service, atMs: this.#clock.now(), index: paths, swagger };
    };
    const asked = fresh();
    this.#specifications.set(name, asked);
    return asked;
  }

  /** Reads a document; undefined when the server has none or does not answer in time. */
  async #read(service: APIService, path: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const timer = new AbortController();
    const both = AbortSignal.any([timer.signal, signal]);
    const expired = this.#clock.sleep(timeoutMs, both).then(
      () => timer.abort(),
      () => undefined,
    );
    try {
      const headers = { accept: "application/json" };
      const answer = await this.#proxy.forward(service, { method: "GET", path, headers }, reader, both);
      if (!answer.ok || answer.value.status !== 200 || answer.value.body?.kind !== "stream") return undefined;
      const value = JSON.parse(await textOf(answer.value.body.chunks)) as JsonValue;
      return isJsonObject(value) ? value : undefined;
    } catch (problem) {
      if (signal.aborted) throw problem;
      return undefined;
    } finally {
      timer.abort();
      await expired;
    }
  }
}

function availableServices({ storage }: Machinery): readonly APIService[] {
  const held = storage.list(tableOf(apiServices));
  return (held.ok ? held.value : [])
    .map((object) => object as APIService)
    .filter((service) => service.spec?.service !== undefined && isAvailable(service));
}

function groupVersionOf({ spec }: APIService): string {
  return `${spec?.group ?? ""}/${spec?.version ?? ""}`;
}

function placeOf(service: APIService): string {
  return `apis/${groupVersionOf(service)}`;
}

function withIndexes(own: Answer, specifications: readonly Specification[]): Answer {
  if (own.kind !== "text" || own.code !== 200) return own;
  let paths = objectIn(JSON.parse(own.text) as JsonObject, "paths");
  for (const { service, index, swagger } of specifications) {
    const place = placeOf(service);
    const added =
      index ??
      (swagger === undefined
        ? {}
        : {
            [place]: {
              serverRelativeURL: `/openapi/v3/${place}?hash=${hashed(swaggerToV3(swagger, groupVersionOf(service))).hash}`,
            },
          });
    // This server's own entries take precedence.
    paths = { ...added, ...paths };
  }
  return { ...own, text: `${JSON.stringify({ paths })}\n` };
}
