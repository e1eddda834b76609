import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import type { Service } from "@purser/kubernetes/apis/core";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { apiServices, services } from "@purser/kubernetes/apis/resources";
import type { Controller } from "@purser/kubernetes/kube/controller/controller";
import { defineController } from "@purser/kubernetes/kube/controller/controller";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { watching } from "../watching.ts";
import {
  isOwnApiService,
  namesAuthority,
  type PackageApiAction,
  type PackageApiAddress,
  packageApiService,
  type PackageApiWorld,
  packageServiceName,
  planPackageApi,
} from "./plan/plan-package-api.ts";

const ownKey: ObjectKey = { name: packageApiService };

/**
 * Keeps the APIService that leads to the package API, and the Service behind it where that is a process's own.
 * @param current the address now
 * @param changes one value for each later address
 */
export function packageApiController(
  current: () => PackageApiAddress,
  changes: (signal: AbortSignal) => AsyncIterable<unknown> = () => noChanges(),
): Controller {
  const { namespace } = current();
  return defineController<PackageApiWorld, PackageApiAction, KubeObject[]>({
    name: "package-api",
    watches: [
      watching<APIService>({
        type: apiServices,
        map: ({ metadata }) => (metadata.name === packageApiService ? [ownKey] : []),
      }),
      watching<Service>({
        type: services,
        scope: { namespace },
        map: ({ metadata }) => (metadata.name === packageServiceName ? [ownKey] : []),
      }),
    ],
    // The first pass comes before there is an object that could ask for it.
    wakes: [
      async function* (signal) {
        yield ownKey;
        for await (const _ of changes(signal)) yield ownKey;
      },
    ],
    steps: {
      observe: async (_key, { reader }) => {
        const [apiService, service] = await Promise.all([
          reader.get(apiServices, { name: packageApiService }),
          reader.get(services, { namespace, name: packageServiceName }),
        ]);
        return { address: current(), apiService, service };
      },
      plan: planPackageApi,
      async apply(_key, action, { writer, log, signal }) {
        switch (action.kind) {
          case "leave":
            log("warn", "another server serves the package API; it is left to that server while it is available", {
              service: action.server,
            });
            return;
          case "takeOver":
            written(await writer.write(action.write, signal));
            log("info", "took over the package API from a server that is not available", {
              service: action.server,
            });
            return;
          case "write":
            written(await writer.write(action.write, signal));
        }
      },
    },
  });
}

async function* noChanges(): AsyncGenerator<never, void, void> {
  // An address of a process never changes.
}

/**
 * Deletes the APIService that leads to a process of Purser: while its server does not answer, no namespace of the cluster
 * can be deleted. The APIService of somebody else stays.
 * @param authorityPem only if it leads to the process with this authority; undefined: to any
 */
export async function withdrawPackageApi(
  client: KubeClient,
  authorityPem: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const found = await client.get(apiServices, { name: packageApiService });
    if (found === undefined || !isOwnApiService(found)) return;
    if (authorityPem !== undefined && !namesAuthority(found, authorityPem)) return;
    const { uid, resourceVersion } = found.metadata;
    const preconditions = {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    const deleted = await client.write({ verb: "delete", type: apiServices, key: ownKey, preconditions }, signal);
    if (deleted.ok || deleted.problem.kind === "notFound") return;
    // The API server changes its status all the time, and another process may have taken it over: look again.
    if (deleted.problem.kind !== "conflict") written(deleted);
  }
}
