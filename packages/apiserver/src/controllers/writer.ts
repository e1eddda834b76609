import { isJsonObject, member, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { asJson, asKubeObject, keyOf } from "@purser/kubernetes/apis/object";
import { resourcePath, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ApiBody, ApiRequest, ApiResponse, Transport } from "@purser/kubernetes/kube/transport";
import { done, failed, type Result } from "@purser/kubernetes/result";

/** The API refused a controller's write; the loop retries. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  constructor(what: string, status: number, message: string) {
    super(`Cannot ${what}: ${message}`);
    this.status = status;
  }
}

/** The part of a Status that controllers use. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

export interface DeleteChoice {
  readonly propagation?: "Background" | "Foreground" | "Orphan";
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly graceSeconds?: number;
}

const never = new AbortController().signal;

/** Messages of the RBAC authorizer; quotas, policies and webhooks have other messages. */
const lacksRole = /is forbidden: User "system:serviceaccount:kube-system:[^"]*" cannot /;

async function valueOf(body: ApiBody | undefined): Promise<JsonValue> {
  switch (body?.kind) {
    case undefined:
    case "events":
      return null;
    case "object":
      return body.value;
    case "bytes":
      return JSON.parse(new TextDecoder().decode(body.bytes)) as JsonValue;
    case "texts":
      return JSON.parse([...body.texts].join("")) as JsonValue;
    case "stream": {
      const decoder = new TextDecoder();
      let text = "";
      for await (const chunk of body.chunks) text += decoder.decode(chunk, { stream: true });
      return JSON.parse(text) as JsonValue;
    }
  }
}

/** Writes of one built-in controller: ordinary in-process requests as its service account. */
export class Writer {
  readonly #transport: Transport;
  readonly #userAgent: string;
  readonly #reportMissingRole: (refusal: string) => void;

  /** `reportMissingRole` is called with the message when RBAC refuses a write, which no retry can solve. */
  constructor(transport: Transport, manager: string, reportMissingRole: (refusal: string) => void) {
    this.#transport = transport;
    this.#userAgent = `${manager}/v1.36.3`;
    this.#reportMissingRole = reportMissingRole;
  }

  async #send(request: Omit<ApiRequest, "headers">, contentType: string): Promise<Result<JsonValue, Refusal>> {
    const headers = { accept: "application/json", "content-type": contentType, "user-agent": this.#userAgent };
    const response: ApiResponse = await this.#transport({ ...request, headers }, never);
    const value = await valueOf(response.body);
    if (response.status < 400) return done(value);
    const status = isJsonObject(value) ? value : {};
    const text = (key: string): string => {
      const held = member(status, key);
      return typeof held === "string" ? held : "";
    };
    const message = text("message");
    if (response.status === 403 && lacksRole.test(message)) this.#reportMissingRole(message);
    return failed({ code: response.status, reason: text("reason"), message });
  }

  /** Creates an object and returns a refusal instead of throwing. */
  async tryCreate(type: ResourceType, object: JsonObject, namespace?: string): Promise<Result<KubeObject, Refusal>> {
    const path = resourcePath(type, namespace === undefined ? {} : { namespace });
    const sent = await this.#send(
      { method: "POST", path, body: { kind: "object", value: object } },
      "application/json",
    );
    if (!sent.ok) return sent;
    return done(asKubeObject(sent.value) ?? ({} as KubeObject));
  }

  /**
   * Replaces the object as it was read: a concurrent change is a conflict (409). Returns undefined when it does not
   * exist any more.
   */
  async replace(type: ResourceType, object: KubeObject, subresource?: string): Promise<KubeObject | undefined> {
    const path = resourcePath(type, keyOf(object), subresource);
    const sent = await this.#send(
      { method: "PUT", path, body: { kind: "object", value: asJson(object) } },
      "application/json",
    );
    if (sent.ok) return asKubeObject(sent.value);
    if (sent.problem.code === 404) return undefined;
    throw new RefusedError(`replace ${path}`, sent.problem.code, sent.problem.message);
  }

  /** JSON merge patch; a missing object is not an error. */
  async patch(type: ResourceType, key: ObjectKey, patch: JsonObject, subresource?: string): Promise<void> {
    const path = resourcePath(type, key, subresource);
    const sent = await this.#send(
      { method: "PATCH", path, body: { kind: "object", value: patch } },
      "application/merge-patch+json",
    );
    if (!sent.ok && sent.problem.code !== 404) {
      throw new RefusedError(`patch ${path}`, sent.problem.code, sent.problem.message);
    }
  }

  /** Forced server-side apply. */
  async apply(
    type: ResourceType,
    object: JsonObject,
    key: ObjectKey,
    manager: string,
    subresource?: string,
  ): Promise<void> {
    const path = resourcePath(type, key, subresource);
    const query = new URLSearchParams({ fieldManager: manager, force: "true" });
    const sent = await this.#send(
      { method: "PATCH", path, query, body: { kind: "object", value: object } },
      "application/apply-patch+yaml",
    );
    if (!sent.ok && sent.problem.code !== 404) {
      throw new RefusedError(`apply ${path}`, sent.problem.code, sent.problem.message);
    }
  }

  /** Deletes; a missing object or a failed precondition is not an error. */
  async remove(type: ResourceType, key: ObjectKey, choice: DeleteChoice = {}): Promise<void> {
    const path = resourcePath(type, key);
    const preconditions = {
      ...(choice.uid === undefined ? {} : { uid: choice.uid }),
      ...(choice.resourceVersion === undefined ? {} : { resourceVersion: choice.resourceVersion }),
    };
    const options: JsonObject = {
      kind: "DeleteOptions",
      apiVersion: "v1",
      ...(choice.propagation === undefined ? {} : { propagationPolicy: choice.propagation }),
      ...(choice.graceSeconds === undefined ? {} : { gracePeriodSeconds: choice.graceSeconds }),
      ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    };
    const sent = await this.#send(
      { method: "DELETE", path, body: { kind: "object", value: options } },
      "application/json",
    );
    if (sent.ok || sent.problem.code === 404 || sent.problem.code === 409) return;
    throw new RefusedError(`delete ${path}`, sent.problem.code, sent.problem.message);
  }

  /** Creates a subresource with its own kind, such as `pods/binding`. */
  async post(path: string, body: JsonObject): Promise<Result<JsonValue, Refusal>> {
    return this.#send({ method: "POST", path, body: { kind: "object", value: body } }, "application/json");
  }
}
