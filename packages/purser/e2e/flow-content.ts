import { bundlesDirectory, communityCatalog } from "./data.ts";
import type { Flow } from "./flows.ts";
import { startPushedImages } from "./pushed-images.ts";

/** Where `purser` has the catalogs and bundles of flows from. */
export interface FlowContent {
  /** Shown in the names of tests. */
  readonly title: "directories" | "images";
  /** What `purser up` and `purser run` have to be given. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Packages whose bundles the flows install. */
const packages = [
  "authorino-operator",
  "kube-green",
  "rabbitmq-cluster-operator",
  "rabbitmq-messaging-topology-operator",
];

function catalogsOf(flows: readonly Flow[]): readonly (readonly [name: string, path: string])[] {
  const more = flows.flatMap(({ catalogs = {} }) => (catalogs === "none" ? [] : Object.entries(catalogs)));
  return [["community", communityCatalog], ...more];
}

/** Catalogs and bundles of the flows as directories of this machine. */
export function contentInDirectories(flows: readonly Flow[]): FlowContent {
  const flags = catalogsOf(flows).flatMap(([name, path]) => ["--catalog", `${name}=${path}`]);
  return {
    title: "directories",
    flags: [...flags, "--bundles", bundlesDirectory],
    env: {},
    stop: () => Promise.resolve(),
  };
}

/** Catalogs and bundles of the flows as images in a registry, and nowhere else. */
export async function contentInImages(flows: readonly Flow[], directory: string): Promise<FlowContent> {
  const images = await startPushedImages(directory);
  try {
    await images.pushBundles(bundlesDirectory, packages);
    const flags: string[] = [];
    for (const [name, path] of catalogsOf(flows))
      flags.push("--catalog", `${name}=${await images.pushCatalog(name, path)}`);
    return { title: "images", flags, env: images.env, stop: () => images.stop() };
  } catch (error) {
    await images.stop();
    throw error;
  }
}
