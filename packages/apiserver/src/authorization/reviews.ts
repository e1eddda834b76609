import { formatTime } from "@purser/kubernetes/clock";

import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { type GroupVersionKind, parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { UserInfo } from "@purser/kubernetes/kube/transport";
import type { RuleRequest } from "@purser/kubernetes/object/rbac";
import { type FieldError, invalid as invalidField } from "@purser/kubernetes/object/field-error";
import type { Result } from "@purser/kubernetes/result";
import { allSteps } from "@purser/kubernetes/steps";
import { done } from "@purser/kubernetes/result";
import { admitPosted } from "../admission/posted-body.ts";
import type { BoundObject, ServiceAccountTokens } from "../authentication/service-account-tokens.ts";
import { defaultAudience } from "../authentication/service-account-tokens.ts";
import type { Call } from "../call.ts";
import type { Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Answer } from "../request/answer.ts";
import { answerObject } from "../request/answer.ts";
import type { Body } from "../request/body.ts";
import { writeOptions } from "../request/query.ts";
import { badRequest, conflict, invalid, notFound, unrouted } from "../request/refusal.ts";
import { inNamespace } from "../resource/create.ts";
import { decodeAs } from "../kinds/decoding/decode.ts";
import { decodeBody, otherKindFault, strictFault, bodyMisfit } from "../resource/decode.ts";
import { evictPod } from "../resource/subresources/eviction.ts";
import { withOwnership } from "../resource/ownership.ts";
import type { ObjectRequest, ResourceRequest } from "../resource/resource-request.ts";
import { bindPod } from "../resource/subresources/pod-endpoints.ts";
import { unreadSelectors } from "./review-selectors.ts";
import { validateLocalReview, validateReviewMetadata, validateReviewSpec } from "./review-validation.ts";
import { objectIn, textIn, textsIn } from "../kinds/decoding/json-parts.ts";
import { userJson } from "./user-json.ts";
import type { RbacAuthorizer } from "./rbac-authorizer.ts";

const hour = 3600;
const year = 365 * 24 * hour;
const shortest = 600;
const longest = 2 ** 32;
/** Clients that request exactly this lifetime for the default audience get a long-lived token. */
const extendedRequest = 3607;

const invalidToken = "invalid bearer token";

/** kube-apiserver omits the kind in errors about reviews. */
const unnamed = { group: "authorization.k8s.io", kind: "" };

/** Requests whose objects are not stored: access and token reviews, token requests, bindings, evictions. */
export class Reviews {
  readonly #machinery: Machinery;
  readonly #authorizer: RbacAuthorizer;
  readonly #tokens: ServiceAccountTokens;

  constructor(machinery: Machinery, authorizer: RbacAuthorizer, tokens: ServiceAccountTokens) {
    this.#machinery = machinery;
    this.#authorizer = authorizer;
    this.#tokens = tokens;
  }

  async create(request: ResourceRequest, body: Body): Promise<Result<KubeObject, ApiStatus>> {
    const { kind, call, namespace } = request;
    const options = writeOptions(call.query, call.headers["user-agent"], "CreateOptions");
    if (!options.ok) return options;
    const decoded = await call.work.through(decodeBody(request, body, options.value));
    if (!decoded.ok) return decoded;
    const placed = inNamespace(kind, decoded.value, namespace);
    if (!placed.ok) return placed;
    const now = formatTime(this.#machinery.clock.now());
    const owned = await call.work.through(
      withOwnership(kind, "main", { next: placed.value, manager: options.value.fieldManager, now }),
    );
    const status = await this.#status(kind, call, namespace, asJson(owned));
    if (!status.ok) return status;
    const answer = { ...owned, status: status.value };
    switch (kind.type.kind) {
      case "SelfSubjectReview":
        // Nothing of the request is returned.
        return done({ ...answer, metadata: { creationTimestamp: formatTime(this.#machinery.clock.now()) } });
      case "SelfSubjectRulesReview":
        return done({ ...answer, metadata: {}, spec: {} });
      default:
        return done(answer);
    }
  }

  async createSubresource(request: ObjectRequest, subresource: string, body: Body): Promise<Result<Answer, ApiStatus>> {
    const { kind, call, namespace, name: target } = request;
    const posted = kind.subresources.find(({ name }) => name === subresource);
    if (posted === undefined) return unrouted();
    const unrecognized = allSteps(bodyMisfit(body));
    if (unrecognized !== undefined)
      return badRequest(
        `the object provided is unrecognized (must be of type ${posted.kind.kind}): ${unrecognized} (${body.summary ?? ""})`,
      );
    // The body is an object or null; null counts as an empty object.
    const sent = isJsonObject(body.value) ? body.value : {};
    const misfit = this.#misfit(kind, posted.kind, sent);
    if (misfit !== undefined) return badRequest(misfit);
    const options = writeOptions(call.query, call.headers["user-agent"], "CreateOptions");
    if (!options.ok) return options;
    const { kind: name } = posted.kind;
    const sentVersion = textIn(sent, "apiVersion");
    const { version } = sentVersion === "" ? posted.kind : parseApiVersion(sentVersion);
    const read = decodeAs(name, sent);
    const unknown = read.unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
    const fault = read.problem ?? strictFault(call, options.value, [...body.duplicates, ...unknown]);
    if (fault !== undefined)
      return badRequest(`${name} in version ${JSON.stringify(version)} cannot be handled as a ${name}: ${fault}`);
    const of = { kind, subresource, body: posted.kind, namespace, name: target };
    const admitted = await admitPosted(this.#machinery, call, of, sent);
    if (!admitted.ok) return admitted;
    switch (`${kind.type.plural}/${subresource}`) {
      case "serviceaccounts/token":
        return this.#requestToken(request, admitted.value);
      case "pods/binding":
        return bindPod(request, admitted.value);
      case "pods/eviction":
        return evictPod(request, admitted.value);
      default:
        return unrouted();
    }
  }

  /** Why the posted object has the wrong kind or version for the subresource; undefined when it is right. */
  #misfit(kind: ServedKind, wanted: GroupVersionKind, body: JsonObject): string | undefined {
    const [sentKind, sentVersion] = [textIn(body, "kind"), textIn(body, "apiVersion")];
    const sent = sentVersion === "" ? wanted : parseApiVersion(sentVersion);
    const full = { group: sent.group, version: sent.version, kind: sentKind === "" ? wanted.kind : sentKind };
    const isKnown = full.version === wanted.version || (full.kind === "Eviction" && full.version === "v1beta1");
    if (full.kind === wanted.kind && full.group === wanted.group && isKnown) return undefined;
    const as = { ...kind, type: { ...kind.type, group: wanted.group, kind: wanted.kind } };
    const fault = otherKindFault(this.#machinery, as, body, full);
    return `${full.kind} in version ${JSON.stringify(full.version)} cannot be handled as a ${wanted.kind}: ${fault}`;
  }

  async #status(
    kind: ServedKind,
    call: Call,
    namespace: string | undefined,
    review: JsonObject,
  ): Promise<Result<JsonObject, ApiStatus>> {
    const spec = objectIn(review, "spec");
    switch (kind.type.kind) {
      case "SelfSubjectAccessReview":
        return this.#access(spec, call.user, [...validateReviewSpec(spec, false), ...validateReviewMetadata(review)]);
      case "SubjectAccessReview":
        return this.#accessOfOther(spec, [...validateReviewSpec(spec, true), ...validateReviewMetadata(review)]);
      case "LocalSubjectAccessReview":
        return this.#accessOfOther(spec, validateLocalReview(review, namespace ?? ""));
      case "SelfSubjectRulesReview":
        return this.#rules(spec, call.user);
      case "SelfSubjectReview":
        return done({ userInfo: userJson(call.user) });
      case "TokenReview":
        return this.#reviewToken(spec);
      default:
        return unrouted();
    }
  }

  #accessOfOther(spec: JsonObject, errors: readonly FieldError[]): Result<JsonObject, ApiStatus> {
    return this.#access(spec, { name: textIn(spec, "user"), groups: textsIn(spec, "groups") }, errors);
  }

  #access(spec: JsonObject, user: UserInfo, errors: readonly FieldError[]): Result<JsonObject, ApiStatus> {
    if (errors.length > 0) return invalid(unnamed, "", errors);
    const resource = member(spec, "resourceAttributes");
    const request: RuleRequest = isJsonObject(resource)
      ? {
          kind: "resource",
          verb: textIn(resource, "verb"),
          group: textIn(resource, "group"),
          resource: textIn(resource, "resource"),
          subresource: textIn(resource, "subresource"),
          name: textIn(resource, "name"),
        }
      : {
          kind: "path",
          verb: textIn(objectIn(spec, "nonResourceAttributes"), "verb"),
          path: textIn(objectIn(spec, "nonResourceAttributes"), "path"),
        };
    const namespace = isJsonObject(resource) ? textIn(resource, "namespace") : "";
    const decision = this.#authorizer.decide({ user, request, namespace: namespace === "" ? undefined : namespace });
    const evaluationError = isJsonObject(resource) ? unreadSelectors(resource) : "";
    return done({
      allowed: decision.allowed,
      ...(decision.reason === "" ? {} : { reason: decision.reason }),
      ...(evaluationError === "" ? {} : { evaluationError }),
    });
  }

  #rules(spec: JsonObject, user: UserInfo): Result<JsonObject, ApiStatus> {
    const namespace = textIn(spec, "namespace");
    if (namespace === "") return badRequest("no namespace on request");
    const { grants, errors } = this.#authorizer.grantsOf(user, namespace);
    const all = grants.flatMap(({ rules }) => rules);
    const resourceRules = all
      .filter(({ resources = [] }) => resources.length > 0)
      .map(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames.length === 0 ? {} : { resourceNames }),
      }));
    const nonResourceRules = all
      .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs = [] }) => ({ verbs, nonResourceURLs }));
    const evaluationError = errors.length < 2 ? (errors[0] ?? "") : `[${errors.join(", ")}]`;
    return done({
      resourceRules,
      nonResourceRules,
      incomplete: false,
      ...(evaluationError === "" ? {} : { evaluationError }),
    });
  }

  async #reviewToken(spec: JsonObject): Promise<Result<JsonObject, ApiStatus>> {
    const token = textIn(spec, "token");
    if (token === "") return badRequest("token is required for TokenReview in authentication");
    const audiences = textsIn(spec, "audiences");
    const found = await this.#tokens.authenticate(token, audiences.length === 0 ? [defaultAudience] : audiences);
    // Each authenticator that tried reports its error.
    if (typeof found === "string")
      return done({ user: {}, error: found === invalidToken ? found : `[${invalidToken}, ${found}]` });
    return done({ authenticated: true, user: userJson(found.user), audiences: found.audiences });
  }

  async #requestToken(request: ObjectRequest, body: JsonObject): Promise<Result<Answer, ApiStatus>> {
    const { kind, namespace = "", name } = request;
    const { storage, clock } = this.#machinery;
    const misplaced = misplacedRequest(objectIn(body, "metadata"), namespace, name);
    if (misplaced !== undefined) return misplaced;
    const account = storage.get("serviceaccounts", `${namespace}/${name}`);
    if (account === undefined) return notFound(kind.type, name);
    const spec = objectIn(body, "spec");
    const asked = textsIn(spec, "audiences");
    const audiences = asked.length === 0 ? [defaultAudience] : asked;
    const sent = member(spec, "expirationSeconds");
    const seconds = typeof sent === "number" ? sent : hour;
    const subject = { group: "authentication.k8s.io", kind: "TokenRequest" };
    if (seconds < shortest)
      return invalid(subject, "", [
        invalidField("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes"),
      ]);
    if (seconds > longest)
      return invalid(subject, "", [
        invalidField("spec.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds"),
      ]);
    const bound = this.#bound(namespace, name, member(spec, "boundObjectRef"));
    if (!bound.ok) return bound;
    const lifetime = seconds === extendedRequest && asked.length === 0 ? year : seconds;
    const token = await this.#tokens.issue(
      { namespace, name, uid: account.metadata.uid ?? "" },
      audiences,
      lifetime,
      bound.value,
    );
    const now = clock.now();
    return done(
      answerObject(201, {
        kind: "TokenRequest",
        apiVersion: "authentication.k8s.io/v1",
        metadata: {
          name,
          namespace,
          ...(account.metadata.uid === undefined ? {} : { uid: account.metadata.uid }),
          creationTimestamp: formatTime(now),
        },
        spec: {
          ...spec,
          audiences,
          expirationSeconds: seconds,
          boundObjectRef: member(spec, "boundObjectRef") ?? null,
        },
        status: { token, expirationTimestamp: formatTime(now + seconds * 1000) },
      }),
    );
  }

  #bound(
    namespace: string,
    account: string,
    reference: JsonValue | undefined,
  ): Result<BoundObject | undefined, ApiStatus> {
    if (!isJsonObject(reference)) return done(undefined);
    const kind = textIn(reference, "kind");
    const name = textIn(reference, "name");
    const { group, version } = parseApiVersion(textIn(reference, "apiVersion"));
    if (group !== "" || (kind !== "Pod" && kind !== "Secret" && kind !== "Node"))
      return badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
    const plural = `${kind.toLowerCase()}s`;
    const found = this.#machinery.storage.get(plural, kind === "Node" ? name : `${namespace}/${name}`);
    if (found === undefined)
      return notFound({ group: "", version: "v1", kind, plural, namespaced: kind !== "Node" }, name);
    if (kind === "Pod" && textIn(objectIn(asJson(found), "spec"), "serviceAccountName") !== account)
      return badRequest(
        `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
      );
    const uid = found.metadata.uid ?? "";
    const wanted = textIn(reference, "uid");
    if (wanted !== "" && wanted !== uid)
      return conflict(
        { group: "", version: "v1", kind, plural: kind, namespaced: kind !== "Node" },
        name,
        `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`,
      );
    return done({ kind, name, uid });
  }
}

/** Refuses a request whose namespace or name differs from the path. */
function misplacedRequest(metadata: JsonObject, namespace: string, name: string): Result<never, ApiStatus> | undefined {
  const given = textIn(metadata, "name");
  const place = textIn(metadata, "namespace");
  if (place !== "" && place !== namespace)
    return badRequest("the namespace of the provided object does not match the namespace sent on the request");
  if (given === "" || given === name) return undefined;
  return invalid({ group: "authentication.k8s.io", kind: "TokenRequest" }, name, [
    invalidField("metadata.name", given, "must match the service account name if specified"),
  ]);
}
