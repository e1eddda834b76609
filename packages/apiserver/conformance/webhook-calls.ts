import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "./row.ts";
import { eventually } from "./eventually.ts";
import type { Scene } from "./scene.ts";
import { at, configMap, text } from "./scene.ts";
import type { Received, Reply, TlsServer } from "./tls-server.ts";
import { tlsServer } from "./tls-server.ts";

/** API path of webhook configurations. */
export const registrations = "/apis/admissionregistration.k8s.io/v1";

export type Answer = (review: JsonObject, received: Received) => Reply;

/** `response` with the request's uid added. */
export function reply(review: JsonObject, response: JsonObject): Reply {
  return {
    body: {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: text(review, "request", "uid"), allowed: true, ...response },
    },
  };
}

export function patch(...operations: readonly JsonObject[]): JsonObject {
  return { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(operations)).toString("base64") };
}

export interface Hooked {
  readonly server: TlsServer;
  /** The received review requests, without those of the readiness check. */
  readonly asked: () => readonly JsonObject[];
}

const probe = "probe-for-the-webhook";
/** Written by the server's own controllers at any time. */
const published = "kube-root-ca.crt";

/**
 * Registers webhooks for the ConfigMaps of the case's namespace, and waits until the server calls them. Each hook lists
 * its differences from the default; its path is its index.
 */
export async function hooked(
  scene: Scene,
  type: "Mutating" | "Validating",
  hooks: readonly JsonObject[],
  answer: Answer,
): Promise<Hooked> {
  const server = await tlsServer(scene, (received) => {
    const isProbe = text(received.body, "request", "name") === probe;
    return isProbe ? reply(received.body, {}) : answer(received.body, received);
  });
  const webhooks = hooks.map((hook, index) => ({
    name: `h${index}.ex.io`,
    clientConfig: { url: `${server.url}/${index}`, caBundle: server.caBundle },
    rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": scene.ns } },
    ...hook,
  }));
  // A last hook that is always called shows when the configuration is effective.
  const beacon = {
    ...webhooks[0],
    name: "beacon.ex.io",
    clientConfig: { url: `${server.url}/beacon`, caBundle: server.caBundle },
    rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    objectSelector: { matchLabels: { beacon: "true" } },
    matchConditions: [],
    failurePolicy: "Fail",
  };
  await scene.keep(`${registrations}/${type.toLowerCase()}webhookconfigurations`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${type}WebhookConfiguration`,
    metadata: { name: scene.ns },
    webhooks: [...webhooks, beacon],
  });
  await eventually(async () => {
    await scene.ask({
      method: "POST",
      path: `${scene.cms}?dryRun=All`,
      body: configMap(probe, { metadata: { labels: { beacon: "true" } } }),
    });
    assert.ok(server.received.some(({ path }) => path.startsWith("/beacon")));
  });
  const asked = (): readonly JsonObject[] =>
    server.received
      .map(({ body }) => at(body, "request") as JsonObject)
      .filter((request) => request["name"] !== probe && request["name"] !== published);
  return { server, asked };
}

export function create(scene: Scene, name: string, more: JsonObject = {}): ReturnType<Scene["ask"]> {
  return scene.ask({ method: "POST", path: scene.cms, body: configMap(name, more) });
}

export const calling = 'Internal error occurred: failed calling webhook "h0.ex.io": ';

/** A row with the error of a write for a webhook response; with `Ignore` the write succeeds. */
export function failure(
  name: string,
  type: "Mutating" | "Validating",
  answer: Answer,
  message: string,
  more: JsonObject = {},
): Row {
  return {
    row: 274,
    name,
    run: async (scene) => {
      const { server } = await hooked(scene, type, [more], answer);
      const response = await create(scene, "x");
      assert.equal(response.code, 500, response.text);
      assert.equal(at(response.object, "reason"), "InternalError");
      const said = response.message.replace(/expected response\.uid="[^"]*"/, 'expected response.uid="UID"');
      const wanted = message.replaceAll("{url}", server.url);
      assert.ok(
        wanted.endsWith("…") ? said.startsWith(wanted.slice(0, -1)) : said === wanted,
        `${said}\n  is not\n  ${wanted}`,
      );
      const [cause] = at(response.object, "details", "causes") as unknown as readonly JsonObject[];
      assert.equal(`Internal error occurred: ${text(cause ?? {}, "message")}`, response.message);
    },
  };
}

export function everything(review: JsonObject): Reply {
  return reply(review, {});
}
