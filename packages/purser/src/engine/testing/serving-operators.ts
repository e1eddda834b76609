import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createSecureContext, type SecureContext } from "node:tls";
import { secrets, services } from "@purser/kubernetes/apis/resources";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import type { ApiRequest } from "@purser/kubernetes/kube/transport";
import type { World } from "./world.ts";

/** How a manifest names the port of {@link ServingOperators}. */
const portName = "PORT";

/**
 * Serves in place of the pods of operators, which are simulated: an aggregated API with the kind `Thing` in any group, and conversions
 * that change nothing but the version. As a pod does, it takes its certificate from the Secret of the Service that is called.
 */
export class ServingOperators {
  readonly #world: World;
  readonly #server: Server;

  private constructor(world: World) {
    this.#world = world;
    this.#server = createServer({
      SNICallback: (name, done) => void this.#present(name, done),
    });
    this.#server.on(
      "request",
      (incoming: IncomingMessage, response: ServerResponse) => void answer(incoming, response),
    );
  }

  static async open(world: World): Promise<ServingOperators> {
    const serving = new ServingOperators(world);
    await new Promise<void>((resolve) => serving.#server.listen(0, "127.0.0.1", resolve));
    return serving;
  }

  /** With the number of the port in place of its name. */
  withPort(manifest: KubeObject): KubeObject {
    const { port } = this.#server.address() as AddressInfo;
    return JSON.parse(JSON.stringify(manifest).replaceAll(JSON.stringify(portName), String(port))) as KubeObject;
  }

  /** Leads each Service that the engine has written here, before the engine goes on. */
  async afterWrite({ method, path }: ApiRequest): Promise<void> {
    const [, namespace, name] = /^\/api\/v1\/namespaces\/([^/]+)\/services\/([^/]+)$/.exec(path) ?? [];
    if (method !== "PATCH" || namespace === undefined || name === undefined) return;
    const spec = { type: "ExternalName", externalName: "127.0.0.1", clusterIP: null, clusterIPs: null };
    await this.#world.merge(services, { namespace, name }, { spec });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #present(name: string, done: (error: Error | null, context?: SecureContext) => void): Promise<void> {
    let context: SecureContext;
    try {
      context = await this.#contextOf(name);
    } catch (error) {
      done(error as Error);
      return;
    }
    done(null, context);
  }

  async #contextOf(serverName: string): Promise<SecureContext> {
    const [service = "", namespace = ""] = serverName.split(".");
    const held = await this.#world.client.get(secrets, { namespace, name: `${service}-cert` });
    const part = (name: string): Buffer => Buffer.from(held?.data?.[name] ?? "", "base64");
    return createSecureContext({ cert: part("tls.crt"), key: part("tls.key") });
  }
}

async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = incoming.method === "POST" ? converted(Buffer.concat(chunks).toString("utf8")) : resources(incoming.url);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function resources(url = ""): JsonObject {
  const groupVersion = url.replace(/^\/apis\//, "").replace(/\?.*/, "");
  const thing = { name: "things", singularName: "thing", kind: "Thing", namespaced: true, verbs: ["get", "list"] };
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: [thing] };
}

function converted(text: string): JsonObject {
  const { request, ...review } = JSON.parse(text) as {
    readonly request: {
      readonly uid: string;
      readonly desiredAPIVersion: string;
      readonly objects: readonly JsonObject[];
    };
  };
  const convertedObjects = request.objects.map((object) => ({ ...object, apiVersion: request.desiredAPIVersion }));
  const response: JsonValue = { uid: request.uid, result: { status: "Success" }, convertedObjects };
  return { ...review, response };
}
