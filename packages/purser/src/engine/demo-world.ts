import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { installPlans, subscriptions } from "../apis/olm-resources.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { kindOf } from "@purser/kubernetes/apis/resource-type";
import type { Clock } from "@purser/kubernetes/clock";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { written } from "@purser/kubernetes/kube/refusal";
import { readManifestFile } from "./own-manifests.ts";
import { packageDirectory } from "./package-directory.ts";

export interface DemoWorld {
  readonly name: string;
  /** A file-based catalog. */
  readonly catalog: string;
  /** Directory with the bundle directories, as `<package>/<version>`. */
  readonly bundles: string;
  /** Manifest file of the objects that are created once. */
  readonly objects: string;
}

const demoDirectory = (): string => join(packageDirectory(), "demo");

export function demoWorlds(): readonly string[] {
  const directory = demoDirectory();
  return existsSync(directory)
    ? readdirSync(directory)
        .filter((name) => existsSync(join(directory, name, "objects.yaml")))
        .sort()
    : [];
}

export function demoWorld(name: string): DemoWorld | undefined {
  if (!demoWorlds().includes(name)) return undefined;
  const directory = join(demoDirectory(), name);
  return {
    name,
    catalog: join(directory, "catalog"),
    bundles: join(directory, "bundles"),
    objects: join(directory, "objects.yaml"),
  };
}

/** Creates the objects of the demo, whose catalog is in the global namespace; existing objects are not changed. */
export async function createDemoObjects(
  client: KubeClient,
  world: DemoWorld,
  globalNamespace: string,
  signal: AbortSignal,
): Promise<void> {
  const discovery = createDiscovery(client);
  for (const object of await readManifestFile(world.objects)) {
    const type = await discovery.typeOf(kindOf(object), signal);
    if (type === undefined)
      throw new Error(`The demo world "${world.name}" holds a ${object.kind} that the cluster does not serve`);
    const wanted = object.kind === "Subscription" ? withSourceNamespace(object, globalNamespace) : object;
    const created = await client.write({ verb: "create", type, object: wanted, fieldManager: "purser" }, signal);
    if (!created.ok && created.problem.kind !== "alreadyExists") written(created);
  }
}

const withSourceNamespace = (object: KubeObject, sourceNamespace: string): KubeObject => {
  const { spec } = object as KubeObject & { readonly spec: JsonObject };
  return { ...object, spec: { ...spec, sourceNamespace } } as KubeObject;
};

/**
 * Approves the first InstallPlan of each Manual Subscription of the demo, so that the user finds an upgrade that is
 * pending approval instead of a first installation.
 */
export async function approveFirstPlans(
  client: KubeClient,
  world: DemoWorld,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const wanted = (await readManifestFile(world.objects)).filter((object) => object.kind === "Subscription");
  for (const { metadata } of wanted) {
    const { namespace = "", name = "" } = metadata;
    for (;;) {
      const subscription = await client.get(subscriptions, { namespace, name });
      if (subscription === undefined || (subscription.status?.installedCSV ?? "") !== "") break;
      const plan = subscription.status?.installPlanRef?.name;
      if (plan !== undefined) {
        const patch = { spec: { approved: true } };
        written(
          await client.write(
            { verb: "patch", type: installPlans, key: { namespace, name: plan }, patchType: "merge", patch },
            signal,
          ),
        );
        break;
      }
      await clock.sleep(20, signal);
    }
  }
}
