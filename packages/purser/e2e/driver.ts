import { spawn } from "node:child_process";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { asKubeObject, asJson } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { groupResource, kindOf } from "@purser/kubernetes/apis/resource-type";
import type { JsonValue } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { written, writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { readDocuments } from "@purser/kubernetes/text/documents";

/** How a flow acts on a cluster: as a person with kubectl, or with our own client where there is no kubectl. */
export interface Driver {
  readonly name: "kubectl" | "client";
  /** Of the administrator; also acts as others. */
  readonly client: KubeClient;
  apply(yaml: string): Promise<void>;
  merge(type: ResourceType, key: ObjectKey, patch: JsonValue): Promise<void>;
  remove(type: ResourceType, key: ObjectKey): Promise<void>;
  get<Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey): Promise<Type | undefined>;
  list<Type extends KubeObject>(type: ResourceType<Type>, namespace?: string): Promise<readonly Type[]>;
}

/** Writes with kubectl. Reads use Purser's client, because a kubectl process for each poll would take longer than the flow. */
export function kubectlDriver(kubectl: string, kubeconfig: string, client: KubeClient): Driver {
  const run = (args: readonly string[], input?: string): Promise<void> =>
    new Promise((done, refuse) => {
      const child = spawn(kubectl, ["--kubeconfig", kubeconfig, ...args], { stdio: ["pipe", "pipe", "pipe"] });
      let err = "";
      child.stdout.resume();
      child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
      child.on("error", refuse);
      child.on("close", (code) =>
        code === 0 ? done() : refuse(new Error(`kubectl ${args.join(" ")}: ${err.trim()}`)),
      );
      child.stdin.end(input ?? "");
    });
  const where = ({ namespace }: { readonly namespace?: string }): readonly string[] =>
    namespace === undefined ? [] : ["-n", namespace];
  return {
    name: "kubectl",
    client,
    apply: (yaml) => run(["apply", "-f", "-"], yaml),
    async merge(type, key, patch) {
      await run([
        "patch",
        groupResource(type),
        key.name,
        ...where(key),
        "--type",
        "merge",
        "-p",
        JSON.stringify(patch),
      ]);
    },
    async remove(type, key) {
      await run(["delete", groupResource(type), key.name, ...where(key), "--wait=false", "--ignore-not-found"]);
    },
    get: (type, key) => client.get(type, key),
    list: (type, namespace) => client.list(type, namespace === undefined ? {} : { namespace }),
  };
}

export function clientDriver(client: KubeClient): Driver {
  const signal = new AbortController().signal;
  const discovery = createDiscovery(client);
  return {
    name: "client",
    client,
    async apply(yaml) {
      const documents = readDocuments(yaml);
      if (!documents.ok) throw new Error(documents.problem.message);
      for (const { value } of documents.value) {
        const object = asKubeObject(value);
        if (object === undefined) continue;
        const type = await discovery.typeOf(kindOf(object));
        if (type === undefined) throw new Error(`no such kind: ${JSON.stringify(asJson(object)["kind"])}`);
        written(await client.write({ verb: "apply", type, object, fieldManager: "e2e", force: true }, signal));
      }
    },
    async merge(type, key, patch) {
      written(await client.write({ verb: "patch", type, key, patchType: "merge", patch }, signal));
    },
    async remove(type, key) {
      writtenUnlessDeleted(await client.write({ verb: "delete", type, key }, signal));
    },
    get: (type, key) => client.get(type, key),
    list: (type, namespace) => client.list(type, namespace === undefined ? {} : { namespace }),
  };
}
